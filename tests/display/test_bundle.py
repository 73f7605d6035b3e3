"""What a notebook shows: text and HTML with the same facts, from hostile and from large results."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools import FailureKind, RunResult
from goccia_tools.display import facts
from goccia_tools.display.bundle import bundle
from goccia_tools.display.images import MAX_IMAGE_BYTES, image_of


def result(*changes, **fields):
    fields = {"ok": True, "exit_code": 0, "failure_kind": FailureKind.NONE, **fields}
    diff = json.dumps({"changes": changes}) if changes else None
    return RunResult(diff=diff, diff_requested=bool(changes), **fields)


def change(path, kind="create", new=b"", old_bytes=0, content=True):
    item = {"kind": kind, "path": path, "oldBytes": old_bytes, "newBytes": len(new)}
    return {**item, "base64": b64encode(new).decode()} if content else item


def shown(run, before=None, **keywords):
    return bundle(facts(run, "/m.js", timed=False, before=before), **keywords)


def words(html):
    return unescape(re.sub(r"<[^>]*>", "", html))


TEXT = st.text(max_size=30)


@given(output=TEXT, report=TEXT, value=st.recursive(TEXT | st.none() | st.floats(), st.lists), path=TEXT, new=TEXT)
def test_html_says_what_the_text_says_and_nothing_of_a_guest_is_markup(output, report, value, path, new):
    run = result(
        change("/" + path.replace("\0", ""), new=new.encode("utf-8", "replace")),
        output=output, error_output=report, result_value=value,
    )  # fmt: skip
    made = shown(run)
    plain = made["text/plain"]
    assert re.sub(r"\s", "", words(made["text/html"])) == re.sub(r"\s|^(output|error|value):$", "", re.sub(
        r"(?m)^(output|error|value):$", r"\1", plain))  # fmt: skip
    assert set(re.findall(r"<(\w+)", made["text/html"])) <= {"div", "pre", "span", "details", "summary"}
    assert plain.replace("\n", "").replace("\t", "").isprintable()
    assert made == shown(run)


def test_a_changed_text_is_a_unified_diff():
    run = result(change("/a", "modify", b"1\nzwei\n3\n", 6))
    assert shown(run, before={"/a": b"1\n2\n3\n"})["text/plain"].split("\n")[1:] == [
        "/a: changed, 6 -> 9 bytes", "  @@ -1,3 +1,3 @@", "   1", "  -2", "  +zwei", "   3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("item", "before", "lines"),
    [
        (change("/d", "mkdir"), {}, ["/d: folder created"]),
        (change("/a", "delete", old_bytes=2, content=False), {"/a": b"x\n"}, ["/a: deleted, 2 bytes", "  -x"]),
        (change("/a", "create", b"x"), {}, ["/a: created, 1 bytes", "  +x", "  \\ no newline at the end"]),
        (change("/a", "modify", b"x\n", 9), {}, ["/a: changed, 9 -> 2 bytes", "   x"]),
        (change("/a", "create", b"", content=False), {}, ["/a: created, 0 bytes"]),
        (
            {**change("/a", content=False), "newBytes": 9},
            {},
            ["/a: created, 9 bytes", "  content not carried: it was too large for the diff"],
        ),
        (change("/a", "create", b"a\rb\x1b[31m\n"), {}, ["/a: created, 9 bytes", "  +a␍b"]),
    ],
)  # fmt: skip
def test_every_kind_of_change(item, before, lines):
    assert shown(result(item), before)["text/plain"].split("\n")[1:] == lines


def test_binary_content_is_its_hash():
    text = shown(result(change("/a", "create", b"\0\1")))["text/plain"]
    assert "binary, sha256 " in text


def test_a_large_diff_is_head_and_tail_and_closed_at_first():
    made = shown(result(change("/a", new="".join(f"{i}\n" for i in range(5000)).encode())))
    assert "  +0\n" in made["text/plain"]
    assert made["text/plain"].endswith("  +4999")
    assert "… 4940 lines not shown …" in made["text/plain"]
    assert "<details style" in made["text/html"]
    assert "<details open" in shown(result(change("/a", new=b"x\n")))["text/html"]


def test_a_large_value_says_what_is_left_out():
    text = shown(result(result_value=[{"a": "x" * 100}] * 1000))["text/plain"]
    assert text.endswith("only the first 200 lines of the value are shown")


def test_truncation_and_notes_are_said():
    assert "note: the result was too large for one frame" in shown(result(truncated=True))["text/plain"]


def test_the_report_can_be_left_to_a_traceback():
    run = result(ok=False, exit_code=1, failure_kind=FailureKind.SCRIPT_ERROR, error_output="TypeError: x\n")
    assert "TypeError" not in shown(run, with_report=False)["text/plain"]
    assert shown(run)["text/plain"] == "script-error: /m.js failed\nerror:\n  TypeError: x"


def test_images_by_their_content():
    assert image_of("/a.png", b"\x89PNG\r\n\x1a\n").media_type == "image/png"
    assert image_of("/a.svg", b"<svg/>").media_type == "image/svg+xml"
    assert "is no PNG" in image_of("/a.png", b"<html>")
    assert "more than" in image_of("/a.png", b"\x89PNG\r\n\x1a\n" + bytes(MAX_IMAGE_BYTES))


def test_a_result_in_a_notebook_shows_itself():
    assert result(result_value=1)._repr_mimebundle_()["text/plain"] == "ok: the program ran\nvalue:\n  1"
