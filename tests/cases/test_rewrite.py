"""Rewriting expectations: what is proposed, what is refused, and that nothing else of a file changes."""

import os
import stat

import pytest

from goccia_tools import FailureKind, RunResult
from goccia_tools.cases import load_cases
from goccia_tools.cases.document import parse_document
from goccia_tools.cases.proposal import Proposal, Refusal, propose
from goccia_tools.cases.rewrite import RewriteError, rewrite, rewritten
from goccia_tools.cases.verdict import Mismatch, Verdict

FILE = """\
#!/usr/bin/env goccia
// (c) somebody
/*---
# about this test
description: "quoted"   # why
options: {sourceType: module,   timeoutMs: 500}
files:
    /a.js: |
        const x = 1;

        x;
# the outcome
expect:
   output: "6\\n"   # six
   resultValue:
      a: 1   # one
      b: [1, 2]
   diff: {/out.txt: {created: "6"}, /o2.txt: created}
# bottom
---*/
1;
"""


def good(**fields):
    return RunResult(ok=True, exit_code=0, failure_kind=FailureKind.NONE, **fields)


def bad(kind="script-error", **fields):
    return RunResult(ok=False, exit_code=1, failure_kind=FailureKind(kind), **fields)


def changed_lines(old, new):
    """The lines of ``new`` that are not in ``old`` and the other way round."""
    old, new = old.split("\n"), new.split("\n")
    return [line for line in old if line not in new], [line for line in new if line not in old]


def apply(text, *proposals, path="x.sandbox.js"):
    from pathlib import Path

    return rewritten(parse_document(text, Path(path)), list(proposals))


def verdict(case, result):
    return Verdict(case, result, case.expect.mismatches(result))


class TestTextOfTheFile:
    def test_only_values_that_change_are_replaced(self):
        new = apply(FILE, Proposal((), {"output": "a\nb\n", "resultValue": {"a": 2, "b": [1, 2]}}))
        assert changed_lines(FILE, new) == (
            ['   output: "6\\n"   # six', "      a: 1   # one"],
            ['   output: "a\\nb\\n"   # six', "      a: 2   # one"],
        )

    def test_members_come_and_go(self):
        new = apply(FILE, Proposal((), {"resultValue": {"a": 1, "c": "x"}, "diff": {"/out.txt": {"created": "7"}}}))
        assert changed_lines(FILE, new) == (
            ["      b: [1, 2]", '   diff: {/out.txt: {created: "6"}, /o2.txt: created}'],
            ["      c: x", '   diff: {/out.txt: {created: "7"}}'],
        )

    @pytest.mark.parametrize("newline", ["\n", "\r\n"])
    def test_line_ends_stay(self, newline):
        text = FILE.replace("\n", newline)
        new = apply(text, Proposal((), {"output": "a\nb\n", "errorOutput": "x", "resultValue": 5}))
        assert new.count("\n") == new.count(newline)
        assert load_cases("x.sandbox.js", text=new)[0].expect.wants("errorOutput")

    def test_a_case_gets_an_expectation_of_its_own(self):
        text = "/*---\ncases:\n  - {name: a}\n  - name: b # c\nexpect: {output: k}\n---*/\n"
        new = apply(text, Proposal(("cases", 0), {"output": "x"}), Proposal(("cases", 1), {"resultValue": 1}))
        assert new == (
            "/*---\ncases:\n  - {name: a, expect: {output: x}}\n  - name: b # c\n"
            "    expect: {output: k, resultValue: 1}\nexpect: {output: k}\n---*/\n"
        )

    def test_a_file_without_front_matter_gets_one(self):
        assert apply("x;\n", Proposal((), {"output": "a\nb\n"})) == (
            "/*---\nexpect:\n  output: |\n    a\n    b\n---*/\nx;\n"
        )
        assert apply("#!/x\r\nx;\r\n", Proposal((), {"output": ""})) == (
            '#!/x\r\n/*---\r\nexpect:\r\n  output: ""\r\n---*/\r\nx;\r\n'
        )
        assert apply("/*---\n---*/\nx;", Proposal((), {"output": ""})).startswith('/*---\nexpect:\n  output: ""\n')

    @pytest.mark.parametrize(
        "text", ["*/", "---*/", "a\r\nb", "\x1b[31m", "\u2028", " lead", "trail \n", "😀", "#", "1e3"]
    )
    def test_any_text_is_read_back_and_ends_no_comment(self, text):
        new = apply(FILE, Proposal((), {"output": text, "resultValue": [text, {text: text}]}))
        (case,) = load_cases("x.sandbox.js", text=new)
        result = good(output=text, result_value=[text, {text: text}], diff='{"changes": []}')
        assert [mismatch.field for mismatch in case.expect.mismatches(result)] == ["diff"]
        assert new.count("*/") == 1
        assert case.body == parse_document(new, case.path).body

    def test_keys_of_a_call(self):
        text = "/*---\ncalls:\n  - {call: f, from: /a.js, returns: 3}   # three\n---*/\n"
        new = apply(text, Proposal(("calls", 0), {"returns": [1, "b c"]}, in_call=True))
        assert '  - {call: f, from: /a.js, returns: [1, "b c"]}   # three\n' in new

    def test_a_layout_that_cannot_be_kept_is_left_alone(self):
        text = "/*---\nexpect: &e\n  resultValue: &v 1\n  output: *v\n---*/\n"
        from goccia_tools import GocciaError

        with pytest.raises(GocciaError):
            apply(text, Proposal((), {"output": "x"}))


