"""``pytest --sandbox-notebooks``: cells of notebooks as tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

LOAD = "%load_ext goccia_tools"
OK = "ok: /cell.js ran"


def text(plain):
    return {"output_type": "display_data", "data": {"text/plain": plain, "text/html": "<p>x</p>"}, "metadata": {}}


def code(source, *outputs, tags=(), **fields):
    return {"cell_type": "code", "execution_count": 1 if outputs else None, "metadata": {"tags": list(tags)},
            "outputs": list(outputs), "source": source, **fields}  # fmt: skip


def write(project, *cells, name="a.ipynb", minor=4, **fields):
    node = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": minor, **fields}
    return project.write(name, json.dumps(node, indent=1))


def outcomes(project, *arguments):
    """The outcome of every item, by the part of its id behind the file, and everything that was printed."""
    result = project.run("--sandbox-notebooks", "-rA", "-v", *arguments)
    shown = "\n".join(result.outlines)
    found = re.findall(r"^\S*\.ipynb::(\S+) (PASSED|FAILED|SKIPPED|ERROR)", shown, re.MULTILINE)
    return dict(found), shown


class TestCollection:
    def test_only_when_asked_for(self, project):
        write(project, code("%%sandbox\n1;"))
        assert project.ids() == []
        assert project.ids("--sandbox-notebooks") == ["a.ipynb::cell-1"]
        project.ini("sandbox_notebooks = true")
        assert project.ids() == ["a.ipynb::cell-1"]

    def test_cells_have_the_number_that_a_reader_sees_and_their_id(self, project):  # nbval#171
        markdown = {"cell_type": "markdown", "metadata": {}, "source": "%%sandbox"}
        write(project, markdown, code(LOAD, id="a"), code("", id="b"), code("%%sandbox\n1;", id="c-d"), minor=5)
        assert project.ids("--sandbox-notebooks") == ["a.ipynb::cell-2[c-d]"]

    def test_ids_that_are_missing_doubled_or_odd(self, project):
        cells = [code("%%sandbox\n1;", id=name) for name in ("x", "x", "a::b\n]")]
        write(project, *cells, code("%%sandbox\n1;"), minor=5)
        ids = project.ids("--sandbox-notebooks")
        assert ids[:2] == ["a.ipynb::cell-1[x]", "a.ipynb::cell-2[x]"]
        assert ids[3] == "a.ipynb::cell-4"
        assert len(ids) == 4
        assert len(outcomes(project)[0]) == 4

    def test_one_cell_can_be_chosen(self, project):
        write(project, code("%%sandbox\n1;", id="x"), code("%%sandbox\nnull.x;", id="y"), minor=5)
        assert outcomes(project, "a.ipynb::cell-1[x]")[0] == {"cell-1[x]": "PASSED"}
        assert outcomes(project, "a.ipynb::cell-2")[0] == {"cell-2[y]": "FAILED"}

    def test_the_place_is_the_line_of_the_cell_in_the_file(self, project):  # vscode-python#22668
        path = write(project, code(LOAD), code(["%%sandbox\n", "null.x;"]))
        line = next(n for n, line in enumerate(path.read_text().split("\n"), 1) if "%%sandbox" in line)
        project.run("--sandbox-notebooks", "--junitxml=r.xml", "-o", "junit_family=xunit1")
        assert f'line="{line - 1}"' in (project.path / "r.xml").read_text()

    def test_notebooks_that_jupyter_or_a_package_keeps_are_not_tests(self, project):
        project.ini("norecursedirs = nothing")
        for folder in (".ipynb_checkpoints", "node_modules/x"):
            write(project, code("%%sandbox\n1;"), name=f"{folder}/a.ipynb")
        assert project.ids("--sandbox-notebooks") == []

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("", "it is empty"),
            ('{"cells": [', "it is not JSON: Expecting value at line 1, column 12, where the file ends"),
            ('{"nbformat": 9, "cells": []}', "it is of nbformat 9; versions up to 4 can be read"),
        ],
    )
    def test_a_broken_notebook_is_one_failing_item(self, project, content, reason):
        project.write("bad.ipynb", content)
        write(project, code("%%sandbox\n1;"))
        found, shown = outcomes(project)
        assert found == {"cell-1": "PASSED", "notebook": "FAILED"}
        assert f"bad.ipynb: {reason}" in shown

    def test_without_nbformat_it_says_what_to_install(self, project):
        project.write("conftest.py", "import sys\nsys.modules['nbformat'] = None\n")
        done = subprocess.run(
            [sys.executable, "-c", "import sys; sys.modules['nbformat'] = None; import pytest;"
             " sys.exit(pytest.main(['--sandbox-notebooks', '-p', 'no:nbval']))"],
            cwd=project.path, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 4
        assert "pip install 'goccia-tools[notebook]'" in done.stderr


class TestComparison:
    def test_the_stored_output(self, project):
        write(
            project,
            code("%%sandbox\nconsole.log(1);", text(f"{OK}\noutput:\n  1")),
            code("%%sandbox\nconsole.log(2);", text(f"{OK}\noutput:\n  1"), id="abc"),
        )
        found, shown = outcomes(project)
        assert found == {"cell-1": "PASSED", "cell-2[abc]": "FAILED"}
        failure = shown[shown.index("a.ipynb: cell 2 (id abc)") :].split("\n")
        assert [line.strip() for line in failure[:6]] == [
            "a.ipynb: cell 2 (id abc)",
            "the output is not the stored one (- stored, + now):",
            OK,
            "output:",
            "-   1",
            "+   2",
        ]
        assert "rerun: pytest --sandbox-notebooks 'a.ipynb::cell-2[abc]'" in shown

    def test_without_stored_output_a_cell_must_not_raise(self, project):
        write(
            project,
            code("%%sandbox\n1;"),
            code("%%sandbox\nconst a = ;"),
            code("%%sandbox --no-raise-error\nnull.x;"),
            code("%%sandbox --expect script-error\nnull.x;"),
            code("%%sandbox --expect timeout\n1;"),
            code("%%sandbox\nnull.x;", tags=["raises-exception"]),
        )
        found, shown = outcomes(project)
        assert list(found.values()) == ["PASSED", "FAILED", "PASSED", "PASSED", "FAILED", "PASSED"]
        assert "ScriptError: SyntaxError" in shown
        assert "--> /cell.js:1:" in shown
        assert "--expect timeout: the run ended with none" in shown

    def test_tags(self, project):
        write(
            project,
            code("%%sandbox\nMath.random();", text("value: 0.5"), tags=["nbval-ignore-output"]),
            code("%%sandbox\nnull.x;", tags=["nbval-skip"]),
            code("%%sandbox\nnull.x;", tags=["skip-execution"]),
        )
        found, shown = outcomes(project)
        assert list(found.values()) == ["PASSED", "SKIPPED", "SKIPPED"]
        assert "cell 2: it has the tag nbval-skip" in shown

    def test_a_line_that_the_magic_refuses(self, project):
        write(project, code("%%sandbox --timeot 3\n1;"), code("%%sandbox --fs-in nowhere\n1;"))
        found, shown = outcomes(project)
        assert list(found.values()) == ["FAILED", "FAILED"]
        assert 'did you mean "--timeout' in shown

    def test_what_the_machine_lacks_is_no_difference(self, project):
        write(
            project, code("%%sandbox\n1;", text(f"{OK}\nvalue:\n  1\nnote: jail auto: rlimits; not applied: landlock"))
        )
        assert outcomes(project)[0] == {"cell-1": "PASSED"}

    def test_a_machine_that_cannot_run_it_is_an_error_and_no_failure(self, project):
        write(project, code("%%sandbox --engine goccia --runner /nowhere\n1;"))
        assert project.run("--sandbox-notebooks").parseoutcomes() == {"errors": 1}

    def test_control_characters_do_not_reach_the_report(self, project):  # pytest#404
        write(project, code("%%sandbox\nconsole.log('\\u001b[31mx\\u0000');", text("other\x1b[2J\x00")))
        project.run("--sandbox-notebooks", "--junitxml=r.xml")
        assert "\x1b" not in (project.path / "r.xml").read_text()


class TestFiles:
    def test_cells_of_one_name_share_files_in_any_order_of_running(self, project):
        write(
            project,
            code("%%sandbox --fs a\nimport fs from 'fs'; fs.writeFileSync('/n.txt', '1');"),
            code("%%sandbox --fs a\nimport fs from 'fs'; fs.appendFileSync('/n.txt', '2');"),
            code("%%sandbox\nimport fs from 'fs'; fs.existsSync('/n.txt');", text(f"{OK}\nvalue:\n  false")),
            code(
                "%%sandbox --fs a\nimport fs from 'fs'; fs.readFileSync('/n.txt', 'utf8');",
                text(f'{OK}\nvalue:\n  "12"'),
            ),
        )
        assert set(outcomes(project)[0].values()) == {"PASSED"}
        assert outcomes(project, "a.ipynb::cell-4")[0] == {"cell-4": "PASSED"}

    def test_a_failed_cell_leaves_what_it_wrote_and_a_refused_one_nothing(self, project):
        write(
            project,
            code("%%sandbox --fs a --no-raise-error\nimport fs from 'fs'; fs.writeFileSync('/n.txt', '1'); null.x;"),
            code("%%sandbox --fs a --fs-in /nowhere/at/all\n1;"),
            code(
                "%%sandbox --fs a\nimport fs from 'fs'; fs.readFileSync('/n.txt', 'utf8');",
                text(f'{OK}\nvalue:\n  "1"'),
            ),
        )
        assert outcomes(project, "a.ipynb::cell-3")[0] == {"cell-3": "PASSED"}

    def test_paths_are_of_the_folder_of_the_notebook_and_nothing_is_written_there(self, project):
        project.write("sub/data/x.txt", "hello")
        project.write("sub/p.js", "1 + 1;")
        write(
            project,
            code("%%sandbox --fs-in data --fs-out out\nimport fs from 'fs'; fs.writeFileSync('/y', '');"
                 " fs.readFileSync('/x.txt', 'utf8');",
                 text(f"{OK}, 1 file change\nvalue:\n  \"hello\"\n/y: created, 0 bytes\nnote: 1 file written to out")),
            code("%%sandbox --file p.js", text("ok: /p.js ran\nvalue:\n  2")),
            code("%%sandbox --fs-in out\n1;"),
            name="sub/a.ipynb",
        )  # fmt: skip
        found, shown = outcomes(project)
        assert list(found.values()) == ["PASSED", "PASSED", "SKIPPED"], shown
        assert "reads out, which cell 1 writes" in shown
        assert not (project.path / "sub/out").exists()


class TestWhatNeedsAKernel:
    def test_values_and_what_comes_from_cells_with_values(self, project):
        write(
            project,
            code("%%sandbox --in prices,rates --fs a\n1;"),
            code("%%sandbox --fs a\n1;"),
            code("%%sandbox --var n=len(x)\n1;"),
            code("%%sandbox --var n=[1,2]\nimport { n } from 'sandbox:in'; n.length;", text(f"{OK}\nvalue:\n  2")),
            code("%sandbox --fs b 1 + 1"),
            code("%%sandbox --fs b\n1;"),
        )
        found, shown = outcomes(project)
        assert list(found.values()) == ["SKIPPED", "SKIPPED", "SKIPPED", "PASSED", "SKIPPED"]
        for reason in (
            "cell 1: it needs Python values that only a kernel has: --in prices, rates",
            "cell 2: it gets files (--fs a) from cell 1: it needs Python values",
            "cell 3: it needs a Python value that only a kernel has: --var n=len(x)",
            "cell 6: it gets files (--fs b) from cell 5: runs Python",
        ):
            assert reason in shown

    def test_config_lines_are_read_where_they_are_plain(self, project):
        write(
            project,
            code("%config Sandbox.compat = 'all'\n%config Sandbox.raise_error = False"),
            code("%%sandbox\nvar a = 1; a;", text(f"{OK}\nvalue:\n  1")),
            code("%%sandbox\nnull.x;"),
            code("%config Sandbox.timeout_ms = limit"),
            code("%%sandbox\n1;"),
        )
        found, shown = outcomes(project)
        assert list(found.values()) == ["PASSED", "PASSED", "SKIPPED"]
        assert "cell 4 sets Sandbox.timeout_ms to limit" in shown


class TestARealNotebook:
    CELLS = (
        LOAD,
        "%%sandbox\nconsole.log('hi'); console.warn('w'); ({ a: [1, 2] });",
        "%%sandbox --fs shop\nimport fs from 'fs';\nfs.writeFileSync('/a.txt', 'x\\n');",
        "%%sandbox --fs shop\nimport fs from 'fs'; fs.writeFileSync('/a.txt', 'y'); fs.readFileSync('/a.txt', 'utf8');",
        "%%sandbox\nconsole.log('before');\nnull.x;",
        "%%sandbox --expect timeout --timeout 200 --compat all\nwhile (true);",
        "%%sandbox --no-raise-error\nconst a = ;",
        "%%sandbox --quiet\n1;",
        "%%sandbox --expect timeout\n1;",
        "%%sandbox\nconsole.log(`a\n   \n... b`);",
        "%config Sandbox.max_output_lines = 3",
        "%%sandbox\nfor (const i of [1, 2, 3, 4, 5, 6, 7, 8]) { console.log(i); }",
        "x = 5",
        "%%sandbox --in x\n1;",
    )

    def test_what_a_kernel_stores_is_what_is_compared(self, project, monkeypatch):
        monkeypatch.setenv("IPYTHONDIR", str(project.path / "ipython"))
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in self.CELLS])
        NotebookClient(made, timeout=60, kernel_name="python3", allow_errors=True).execute()
        nbformat.write(made, project.path / "real.ipynb")
        result = project.run("--sandbox-notebooks", "-rA")
        result.assert_outcomes(passed=10, skipped=1)
        self.break_outputs(made, project.path / "real.ipynb")
        result = project.run("--sandbox-notebooks", "-n", "2")
        result.assert_outcomes(passed=1, failed=9, skipped=1)  # the quiet one has nothing to break

    @staticmethod
    def break_outputs(made, path: Path) -> None:
        for cell in made.cells:
            for output in cell.outputs[-1:]:
                if output.output_type == "error":
                    output.traceback.append("more")
                elif "data" in output:
                    output.data["text/plain"] += "\nmore"
        nbformat.write(made, path)
