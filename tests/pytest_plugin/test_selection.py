"""Collection and selection: what is collected, its ids and places, and pytest's own ways of choosing."""

import subprocess
import sys

import pytest

PASS = "1;\n"
FAIL = "throw new Error('no');\n"
CASES = """\
/*---
cases:
  - {name: one, expect: {resultValue: 2}}
  - {name: two}
  - {name: three, marks: [slow]}
---*/
1;
"""


class TestWhatIsCollected:
    def test_only_files_of_the_suffix(self, project):
        for name in ("a.js", "a.sandbox.mjs", "sandbox.js", "a.sandbox.js.bak", "a_FIXTURE.js", "a_FIXTURE.sandbox.js"):
            project.write(name, FAIL)
        project.write("b.sandbox.js", PASS)
        assert project.ids() == ["b.sandbox.js::b"]

    def test_never_what_is_in_node_modules(self, project):
        project.ini("norecursedirs = nothing")
        project.write("node_modules/x/a.sandbox.js", PASS)
        assert project.ids() == []
        assert project.ids("node_modules/x/a.sandbox.js") == []

    def test_patterns_of_names_and_paths(self, project):
        project.ini("sandbox_files = */unit/*.sandbox.js spec_*.sandbox.js")
        for name in ("a/unit/x.sandbox.js", "spec_a.sandbox.js", "other.sandbox.js"):
            project.write(name, PASS)
        assert sorted(project.ids()) == ["a/unit/x.sandbox.js::x", "spec_a.sandbox.js::spec_a"]
        assert project.ids("--sandbox-files", "other*") == ["other.sandbox.js::other"]

    def test_switched_off(self, project):
        project.write("a.sandbox.js", PASS)
        assert project.ids("-p", "no:sandbox") == []
        project.ini("sandbox_files =")
        assert project.ids() == []

    def test_order_is_that_of_names_and_of_the_file(self, project):
        project.ini("markers = slow: takes long")
        for name in ("b.sandbox.js", "a.sandbox.js", "A.sandbox.js", "c/a.sandbox.js"):
            project.write(name, CASES if name.startswith("b") else PASS)
        ids = project.ids()
        files = list(dict.fromkeys(name.partition("::")[0] for name in ids))
        assert files == sorted(files)
        assert [name for name in ids if name.startswith("b")] == [f"b.sandbox.js::{n}" for n in ("one", "two", "three")]

    def test_a_project_without_such_files_pays_nothing(self, project):
        project.write(
            "test_a.py", "import sys\ndef test():\n    assert not [n for n in sys.modules if 'goccia_tools' in n]\n"
        )
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=project.path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout

    def test_the_plugin_is_quick_to_import(self):
        code = "import sys, pytest; old = set(sys.modules); import pytest_goccia.plugin; print(set(sys.modules) - old)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert eval(done.stdout) <= {"pytest_goccia", "pytest_goccia.plugin", "fnmatch"}


class TestItems:
    @pytest.fixture
    def items(self, project):
        project.write("sub/a.sandbox.js", CASES)
        project.write("sub/b.sandbox.js", "/*---\nfixtures: [data]\ndescription: with a fixture\n---*/\n1;\n")
        project.write("sub/bad.sandbox.js", "/*---\n\nexpct: 1\n---*/\n")
        project.write("conftest.py", "import pytest\n@pytest.fixture\ndef data():\n    return 1\n")
        project.ini("markers = slow: takes long")
        return project.pytester.inline_genitems()[0]

    def test_discovery_of_an_editor_finds_path_line_and_parents(self, items):
        """microsoft/vscode-python#22668, #19498: an item without these lost the whole tree."""
        assert [item.nodeid.partition("::")[2] for item in items] == ["one", "two", "three", "b", "bad"]
        for item in items:
            path, line, name = item.location
            assert path == f"sub/{item.path.name}"
            assert isinstance(line, int)
            assert line >= 0
            assert name == item.name
            assert item.path.is_file()
            assert isinstance(item.parent, pytest.File)
            assert item.parent.path == item.path
            assert isinstance(item.parent.parent, pytest.Directory)
            assert "\\" not in item.nodeid
            assert callable(item.obj)
            assert item.obj.__name__
            assert isinstance(item.fixturenames, list)
        assert [item.location[1] for item in items] == [2, 3, 4, 0, 2]
        assert items[3].obj.__doc__ == "with a fixture"
        assert "data" in items[3].fixturenames

    def test_every_item_has_the_mark(self, items):
        assert all(item.get_closest_marker("sandbox") for item in items)
        assert items[2].get_closest_marker("slow")

    def test_setup_plan_and_fixtures_per_test_do_not_stumble(self, project, items):
        """pytest-dev/pytest#5884."""
        for option in ("--setup-plan", "--fixtures-per-test", "--setup-show"):
            assert "INTERNALERROR" not in project.run(option).stdout.str()


