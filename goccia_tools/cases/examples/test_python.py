from pytest_goccia.fixture import Sandbox


def test_a_program(sandbox: Sandbox) -> None:
    result = sandbox.run("console.log('hello'); 6 * 7;")
    assert result == sandbox.expect(output="hello\n", resultValue=42)


def test_files_and_limits(sandbox: Sandbox) -> None:
    program = "import fs from 'fs'; fs.readFileSync('/data.txt', 'utf8').length;"
    result = sandbox.run(program, files={"/data.txt": "12345"}, timeout_ms=2000)
    assert result.result_value == 5
