"""`--sandbox-engine goccia` and `both`, with a stand-in for the runner."""

import os
from pathlib import Path

import pytest

from .conftest import run_pytest

STANDIN = Path(__file__).parents[1] / "standin.py"
#: a runner whose programs print "there" for "here"
OTHER = f"""
import runpy
from goccia_tools.child.engines.quickjs import QuickJS
run = QuickJS.run
QuickJS.run = lambda self, request, files, write: run(
    self, request, files, lambda text: write(text.replace("here", "there"))
)
runpy.run_path({str(STANDIN)!r}, run_name="__main__")
"""
PLAIN = 'console.log("here");\n[1, 2];\n'
ASSERTED = '/*---\nexpect: {output: "here\\n"}\n---*/\n' + PLAIN
SKIPPED = "/*---\nskip: {reason: not there, if: engine == 'goccia'}\n---*/\n" + PLAIN
EXPECTED = "/*---\nexpect: {output: \"here\\n\"}\nxfail: {reason: known, if: engine == 'goccia'}\n---*/\n" + PLAIN


@pytest.fixture
def other_runner(make_runner):
    return make_runner(OTHER)


def test_one_option_runs_tests_on_the_installed_runner(project, standin_runner):
    project.write("a.sandbox.js", ASSERTED)
    project.write("b.sandbox.js", SKIPPED)
    result = project.run("-rs", "--sandbox-engine", "goccia", "--sandbox-runner", standin_runner)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*not there*"])


def test_what_the_other_program_prints_is_what_the_test_sees(project, other_runner, monkeypatch):
    monkeypatch.setenv("GOCCIA_SANDBOX_RUNNER", other_runner)
    project.write("a.sandbox.js", ASSERTED)
    project.run("--sandbox-engine", "goccia").assert_outcomes(failed=1)
    project.run("--sandbox-engine", "quickjs").assert_outcomes(passed=1)


def test_both_say_when_nothing_differs(project, standin_runner):
    project.write("a.sandbox.js", ASSERTED)
    project.write("b.sandbox.js", "const f = () => { throw new RangeError('no'); };\nf();\n")
    result = project.run("--sandbox-engine", "both", "--sandbox-runner", standin_runner)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["2 results of quickjs and goccia compared, none of them differ"])


def test_a_difference_that_nobody_asserted_is_told_and_does_not_fail(project, other_runner):
    project.write("a.sandbox.js", PLAIN)
    result = project.run("--sandbox-engine", "both", "--sandbox-runner", other_runner)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*a.sandbox.js::a",
            r"  output: quickjs 'here\n', goccia 'there\n'",
            "1 results of quickjs and goccia compared, 1 of them differ",
        ]
    )


def test_a_case_has_to_hold_on_both(project, other_runner):
    project.write("a.sandbox.js", ASSERTED)
    result = project.run("--sandbox-engine", "both", "--sandbox-runner", other_runner)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there*", "*as expected on quickjs; this is what goccia gave*"])


def test_conditions_on_the_engine_are_asked_for_each(project, other_runner):
    project.write("a.sandbox.js", SKIPPED)
    project.write("b.sandbox.js", EXPECTED)
    result = project.run("--sandbox-engine", "both", "--sandbox-runner", other_runner)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["1 results of quickjs and goccia compared, 1 of them differ"])


def test_the_summary_is_the_same_with_workers(tmp_path, other_runner):
    for name in "abcd":
        (tmp_path / f"{name}.sandbox.js").write_text(PLAIN)
    arguments = ("--sandbox-engine", "both", "--sandbox-runner", other_runner)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run = run_pytest(tmp_path, "-n", "2", *arguments, env={"PATH": os.environ["PATH"]})
    assert run.status == 0, run.text
    assert "4 results of quickjs and goccia compared, 4 of them differ" in run.text


def test_a_runner_without_its_engine_is_a_usage_error(project):
    result = project.run("--sandbox-runner", "/bin/true")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--sandbox-runner is the path of a GocciaSandboxRunner; it needs the engine goccia*"])