class TestSelection:
    @pytest.fixture
    def cases(self, project):
        project.ini("markers = slow: takes long")
        project.write("a.sandbox.js", CASES)
        project.write("b.sandbox.js", PASS)
        project.write("test_c.py", "def test_c():\n    pass\n")
        return project

    @pytest.mark.parametrize(
        ("arguments", "ids"),
        [
            (["-k", "two"], ["two"]),
            (["-k", "a.sandbox.js and not two"], ["one", "three"]),
            (["-m", "sandbox"], ["one", "two", "three", "b"]),
            (["-m", "slow"], ["three"]),
            (["-m", "not sandbox"], ["test_c"]),
            (["a.sandbox.js::two", "b.sandbox.js"], ["two", "b"]),
            (["--deselect", "a.sandbox.js::one"], ["two", "three", "b", "test_c"]),
        ],
    )
    def test_by_expression_mark_and_id(self, cases, arguments, ids):
        assert [name.partition("::")[2] for name in cases.ids("--strict-markers", *arguments)] == ids

    def test_the_last_failed_first_and_stepwise(self, cases):
        cases.run().assert_outcomes(passed=4, failed=1)
        cases.run("--lf").assert_outcomes(failed=1)
        assert cases.run("--ff", "-v").outlines[-1]
        cases.run("--sw").assert_outcomes(failed=1)
        cases.run("-x").assert_outcomes(failed=1)
        cases.write("a.sandbox.js", CASES.replace("resultValue: 2", "resultValue: 1"))
        cases.run("--lf").assert_outcomes(passed=1)

    def test_ids_stay_when_lines_are_added_above(self, cases):
        before = cases.ids()
        cases.write("a.sandbox.js", "// a line\n\n" + CASES)
        assert cases.ids() == before

    def test_durations_and_collect_only(self, cases):
        assert "a.sandbox.js::one" in cases.run("--durations=0", "-vv").stdout.str()
        cases.run("--co").stdout.fnmatch_lines(["*<SandboxFile a.sandbox.js>*", "*<SandboxItem one>*"])

    def test_two_cases_of_one_name_are_two_ids_for_last_failed(self, project):
        """Duplicate ids lose failures: the first fails, the second passes, and --lf must run the first."""
        project.write("a.sandbox.js", "/*---\ncases: [{name: d, expect: {resultValue: 2}}, {name: d}]\n---*/\n1;\n")
        project.run().assert_outcomes(passed=1, failed=1)
        result = project.run("--lf", "-v")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*a.sandbox.js::d FAILED*"])

    def test_an_unknown_mark_is_told_at_its_place(self, project):
        project.write("a.sandbox.js", "/*---\nmarks: [unheard]\n---*/\n1;\n")
        project.run("--strict-markers").stdout.fnmatch_lines(["a.sandbox.js:1: 'unheard' not found in `markers`*"])
        project.run("-W", "error").stdout.fnmatch_lines(["a.sandbox.js:1: Unknown pytest.mark.unheard*"])
        result = project.run("-W", "always")
        result.assert_outcomes(passed=1, warnings=1)
        result.stdout.fnmatch_lines(["a.sandbox.js:1", "*Unknown pytest.mark.unheard*"])


def test_the_order_is_the_same_in_every_worker(project):
    """pytest-dev/pytest-xdist#198, #366: two hundred files, four workers, random hashes."""
    for number in range(200):
        project.write(
            f"d{number % 7}/t{number}.sandbox.js", PASS if number % 50 else CASES.replace(", marks: [slow]", "")
        )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "4", "-p", "no:cacheprovider", "-k", "t1 and not one"],
        cwd=project.path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Different tests were collected" not in done.stdout
    assert done.returncode == 0, done.stdout[-2000:]
