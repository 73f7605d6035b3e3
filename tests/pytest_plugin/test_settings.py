"""Settings of the ini files and the command line, hooks, faults of the host, Ctrl-C."""

import os
import signal
import subprocess
import sys
import time

import pytest

LOOP = "while (true) {}\n"


class TestSettings:
    @pytest.mark.parametrize("place", ["pytest.ini", "pyproject.toml", "native", "command line"])
    def test_the_time_limit_wherever_it_is_said(self, project, place):
        project.write("a.sandbox.js", "/*---\noptions: {compatibility: all}\n---*/\n" + LOOP)
        arguments = []
        if place == "pytest.ini":
            project.ini("sandbox_timeout_ms = 150")
        elif place == "command line":
            arguments = ["--sandbox-timeout-ms", "150"]
        else:
            (project.path / "pytest.ini").unlink(missing_ok=True)
            (project.path / "tox.ini").unlink(missing_ok=True)
            table = "[tool.pytest.ini_options]" if place == "pyproject.toml" else "[tool.pytest]"
            project.write("pyproject.toml", f'{table}\nsandbox_timeout_ms = "150"\n')
        project.run(*arguments).stdout.fnmatch_lines(["*still running after timeoutMs 150*"])

    def test_a_test_that_says_its_own_limit_keeps_it(self, project):
        project.ini("sandbox_timeout_ms = 20000")
        project.write("a.sandbox.js", "/*---\noptions: {compatibility: all, timeoutMs: 150}\n---*/\n" + LOOP)
        project.run().stdout.fnmatch_lines(["*still running after timeoutMs 150*"])

    def test_default_options(self, project):
        project.ini("sandbox_default_options = compatibility=all, sourceType=module, timeoutMs=150")
        project.write("a.sandbox.js", "/*---\nexpect: {failureKind: timeout}\n---*/\n" + LOOP)
        project.write("b.sandbox.js", "/*---\nexpect: {resultValue: object}\n---*/\ntypeof import.meta;\n")
        project.run().assert_outcomes(passed=2)

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("sandbox_timeout_ms", "soon", "sandbox_timeout_ms must be a whole number of milliseconds, not soon"),
            ("sandbox_engine", "quickj", 'must be one of quickjs, goccia, both, not quickj; did you mean "quickjs"?'),
            ("sandbox_launcher", "fork", "must be one of auto, spawn, fork-server"),
            ("sandbox_jail", "on", "must be one of auto, required, off"),
            ("sandbox_default_options", "timeout=5", 'unknown option "timeout"; did you mean "timeoutMs"?'),
            ("sandbox_default_options", "timeoutMs", '"timeoutMs" is not name=value'),
        ],
    )
    def test_a_wrong_value_is_a_usage_error_with_its_place(self, project, name, value, words):
        """nbval#169: a bad setting gave INTERNALERROR."""
        project.ini(f"# a comment\n{name} = {value}")
        project.write("a.sandbox.js", "1;\n")
        result = project.run()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert f"pytest.ini:3: {name} " in result.stderr.str()
        assert words in result.stderr.str()
        project.ini("")
        option = f"--{name.replace('_', '-')}"
        result = project.run(option, value)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert f"{option} " in result.stderr.str()
        assert words.removeprefix(name).strip() in result.stderr.str()

    def test_the_launcher_and_the_jail_reach_the_runner(self, project):
        project.write("a.sandbox.js", "1;\n")
        project.run("--sandbox-launcher", "spawn", "--sandbox-jail", "off").assert_outcomes(passed=1)


