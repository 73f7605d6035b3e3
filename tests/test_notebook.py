"""Notebooks read without a kernel: versions, ids, damage, and cells as IPython would take them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from goccia_tools.errors import OptionError
from goccia_tools.magic.source import keep_source
from goccia_tools.notebook import CodeCell, NotebookError, parse_notebook, read_notebook

PATH = Path("some.ipynb")


def code(source, **fields):
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source, **fields}


def notebook(*cells, minor=5, **fields):
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": minor, **fields}


def parsed(node):
    return parse_notebook(json.dumps(node).encode(), PATH)


class TestCells:
    def test_numbers_are_those_of_a_run_from_top_to_bottom(self):  # nbval#171, #49
        cells = parsed(
            notebook(
                {"cell_type": "markdown", "metadata": {}, "source": "# %%sandbox"},
                code("%load_ext goccia_tools", id="a"),
                code("  \n", id="blank"),
                code("%%sandbox --timeout 2s\n1;\n", id="b"),
            )
        ).cells
        assert [(cell.number, cell.id, cell.line) for cell in cells] == [(1, "a", None), (2, "b", "--timeout 2s")]
        assert cells[1].arguments.settings == {"timeout": 2000}
        assert cells[1].program == "1;\n"
        assert cells[1].place == "cell 2 (id b)"

    def test_what_is_stored_with_a_cell(self):
        output = {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]}
        cell = parsed(
            notebook(code(["%%sandbox\n", "1;"], outputs=[output], execution_count=3, metadata={"tags": ["x", 1]}))
        ).sandbox_cells[0]
        assert cell.outputs[0]["text"] == "a\nb"
        assert (cell.tags, cell.executed, cell.id) == (frozenset({"x"}), True, None)

    def test_a_line_the_magic_refuses_is_told_when_asked_for(self):
        cell = parsed(notebook(code("%%sandbox --timeot 2\n1;"))).sandbox_cells[0]
        with pytest.raises(OptionError, match=r'did you mean "--timeout'):
            _ = cell.arguments

    @pytest.mark.parametrize("text", ["%%sandbox?", "%%sandboxed\n1;", "x = 1\n%%sandbox\n1;", "%sandbox 1", "%%js\n1"])
    def test_other_cells_are_not_taken(self, text):
        assert parsed(notebook(code(text))).sandbox_cells == ()


HEADS = st.sampled_from(["", "\n\n", " \n\t\n"])
LINES = st.sampled_from(["", " ", "  --in a b ", " --file 'C:\\My Dir\\a.js'", "?", "ed", "\t--quiet", " {x} $y !z"])
BODIES = st.text(alphabet=st.sampled_from("a;'\"\\ \t\n\r$`{}!?%\u2028é.>"), max_size=40)


def handed_over(text, *transforms):
    """What IPython runs for a cell: the arguments of run_cell_magic, or None when it is no cell of this magic."""
    manager = TransformerManager()
    manager.cleanup_transforms[:0] = transforms
    try:
        taken = manager.transform_cell(text)
    except SyntaxError:  # of an indentation that is neither ours nor Python's
        return None
    match = re.fullmatch(r"get_ipython\(\)\.run_cell_magic\((.*)\)\n", taken, re.DOTALL)
    return eval(f"({match[1]})")[1:] if match and match[1].startswith("'sandbox', ") else None


@given(head=HEADS, line=LINES, body=BODIES)
def test_the_program_is_the_text_below_the_line_to_the_byte(head, line, body):
    cell = CodeCell(1, None, f"{head}%%sandbox{line}\n{body}")
    given_to_magic = handed_over(cell.text, keep_source)
    assert given_to_magic == (None if cell.line is None else (cell.line, cell.program))
    if cell.line is not None:
        assert cell.program == (body if body.endswith("\n") or not body else f"{body}\n")


@given(head=st.sampled_from(["%%sandbox", "  %%sandbox", "\t%%sandbox --in a", "x\n%%sandbox", "%%sandbox?", "%%sand"]),
       body=st.sampled_from(["", "a;", "  a;", "  a;\n    b;\n", "\ta;\n\tb;", "%%sandbox\n1;"]))  # fmt: skip
def test_what_is_a_cell_is_what_ipython_takes_for_one(head, body):
    cell = CodeCell(1, None, f"{head}\n{body}")
    assert handed_over(cell.text) == (None if cell.line is None else (cell.line, cell.program))
    assert handed_over(cell.text, keep_source) == handed_over(cell.text)


class TestVersions:
    @pytest.mark.parametrize("minor", [0, 1, 2, 3, 4, 5, 9])
    def test_any_minor_of_version_4_with_and_without_ids(self, minor):
        cells = parsed(notebook(code("%%sandbox\n1;"), code("%%sandbox\n2;", id="x"), minor=minor)).cells
        assert [cell.id for cell in cells] == [None, "x"]

    def test_the_same_id_twice(self):
        cells = parsed(notebook(code("%%sandbox\n1;", id="x"), code("%%sandbox\n2;", id="x"))).cells
        assert [(cell.number, cell.id) for cell in cells] == [(1, "x"), (2, "x")]

    def test_version_3(self):
        old = {"cell_type": "code", "language": "python", "prompt_number": 7, "metadata": {}, "collapsed": False}
        out = {"output_type": "pyout", "prompt_number": 7, "metadata": {}, "text": ["ok"]}
        worksheet = {"cells": [{**old, "input": ["%%sandbox\n", "1;"], "outputs": [out]}], "metadata": {}}
        cell = parsed(
            {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [worksheet]}
        ).sandbox_cells[0]
        assert (cell.number, cell.id, cell.program, cell.executed) == (1, None, "1;\n", True)
        assert cell.outputs[0]["data"]["text/plain"] == "ok"

    def test_a_byte_order_mark_is_no_damage(self):
        assert parse_notebook(b"\xef\xbb\xbf" + json.dumps(notebook()).encode(), PATH).cells == ()

    @pytest.mark.parametrize("fields", [{"metadata": None}, {"outputs": None}, {"outputs": [1]}, {"id": 5}])
    def test_members_of_a_wrong_kind_that_say_nothing_about_the_program(self, fields):
        cell = parsed(notebook(code("%%sandbox\n1;", **fields))).sandbox_cells[0]
        assert (cell.id, cell.outputs, cell.tags) == (None, (), frozenset())


class TestDamage:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "it is empty"),
            (b" \n", "it is empty"),
            (b"\xff\xfe{", "it is not UTF-8: byte 0 is 0xff"),
            (b'{"cells": [', "it is not JSON: Expecting value at line 1, column 12, where the file ends"),
            (b'{"cells": [],,}', "it is not JSON: "),
            (b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> x\n]}', "line 2 holds the marks of a merge"),
            (b"[" * 200_000, "it is nested too deeply"),
            (b"[]", "it is JSON but no notebook"),
            (b"{}", "it is JSON but no notebook"),
            (b'{"nbformat": "4", "cells": []}', '"nbformat" must be a whole number'),
            (b'{"nbformat": 5, "cells": []}', "it is of nbformat 5; versions up to 4 can be read"),
            (b'{"nbformat": 4, "nbformat_minor": 5}', "it "),
            (b'{"nbformat": 4, "cells": {}}', "it "),
            (b'{"nbformat": 4, "cells": [3]}', "it is damaged"),
            (
                b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}',
                "it is damaged: the source of",
            ),
            (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": [3]}]}', "it is damaged"),
            (b'{"nbformat": 3, "worksheets": [{}]}', "it is damaged"),
            (b'{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code"}]}]}', "it is damaged"),
        ],
    )
    def test_the_path_and_the_reason_are_told(self, content, reason):
        with pytest.raises(NotebookError) as caught:
            parse_notebook(content, PATH)
        assert str(caught.value).startswith(f"some.ipynb: {reason}")
        assert len(str(caught.value)) < 300

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(NotebookError, match="it cannot be read: No such file"):
            read_notebook(tmp_path / "none.ipynb")

    @given(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "cells",
                            "cell_type",
                            "source",
                            "nbformat",
                            "worksheets",
                            "outputs",
                            "metadata",
                            "input",
                            "nbformat_minor",
                            "a",
                        ]
                    ),
                    inner,
                    max_size=5,
                )
            ),
        )
    )
    def test_any_json_is_a_notebook_or_a_reason(self, node):  # fmt: skip
        with suppress(NotebookError):
            assert parsed(node).path == PATH
