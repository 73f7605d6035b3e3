"""Where front matter begins and ends, and that the program keeps its lines and columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.cases import CaseFileError, load_cases
from goccia_tools.cases.document import blanked, parse_document, read_document


def parse(text, path="a.sandbox.js"):
    from pathlib import Path

    return parse_document(text, Path(path))


@pytest.mark.parametrize(
    "before",
    [
        "",
        "\n\n",
        "#!/usr/bin/env goccia\n",
        "// Copyright (C) somebody. All rights reserved.\n// Licence\n",
        "/* a comment\n   of two lines */\n",
        "/*------- a banner -------*/\n",
        "  \t\r\n",
    ],
)
def test_front_matter_may_follow_comments(before):
    document = parse(f"{before}/*---\nok: 1\n---*/\nx;\n")
    assert document.head == "\nok: 1\n"
    assert document.body.count("\n") == document.text.count("\n")
    assert document.body.endswith("\nx;\n")
    assert "ok" not in document.body


def test_a_file_without_front_matter_is_all_program():
    assert parse("x;\n").head is None
    assert parse("x;\n").body == "x;\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("/*---\nok: true\n", 1, "is not closed"),
        ("\n/*--\nexpect: 1\n--*/\n", 2, 'not with "/*--"'),
        ("/* ---\nexpect: 1\n--- */\n", 1, 'not with "/* ---"'),
        ("/**---\nexpect: 1\n---*/\n", 1, "front matter begins with"),
        ("1;\n/*---\nexpect: 1\n---*/\n", 2, "must come first"),
    ],
)
def test_what_looks_like_front_matter_is_no_comment(text, line, words):
    with pytest.raises(CaseFileError) as caught:
        parse(text)
    assert (caught.value.line, words in caught.value.message) == (line, True)


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        ("x".encode("utf-16"), 1, "UTF-16"),
        ("x".encode("utf-32"), 1, "UTF-32"),
        (b"1;\n2;\nconst x = 'caf\xe9';\n", 3, "byte 0xe9 is not UTF-8"),
    ],
)
def test_another_encoding_is_named(tmp_path, data, line, words):
    path = tmp_path / "a.sandbox.js"
    path.write_bytes(data)
    with pytest.raises(CaseFileError) as caught:
        read_document(path)
    assert (caught.value.line, words in caught.value.message) == (line, True)


def test_a_byte_order_mark_hides_nothing(tmp_path):
    path = tmp_path / "a.sandbox.js"
    path.write_bytes(b"\xef\xbb\xbf#!/usr/bin/env x\r\n/*---\r\nexpect: {output: hi}\r\n---*/\r\n1;\r\n")
    (case,) = load_cases(path)
    assert case.expect.wants("output")
    assert case.body.startswith("#!/usr/bin/env x\r\n")
    assert "hi" not in case.body


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(CaseFileError, match=r"a\.sandbox\.js:1: cannot be read: No such file"):
        read_document(tmp_path / "a.sandbox.js")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_blanking_keeps_lines_and_utf16_columns(text):
    blank = blanked(text)
    assert not blank.strip()
    assert len(blank.encode("utf-16-le")) == len(text.encode("utf-16-le"))
    assert [c for c in blank if c in "\r\n\u2028\u2029"] == [c for c in text if c in "\r\n\u2028\u2029"]