class TestHostErrors:
    def test_are_errors_and_are_tried_once_more(self, project):
        project.write(
            "conftest.py",
            """\
import pytest_goccia.session as session
from goccia_tools import FailureKind, RunResult

class Broken:
    def __init__(self):
        self.runs = {}
    def run(self, *, entry, **keywords):
        self.runs[entry] = count = self.runs.get(entry, 0) + 1
        if entry.startswith("/flaky") and count > 1:
            return RunResult(ok=True, exit_code=0, failure_kind=FailureKind.NONE)
        kind = FailureKind.HOST_ERROR
        return RunResult(ok=False, exit_code=1, failure_kind=kind, error_message="no child came to be")
    def close(self):
        pass

session.make_runner = lambda settings: Broken()
""",
        )
        project.write("dead.sandbox.js", "1;\n")
        project.write("flaky.sandbox.js", "1;\n")
        project.write("known.sandbox.js", "/*---\nxfail: why\n---*/\n1;\n")
        project.write("meant.sandbox.js", "/*---\nexpect: {failureKind: host-error}\n---*/\n1;\n")
        try:
            result = project.run("-rA", "--junitxml=r.xml")
        finally:
            import pytest_goccia.session as session
            from pytest_goccia.settings import make_runner

            session.make_runner = make_runner
        result.assert_outcomes(passed=2, errors=2)
        result.stdout.fnmatch_lines(["*no child came to be*", "*says nothing about it*"])
        assert (project.path / "r.xml").read_text().count("<error") == 2

    def test_what_does_not_exist_here_is_an_error_with_a_sentence(self, project, monkeypatch):
        monkeypatch.setenv("PATH", "")
        monkeypatch.delenv("GOCCIA_SANDBOX_RUNNER", raising=False)
        project.write("a.sandbox.js", "1;\n")
        result = project.run("--sandbox-engine", "goccia")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*goccia*"])


class TestHooks:
    def test_a_case_is_changed_and_results_are_seen(self, project):
        project.write(
            "conftest.py",
            """\
import dataclasses

def pytest_sandbox_modify_case(case):
    case.options = dataclasses.replace(case.options, timeout_ms=150)
    case.tags = (*case.tags, "seen")

def pytest_sandbox_result(item, result):
    print("RESULT", item.name, item.case.tags, result.failure_kind)
""",
        )
        project.write(
            "a.sandbox.js", "/*---\noptions: {compatibility: all}\nexpect: {failureKind: timeout}\n---*/\n" + LOOP
        )
        result = project.run("-s")
        result.assert_outcomes(passed=1)
        result.stdout.fnmatch_lines(["*RESULT a ('seen',) timeout*"])


class TestFixtures:
    def test_scopes_and_teardown_are_pytests(self, project):
        project.write(
            "conftest.py",
            "import pytest\n@pytest.fixture(scope='session')\ndef once():\n"
            "    print('UP')\n    yield [1]\n    print('DOWN')\n",
        )
        for name in "ab":
            project.write(
                f"{name}.sandbox.js",
                "/*---\nfixtures: once\nexpect: {resultValue: [1]}\n---*/\n"
                "import v from '/once.json' with { type: 'json' };\nv;\n",
            )
        result = project.run("-s")
        result.assert_outcomes(passed=2)
        assert (result.stdout.str().count("UP"), result.stdout.str().count("DOWN")) == (1, 1)

    def test_the_sandbox_fixture(self, project):
        project.write("data.txt", "from the host")
        project.write(
            "test_a.py",
            """\
import pathlib
import pytest
from goccia_tools import OptionError

def test_files(sandbox):
    text = "import fs from 'fs'; [fs.readFileSync('/a', 'utf8'), fs.readFileSync('/b', 'utf8')];"
    result = sandbox.run(text, files={"/a": "x", "/b": pathlib.Path("data.txt")})
    assert result == sandbox.expect(resultValue=["x", "from the host"])
    assert sandbox.expect(ok=True) == result
    assert result != sandbox.expect(failureKind="timeout")

def test_options(sandbox):
    assert sandbox.run("while (true) {}", compatibility="all", timeout_ms=150) == sandbox.expect(failureKind="timeout")

def test_mistakes(sandbox):
    with pytest.raises(OptionError, match='did you mean "failureKind"'):
        sandbox.expect(failure_kind="timeout")
    with pytest.raises(OptionError, match="contradicts"):
        sandbox.expect(ok=True, failureKind="timeout")
""",
        )
        project.run().assert_outcomes(passed=3)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_the_run_and_leaves_no_child(project, tmp_path):
    project.write(
        "a.sandbox.js", "/*---\noptions: {compatibility: all, timeoutMs: 60000}\n---*/\nconsole.log('x');\n" + LOOP
    )
    project.write("b.sandbox.js", "1;\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    import psutil

    me = psutil.Process(process.pid)
    deadline = time.monotonic() + 60

    def busy():
        found = []
        for child in me.children(recursive=True):
            try:
                if child.cpu_times().user > 0.5:
                    found.append(child)
            except psutil.Error:
                continue
        return found

    while not busy() and time.monotonic() < deadline:
        time.sleep(0.05)
    children = me.children(recursive=True)
    assert children
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=30)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, text
    assert "KeyboardInterrupt" in text
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive
