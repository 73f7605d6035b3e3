"""``%%sandbox`` and ``%sandbox`` in an IPython shell."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading

import pytest
from IPython.core.error import UsageError

import goccia_tools
from goccia_tools import FailureKind, RunFailed
from goccia_tools.magic.source import keep_source

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class TestShowing:
    def test_output_value_and_files(self, notebook):
        shown = notebook.cell(
            "", 'import fs from "fs"; console.log("hi"); fs.writeFileSync("/a.txt", "x\\n"); ({ a: [1, 2] });'
        )
        assert shown.plain == (
            "ok: /cell.js ran, 1 file change\noutput:\n  hi\nvalue:\n  { a: [1, 2] }\n/a.txt: created, 2 bytes\n  +x"
        )
        assert shown.error is None

    def test_the_text_is_the_same_each_time(self, notebook):
        assert notebook.cell("", "console.log(1);").plain == notebook.cell("", "console.log(1);").plain

    def test_nothing_is_shown_for_undefined(self, notebook):
        assert notebook.cell("", "undefined;").plain == "ok: /cell.js ran"

    def test_all_console_lines_come_in_order(self, notebook):  # deno#24437
        shown = notebook.cell("", "for (const i of [1, 2, 3, 4, 5]) { console.log(i); }")
        assert shown.plain.split("\n")[2:] == [f"  {i}" for i in range(1, 6)]

    def test_quiet_shows_nothing_and_keeps_the_result(self, notebook):
        assert notebook.cell("--quiet --out r", "console.log(1);").outputs == []
        assert notebook.names["r"].output == "1\n"

    def test_an_image_the_program_wrote(self, notebook):
        shown = notebook.cell(
            "--show /dot.png --show no.svg",
            f'import fs from "fs"; fs.writeFileSync("/dot.png", "{PNG}", "base64");',
        )
        if "is not shown" in shown.plain:  # the encoding argument is not the reference's: write bytes instead
            shown = notebook.cell(
                "--show /dot.png --show no.svg",
                f'import fs from "fs"; const b = atob("{PNG}");'
                ' fs.writeFileSync("/dot.png", Uint8Array.from(b, (c) => c.charCodeAt(0)));',
            )
        assert "image /dot.png, " in shown.plain
        assert 'src="data:image/png;base64,iVBOR' in shown.html
        assert "note: --show /no.svg: the program wrote no such file" in shown.plain

    def test_capture_takes_it(self, notebook):
        notebook.run("%%capture kept\nget_ipython().run_cell_magic('sandbox', '', 'console.log(7);')")
        assert "7" in notebook.names["kept"].outputs[0].data["text/plain"]


class TestSource:
    @pytest.mark.parametrize(
        "source",
        [
            "const a = 1; const $b = `${a} {a} $a`; console.log($b, '!ls', '%x', '?');",
            "console.log('é😀\\u2028x');",
            "console.log('a\u2028b');",
            "console.log(1) ;  // trailing ?",
            "console.log(`a\n   \n\t\nb`);",
            "  console.log(`1\n  2`);\n",
            "console.log(`\n>>> 1\n... 2\n`);",
        ],
    )
    def test_the_program_is_what_was_written(self, notebook, source):
        notebook.names["a"] = "PYTHON"
        shown = notebook.cell("--out r", f'{source}\nimport fs from "fs"; fs.readFileSync("/cell.js", "utf8");')
        assert shown.error is None
        assert notebook.names["r"].result_value.startswith(f"{source}\nimport fs")

    def test_a_cell_is_handed_over_once_however_often_the_extension_is_loaded(self, notebook):
        goccia_tools.load_ipython_extension(notebook.shell)
        transforms = notebook.shell.input_transformers_cleanup
        assert transforms.count(keep_source) == 1
        goccia_tools.unload_ipython_extension(notebook.shell)
        assert keep_source not in transforms

    def test_ipython_still_waits_for_the_end_of_a_cell(self, notebook):
        assert notebook.shell.check_complete("%%sandbox\n1;\n")[0] == "incomplete"

    def test_names_can_be_declared_again(self, notebook):  # ijavascript#107
        for _ in range(2):
            assert notebook.cell("", "const x = 1;").error is None

    def test_line_one_is_the_first_line_below_the_magic(self, notebook):
        shown = notebook.cell("", "\nnope nope;")
        assert "--> /cell.js:2:" in "\n".join(shown.error._render_traceback_())

    def test_a_module_and_a_path(self, notebook):
        notebook.cell("--module --entry /m.mjs --out r", "export const a = 1; console.log(import.meta.url);")
        assert notebook.names["r"].output.endswith("/m.mjs\n")

    def test_a_file_of_this_machine(self, notebook, tmp_path):
        (tmp_path / "my prog.js").write_text("console.log('from a file');")
        shown = notebook.cell(f'--file "{tmp_path / "my prog.js"}"', "\n")
        assert "from a file" in shown.plain
        assert "/my prog.js ran" in shown.plain
        notebook.run(f'r = %sandbox --file "{tmp_path / "my prog.js"}"')
        assert notebook.names["r"].output == "from a file\n"


class TestLineMagic:
    def test_it_gives_the_result(self, notebook):
        shown = notebook.run("r = %sandbox 1 + 1")
        assert (notebook.names["r"].result_value, shown.outputs) == (2, [])

    def test_its_display_has_text_and_html(self, notebook):
        shown = notebook.run("%sandbox --timeout 1s `a${1}`")
        data = notebook.shell.display_formatter.format(shown.result)[0]
        assert 'value:\n  "a1"' in data["text/plain"]
        assert data["text/html"].startswith("<div")

    def test_nothing_to_run(self, notebook):
        assert isinstance(notebook.run("%sandbox").error, UsageError)
        assert isinstance(notebook.cell("", "\n").error, UsageError)


class TestValues:
    def test_in_and_out(self, notebook):
        notebook.names["rows"] = [{"n": 1}, {"n": 2}]
        notebook.cell(
            "--in rows --var half=1/2 --out r --value v --stdout s --stderr e",
            'import { rows, half } from "sandbox:in"; console.log(half); rows.map((row) => row.n * 2);',
        )
        assert notebook.names["v"] == [2, 4]
        assert (notebook.names["s"], notebook.names["e"]) == ("0.5\n", "")
        assert notebook.names["r"].ok

    def test_a_whole_long_line_comes_out(self, notebook):  # ipython#13499, #14019
        notebook.cell("--stdout s", "console.log('*'.repeat(200000));")
        assert notebook.names["s"] == "*" * 200000 + "\n"

    def test_underscore_holds_the_result(self, notebook):
        notebook.cell("", "1;")
        assert notebook.run("_").result.result_value == 1

    def test_a_result_can_be_copied(self, notebook):
        notebook.cell("--out r", "1;")
        result = notebook.names["r"]
        assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("--in nowhere", "--in nowhere: there is no Python variable of that name"),
            ("--in thing", "thing is a object"),
            ("--var x=1/0", "ZeroDivisionError"),
        ],
    )
    def test_what_cannot_go_in(self, notebook, line, message):
        notebook.names["thing"] = object()
        error = notebook.cell(line, "1;").error
        assert isinstance(error, UsageError)
        assert message in str(error)


class TestFiles:
    def test_they_go_on_under_a_name(self, notebook):
        notebook.cell("--fs a", 'import fs from "fs"; fs.mkdirSync("/d"); fs.writeFileSync("/d/x", "1");')
        notebook.cell("--fs a", 'import fs from "fs"; fs.appendFileSync("/d/x", "2");')
        notebook.cell("--fs b", "1;")
        assert notebook.names["sandbox_files"]("a") == {"/d/x": b"12"}
        assert notebook.names["sandbox_files"]("b") == {}
        notebook.cell("--fs a", 'import fs from "fs"; fs.rmSync("/d", { recursive: true });')
        assert notebook.names["sandbox_files"]("a") == {}

    def test_an_unknown_name(self, notebook):
        notebook.cell("--fs lesson", "1;")
        error = notebook.run("sandbox_files('leson')").error
        assert 'did you mean "lesson"?' in str(error)

    def test_a_named_cell_can_be_imported_by_later_ones(self, notebook):
        notebook.cell("--fs a --name /lib.js --module", "export const one = 1;")
        assert notebook.cell("--fs a", 'import { one } from "/lib.js"; one;').plain.endswith("value:\n  1")

    def test_values_do_not_go_on(self, notebook):
        notebook.names["x"] = 1
        notebook.cell("--fs a --in x", "1;")
        assert notebook.names["sandbox_files"]("a") == {}

    def test_folders_in_and_out(self, notebook, tmp_path):
        source = tmp_path / "in"
        source.mkdir()
        (source / "n.txt").write_text("41")
        shown = notebook.cell(
            f"--fs-in '{source}' --fs-out '{tmp_path / 'out'}'",
            'import fs from "fs"; fs.mkdirSync("/deep"); fs.rmSync("/n.txt"); fs.writeFileSync("/deep/m.txt", "42");',
        )
        assert (tmp_path / "out/deep/m.txt").read_text() == "42"
        assert "note: 1 file written to" in shown.plain
        assert (source / "n.txt").exists()

    def test_nothing_is_written_through_links(self, notebook, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        (tmp_path / "secret").write_text("keep")
        (tmp_path / "elsewhere").mkdir()
        (out / "link").symlink_to(tmp_path / "secret")
        (out / "dir").symlink_to(tmp_path / "elsewhere")
        shown = notebook.cell(
            f"--fs-out '{out}'",
            'import fs from "fs"; fs.mkdirSync("/dir"); fs.writeFileSync("/link", "x");'
            ' fs.writeFileSync("/dir/y", "x"); fs.writeFileSync("/../../up", "x");',
        )
        assert (tmp_path / "secret").read_text() == "keep"
        assert list((tmp_path / "elsewhere").iterdir()) == []
        assert (out / "up").read_text() == "x"
        assert "note: /link was not written to" in shown.plain
        assert "note: /dir/y was not written to" in shown.plain


class TestFailing:
    @pytest.mark.parametrize(
        ("line", "source", "name", "text"),
        [
            ("", "throw new TypeError('no');", "ScriptError", "TypeError: no"),
            ("", "throw 'hi';", "ScriptError", "hi"),
            ("--timeout 50 --compat all", "while (true);", "Timeout", "timed out after 50ms"),
            ("--max-instructions 20000 --compat all", "while (true);", "ResourceLimit", "instruction"),
        ],
    )
    def test_it_raises_by_the_name_of_its_kind(self, notebook, line, source, name, text):
        shown = notebook.cell(line, source)
        assert type(shown.error).__name__ == name
        assert isinstance(shown.error, RunFailed)
        assert text in str(shown.error)
        assert text in "\n".join(shown.error._render_traceback_())
        assert not shown.error.result.ok

    def test_what_came_before_is_shown_and_the_report_once(self, notebook):
        shown = notebook.cell("--out r", "console.log('first'); throw new Error('then');")
        assert shown.plain == "script-error: /cell.js failed\noutput:\n  first"
        assert notebook.names["r"].failure_kind == FailureKind.SCRIPT_ERROR

    def test_without_raising_the_report_is_part_of_the_display(self, notebook):
        for line in ("--no-raise-error", "--expect script-error"):
            shown = notebook.cell(line, "nope nope;")
            assert shown.error is None
            assert "error:\n  SyntaxError" in shown.plain
            assert "SyntaxError" in shown.html
        assert "as expected" in shown.plain

    def test_another_ending_than_expected(self, notebook):
        error = notebook.cell("--expect timeout", "1;").error
        assert "--expect timeout: the run ended with none" in str(error)
        assert "--expect timeout" in error._render_traceback_()[0]

    def test_the_default_can_be_set(self, notebook):
        notebook.run("%config Sandbox.raise_error = False")
        assert notebook.cell("", "throw 1;").error is None


class TestSettings:
    def test_defaults_and_the_line_over_them(self, notebook):
        notebook.run("%config Sandbox.timeout_ms = 40")
        notebook.run("%config Sandbox.compat = 'all'")
        assert "after 40ms" in str(notebook.cell("", "while (true);").error)
        assert "after 60ms" in str(notebook.cell("--timeout 60", "while (true);").error)

    def test_output_is_cut_where_said(self, notebook):
        notebook.run("%config Sandbox.max_output_lines = 4")
        shown = notebook.cell("--stdout s --compat all", "for (let i = 0; i < 9; i++) console.log(i);")
        assert shown.plain.split("\n")[2:] == ["  0", "  1", "  … 5 lines (10 bytes) not shown …", "  7", "  8"]
        assert notebook.names["s"].count("\n") == 9

    def test_text_alone(self, notebook):
        notebook.run("%config Sandbox.display = 'text'")
        assert notebook.cell("", "1;").outputs[0].data.keys() == {"text/plain"}

    def test_a_wrong_setting_is_refused(self, notebook, caplog):
        notebook.run("%config Sandbox.jail = 'maybe'")
        assert "expected any of ['auto', 'required', 'off']" in caplog.text
        sandbox = next(item for item in notebook.shell.configurables if type(item).__name__ == "Sandbox")
        assert sandbox.jail == "auto"

    def test_a_unified_diff(self, notebook):
        source = 'import fs from "fs"; fs.writeFileSync("/a", "x\\n");'
        assert "+x" in notebook.cell("--diff unified --out r", source).plain
        assert notebook.names["r"].diff.startswith("--- ")
        assert isinstance(notebook.cell("--diff unified --fs a", source).error, UsageError)
        assert "/a" not in notebook.cell("--no-diff", source).plain


class TestExtension:
    def test_loading_twice_is_harmless(self, notebook):
        goccia_tools.load_ipython_extension(notebook.shell)
        assert [type(item).__name__ for item in notebook.shell.configurables].count("Sandbox") == 1

    def test_unloading_takes_it_away(self, notebook):
        goccia_tools.unload_ipython_extension(notebook.shell)
        assert isinstance(notebook.cell("", "1;").error, UsageError)
        assert "sandbox_files" not in notebook.names

    def test_help_lists_the_options(self, notebook):
        assert "--fs-out DIR" in notebook.shell.magics_manager.magics["cell"]["sandbox"].__doc__

    def test_wrong_lines_are_usage_errors(self, notebook):
        for line in ("--tiemout 2", '--file "x', "--seed =x", "--fs-in /nowhere/at/all"):
            assert isinstance(notebook.cell(line, "1;").error, UsageError), line

    def test_a_thread_and_a_running_loop(self, notebook):
        def cell():
            notebook.shell.run_cell_magic("sandbox", "--quiet --out threaded", "1;")

        thread = threading.Thread(target=cell)
        thread.start()
        thread.join()

        async def inside():
            notebook.shell.run_cell_magic("sandbox", "--quiet --out looped", "2;")

        asyncio.run(inside())
        assert (notebook.names["threaded"].result_value, notebook.names["looped"].result_value) == (1, 2)
