"""The line of a magic: words, options, and what is wrong with them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools import OptionError
from goccia_tools.magic.arguments import OWN_OPTIONS, RUN_OPTIONS, parse_arguments, usage


def test_options_of_the_run_and_of_the_magic():
    read = parse_arguments('--timeout 2s --compat all --in a,b --in c --out r --seed x=/y --seed "z w=/v" --module')
    assert read.settings == {"timeout": 2000, "compat": "all", "seed": ("x=/y", "z w=/v")}
    assert read.inputs == ("a", "b", "c")
    assert (read.text("out"), read.flag("module"), read.flag("quiet")) == ("r", True, False)


def test_a_value_may_follow_an_equals_sign():
    assert parse_arguments("--timeout=250 --name='my cell'").settings == {"timeout": 250}
    assert parse_arguments("--timeout=250 --name='my cell'").text("name") == "my cell"


# ipython#12729, #10091, jupysql#425: the same on every system
@pytest.mark.parametrize(
    ("line", "file"),
    [
        ('--file "C:\\My Dir\\a.js" --timeout=2', "C:\\My Dir\\a.js"),
        ("--file C:\\Users\\x\\a.js", "C:\\Users\\x\\a.js"),
        ("--file '/tmp/it is.js'", "/tmp/it is.js"),
        ('--file="a b.js"', "a b.js"),
    ],
)
def test_paths_keep_their_backslashes_and_blanks(line, file):
    assert parse_arguments(line).text("file") == file


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--tiemout 3", 'no option --tiemout; did you mean "--timeout"?'),
        ("--ot r", 'did you mean "--out"?'),
        ("--zzzzzz", "%%sandbox? lists them"),
        ("--timeout", "--timeout needs a value"),
        ("--timeout soon", '--timeout must be a whole number of milliseconds, or 2s, not "soon"'),
        ("--expect timout", 'did you mean "timeout"?'),
        ("--engine quickj", 'did you mean "quickjs"?'),
        ("--module=yes", "--module takes no value"),
        ('--file "a b', "is never closed"),
        ("1 + 1", "is no option; the program goes below the line"),
        ("--out r --out s", "--out is given twice"),
        ("--out 3x", "needs the name of a Python variable"),
        ("--var x", "--var needs NAME=EXPRESSION"),
        ("--stack-size 3", "there is no --stack-size: "),
        ("--fs ''", "--fs needs a value"),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(line, message):
    with pytest.raises(OptionError) as caught:
        parse_arguments(line)
    assert message in str(caught.value)


def test_what_follows_the_options_of_a_line_magic_is_the_program_as_written():
    read = parse_arguments('--timeout 1s  `a b` + "it\'s" + --x', expression=True)
    assert (read.settings, read.expression) == ({"timeout": 1000}, '`a b` + "it\'s" + --x')
    assert parse_arguments("-- --x", expression=True).expression == "--x"
    assert parse_arguments("'${a}  {b}'", expression=True).expression == "'${a}  {b}'"


def test_a_label_that_is_a_path_is_where_the_cell_runs():
    assert parse_arguments("--name /submission.js").entry == "/submission.js"
    assert parse_arguments("--name sums").entry == "/cell.js"
    assert parse_arguments("--name sums --entry /x.js").entry == "/x.js"


def test_the_help_names_every_option():
    text = usage()
    assert all(f"--{name} " in text for name in [*OWN_OPTIONS, *RUN_OPTIONS])


@given(st.text(alphabet=st.characters(exclude_characters="\"'", exclude_categories=("Cs",)), min_size=1))
def test_what_is_in_quotes_is_one_value(text):
    assert parse_arguments(f'--name "{text}"').text("name") == text


@given(st.text())
def test_any_line_is_read_or_refused(line):
    with suppress(OptionError):
        parse_arguments(line)
