"""--sandbox-update and --sandbox-update-new: what is written, what is refused, in one process and by two workers."""

import pytest

from .conftest import run_pytest

WRONG = '/*---\n# why\nexpect:\n  output: "1\\n"   # one\n---*/\nconsole.log(2);\n'
NEW = "console.log(2);\n3;\n"
LOOP = "/*---\noptions: {timeoutMs: 200, compatibility: all}\nexpect: {output: x}\n---*/\nwhile (true) {}\n"


@pytest.fixture(params=["one process", "two workers"])
def update(request, project):
    """Runs pytest with an update option and gives its text and status."""

    def update(*arguments, env=None):
        if request.param == "two workers" or env:
            done = run_pytest(
                project.path, *(("-n", "2") if request.param == "two workers" else ()), *arguments, env=env
            )
            return done.status, done.text
        result = project.run(*arguments)
        return result.ret, result.stdout.str() + result.stderr.str()

    return update


def test_what_was_not_met_is_rewritten_and_the_rest_stays(project, update):
    wrong = project.write("a.sandbox.js", b"\xef\xbb\xbf" + WRONG.replace("\n", "\r\n").encode())
    other = project.write("b.sandbox.js", WRONG.replace('"1\\n"', '"2\\n"'))
    new = project.write("c.sandbox.js", NEW)
    many = project.write(
        "d.sandbox.js",
        "/*---\ncases:\n  - {name: x, expect: {resultValue: 1}}\n  - {name: y, expect: {resultValue: 2}}\n---*/\n3;\n",
    )
    stamps = {path: path.stat().st_mtime_ns for path in (other, new)}
    status, text = update("--sandbox-update")
    assert status == 0, text
    assert wrong.read_bytes() == b"\xef\xbb\xbf" + WRONG.replace('"1\\n"', '"2\\n"').replace("\n", "\r\n").encode()
    assert many.read_text().count("resultValue: 3") == 2
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps
    assert "updated a.sandbox.js: 1 case" in text
    assert "updated d.sandbox.js: 2 cases" in text
    assert update()[0] == 0


def test_only_what_says_nothing_gets_an_expectation(project, update):
    wrong = project.write("a.sandbox.js", WRONG)
    new = project.write("b.sandbox.js", NEW)
    status, _ = update("--sandbox-update-new")
    assert status == 1
    assert wrong.read_text() == WRONG
    assert new.read_text() == '/*---\nexpect:\n  output: "2\\n"\n  resultValue: 3\n---*/\n' + NEW
    assert update("--deselect", "a.sandbox.js::a")[0] == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LOOP, "the run ended with timeout"),
        ("/*---\nexpect: {output: x}\n---*/\nthrow new Error('no');\n", "it ended in another way than expected"),
        ("throw new Error('no');\n", "it says nothing that could be replaced"),
        ("1; // => 2\n", "expectations in comments are written by hand"),
        ("/*---\nparametrize: {n: [1]}\nexpect: {output: x}\n---*/\n1;\n", "shared by the rows of parametrize"),
    ],
)
def test_what_is_refused_stays_a_failure_and_says_why(project, text, reason):
    path = project.write("a.sandbox.js", text)
    result = project.run("--sandbox-update")
    assert result.ret == 1
    assert reason in result.stdout.str()
    assert path.read_text() == text


def test_what_did_not_run_is_not_touched(project):
    """syrupy#787, #963: an update with -k deleted what was not run."""
    text = WRONG.replace("expect:", "cases:\n  - name: left\n    skip: why\n  - name: other\nexpect:")
    path = project.write("a.sandbox.js", text)
    other = project.write("b.sandbox.js", WRONG)
    project.run("--sandbox-update", "-k", "left").assert_outcomes(skipped=1, deselected=2)
    assert path.read_text() == text
    assert other.read_text() == WRONG


def test_two_files_of_one_name_do_not_meet(project):
    """syrupy#1104."""
    one = project.write("x/a.sandbox.js", WRONG)
    other = project.write("y/a.sandbox.js", WRONG.replace("log(2)", "log(3)"))
    project.run("--sandbox-update").assert_outcomes(passed=2)
    assert '"2\\n"' in one.read_text()
    assert '"3\\n"' in other.read_text()


def test_refused_where_ci_is_set_unless_forced(project, update):
    path = project.write("a.sandbox.js", WRONG)
    status, text = update("--sandbox-update", env={"CI": "true"})
    assert status == 4
    assert "refused where CI is set; --sandbox-update-force does it" in text
    assert path.read_text() == WRONG
    assert update("--sandbox-update", "--sandbox-update-force", env={"CI": "true"})[0] == 0
    assert path.read_text() != WRONG


def test_a_file_that_cannot_be_written_fails_the_run(project):
    text = "/*---\nexpect: {resultValue: &v 1, exitCode: 0}\ndescription: d\nfiles: {/a: {json: *v}}\n---*/\n2;\n"
    path = project.write("a.sandbox.js", text)
    result = project.run("--sandbox-update")
    assert result.ret == 1
    assert "not updated" in result.stdout.str()
    assert path.read_text() == text