class TestWriting:
    def test_mark_mode_and_link_stay(self, tmp_path):
        path = tmp_path / "a.sandbox.js"
        path.write_bytes(b"\xef\xbb\xbf" + FILE.encode())
        path.chmod(0o640)
        link = tmp_path / "link.sandbox.js"
        link.symlink_to(path)
        rewrite(link, [Proposal((), {"output": "7\n"})])
        assert link.is_symlink()
        assert path.read_bytes() == b"\xef\xbb\xbf" + FILE.replace('"6\\n"', '"7\\n"').encode()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert sorted(os.listdir(tmp_path)) == ["a.sandbox.js", "link.sandbox.js"]

    def test_a_file_that_has_changed_meanwhile_is_left_alone(self, tmp_path):
        path = tmp_path / "a.sandbox.js"
        path.write_text(FILE)
        (case,) = load_cases(path)
        rewrite(path, [Proposal((), {"output": "7\n"})], case.checksum)
        with pytest.raises(RewriteError, match="has changed since it was read"):
            rewrite(path, [Proposal((), {"output": "8\n"})], case.checksum)

    def test_when_writing_fails_the_old_file_is_there(self, tmp_path, monkeypatch):
        path = tmp_path / "a.sandbox.js"
        path.write_text(FILE)

        def fail(*arguments):
            raise OSError("no")

        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="no"):
            rewrite(path, [Proposal((), {"output": "7\n"})])
        assert path.read_text() == FILE
        assert os.listdir(tmp_path) == ["a.sandbox.js"]


class TestProposals:
    @pytest.mark.parametrize(
        ("expect", "result", "values"),
        [
            ("{output: a, resultValue: 1}", good(output="b", result_value=1), {"output": "b"}),
            ("{output: {contains: a}}", good(output="b"), {"output": "b"}),
            ("{resultValue: {approx: 1}}", good(result_value=[2]), {"resultValue": [2]}),
            (
                "{error: {name: A, line: 1}}",
                bad(error_message="A: x\n  --> /x:2:1"),
                {"error": {"name": "A", "line": 2}},
            ),
        ],
    )
    def test_what_was_not_met_is_replaced(self, head, expect, result, values):
        (case,) = head(f"expect: {expect}")
        assert propose(verdict(case, result)) == Proposal((), values)

    def test_file_changes_are_written_as_they_were(self, head):
        document = '{"changes": [{"kind": "create", "path": "/a", "oldBytes": 0, "newBytes": 1, "base64": "eA=="}]}'
        (case,) = head("expect: {diff: {}}")
        assert propose(verdict(case, good(diff=document))) == Proposal((), {"diff": {"/a": {"created": "x"}}})

    @pytest.mark.parametrize("kind", ["timeout", "child-process-crash", "host-error"])
    def test_a_run_that_did_not_end_by_itself_is_never_written_down(self, head, kind):
        (case,) = head("expect: {failureKind: script-error, output: a}")
        assert isinstance(propose(verdict(case, bad(kind))), Refusal)
        (new,) = head("description: a")
        assert isinstance(propose(verdict(new, bad(kind)), only_new=True), Refusal)

    @pytest.mark.parametrize(
        ("yaml", "result"),
        [
            ("expect: {output: a}", good(output="b… [truncated 9 bytes]")),
            ("expect: {resultValue: 1}", good(truncated=True)),
            ("expect: {output: a}", bad(error_message="Error: x")),
            ("expect: {error: A}", good()),
            ("parametrize: {n: [1]}\nexpect: {output: a}", good(output="b")),
            ("negative: {phase: parse, type: A}", good()),
            ("description: a", bad(error_message="Error: x")),
        ],
    )
    def test_what_is_not_for_a_machine_to_decide_is_refused(self, head, yaml, result):
        (case,) = head(yaml)
        assert isinstance(propose(verdict(case, result)), Refusal)

    def test_a_case_that_passes_needs_nothing(self, head):
        (case,) = head("expect: {output: a}")
        assert propose(verdict(case, good(output="a"))) is None

    def test_only_cases_that_say_nothing_are_new(self, head):
        (case,) = head("description: a")
        assert propose(verdict(case, good(output="x", result_value=1)), only_new=True) == Proposal(
            (), {"output": "x", "resultValue": 1}
        )
        (case,) = head("expect: {output: a}")
        assert propose(verdict(case, good()), only_new=True) is None

    def test_expectations_in_comments_are_left_to_people(self, load):
        (case,) = load("1; // => 2\n")
        found = Verdict(case, good(), (Mismatch("// =>", "expected 2, got 1"),))
        assert isinstance(propose(found), Refusal)

    def test_a_proposal_travels_as_plain_data(self):
        import json

        proposal = Proposal(("cases", 1), {"output": "a"}, in_call=True)
        assert Proposal.from_plain(json.loads(json.dumps(proposal.to_plain()))) == proposal
