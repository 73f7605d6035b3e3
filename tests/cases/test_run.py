"""Cases run for real: files, options, parameters, calls, hostile targets, phases."""

import pytest

from goccia_tools import FailureKind, Runner, RunResult
from goccia_tools.cases import CaseFileError, run_case


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


@pytest.fixture
def judge(head, runner):
    """The problems of every case of front matter, by case id."""

    def judge(yaml, body=""):
        return {
            case.id: [f"{m.field}: {m.problem}" for m in run_case(case, runner).mismatches] for case in head(yaml, body)
        }

    return judge


MODULE = (
    "files: {/s.js: \"export const sum = (a, b) => a + b; export const boom = () => { throw new RangeError('no'); };\"}"
)


class TestFilesAndOptions:
    def test_every_kind_of_file(self, head, runner, tmp_path):
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "a.txt").write_text("from")
        yaml = """\
files:
  /text.txt: text
  /more.txt: {text: more}
  /data.json: {json: {a: [1, null, "x"]}}
  /raw.bin: {base64: "AP8="}
  /empty: {dir: true}
  /one.txt: {from: lib/a.txt}
  /tree: {from: lib}
expect:
  resultValue: [text, more, {a: [1, null, x]}, 255, [], from, from]"""
        body = """\
import fs from "fs";
const read = (path) => fs.readFileSync(path, "utf8");
[read("/text.txt"), read("/more.txt"), JSON.parse(read("/data.json")), fs.readFileSync("/raw.bin")[1],
 fs.readdirSync("/empty"), read("/one.txt"), read("/tree/a.txt")];
"""
        (case,) = head(yaml, body)
        assert run_case(case, runner).passed

    def test_the_entry_has_the_name_of_the_file_and_its_lines(self, judge):
        body = "\nconst f = () => { throw new TypeError('x'); };\nf();\n"
        assert judge("expect: {error: {path: /a.sandbox.js, line: 6, column: 2}}", body) == {"a": []}

    def test_a_case_is_merged_over_the_file_and_its_expectation_replaces(self, head):
        yaml = """\
options: {timeoutMs: 100, compatibility: [compat-var]}
files: {/a: one, /b: two}
expect: {output: a}
cases:
  - name: first
  - {name: second, options: {timeoutMs: 200}, files: {/b: three}, expect: {resultValue: 1}}"""
        first, second = head(yaml)
        assert (first.options.timeout_ms, second.options.timeout_ms) == (100, 200)
        assert second.options.compatibility == ("compat-var",)
        assert {seed.path: seed.source for seed in second.seeds} == {"/a": "one", "/b": "three"}
        assert first.expect.wants("output")
        assert not second.expect.wants("output")

    def test_default_options_are_what_a_file_may_override(self, head):
        (plain,) = head("description: a", default_options={"timeout_ms": 7})
        (own,) = head("options: {timeoutMs: 9}", default_options={"timeout_ms": 7})
        assert (plain.options.timeout_ms, own.options.timeout_ms) == (7, 9)

    def test_a_file_that_is_gone_meanwhile_is_a_sentence(self, head, runner, tmp_path):
        (tmp_path / "x.txt").write_text("")
        (case,) = head("files: {/x.txt: {from: x.txt}}")
        (tmp_path / "x.txt").unlink()
        with pytest.raises(CaseFileError, match=r"a\.sandbox\.js:1: .*x\.txt"):
            run_case(case, runner)


class TestNames:
    @pytest.mark.parametrize(
        ("yaml", "ids"),
        [
            ("description: x", ["a"]),
            ("name: A b/c::d [e]", ["A-b-c-d-e"]),
            ("cases: [{name: same}, {name: same}, {name: same-2}]", ["same", "same-3", "same-2"]),
            ("cases: [{name: 'naïve 日本'}, {name: '???'}]", ["naïve-日本", "case"]),
            ("parametrize: {n: [1, 2]}", ["a[1]", "a[2]"]),
            ("parametrize: {n: [1, 2], m: [x, y]}", ["a[1-x]", "a[1-y]", "a[2-x]", "a[2-y]"]),
            ("parametrize: [{name: one, n: 1}, {n: 'b c'}, {n: 'b/c'}]", ["a[one]", "a[b-c]", "a[b-c-2]"]),
            ("parametrize: {n: [1]}\ncases: [{name: x}, {name: y, parametrize: {m: [3]}}]", ["x[1]", "y[3]"]),
            ("calls: [{call: f, args: [1], from: /x.js, returns: 1}, {call: f, args: [1], from: /x.js, returns: 2}]",
             ["f-1", "f-1-2"]),
        ],
    )  # fmt: skip
    def test_ids_are_slugs_and_unique(self, head, yaml, ids):
        assert [case.id for case in head(yaml)] == ids

    def test_ids_do_not_depend_on_where_a_case_stands(self, head):
        one = [case.id for case in head("cases: [{name: a}, {name: b}]")]
        other = [case.id for case in head("description: |\n  a\n  b\ncases: [{name: b}, {name: c}]")]
        assert "b" in one
        assert "b" in other


class TestParameters:
    def test_values_keep_their_types_and_texts_are_filled_in(self, judge):
        yaml = """\
parametrize: [{n: 2, words: [a, b]}]
files: {/in.json: {json: {n: "${n}", words: "${words}", text: "n=${n} $${n} ${other}"}}}
expect: {resultValue: {n: 2, words: [a, b], text: "n=2 $${n} ${other}"}}"""
        assert judge(yaml, "import data from '/in.json' with { type: 'json' };\ndata;\n") == {"a[2-a-b]": []}

    def test_what_only_expectations_name_stays_outside(self, judge):
        yaml = "parametrize: [{n: 2, want: 4}]\nexpect: {resultValue: {n: 2}, output: '${want}'}"
        body = "import param from '/param.json' with { type: 'json' };\nparam;\n"
        (found,) = judge(yaml, body).values()
        assert found == ['output: expected "4", got ""']

    def test_calls_of_a_table(self, judge):
        yaml = f"""\
{MODULE}
parametrize: [{{a: 1, b: 2, want: 3}}, {{a: 2, b: 2, want: 5}}]
calls: [{{call: sum, from: /s.js, args: ["${{a}}", "${{b}}"], returns: "${{want}}"}}]"""
        assert judge(yaml) == {"sum-1-2[1-2-3]": [], "sum-2-2[2-2-5]": ["returns: expected 5, got 4"]}


class TestCalls:
    @pytest.mark.parametrize(
        "call",
        [
            "call: sum, args: [1, 2], returns: 3",
            "call: sum, args: ['1', 2], returns: '12'",
            "call: boom, throws: RangeError",
            "call: boom, throws: true",
            "call: boom, throws: {message: {contains: n}}",
            "js: '[sum(1, 1), Math.max(1, 2)]', returns: [2, 2]",
        ],
    )
    def test_of_a_module(self, judge, call):
        assert list(judge(f"{MODULE}\ncalls: [{{from: /s.js, {call}}}]").values()) == [[]]

    @pytest.mark.parametrize(
        ("value", "returns"),
        [
            ("undefined", "{absent: true}"),
            ("null", "null"),
            ("NaN", ".nan"),
            ("-1/0", "-.inf"),
            ("[1, {a: 'x'}]", "[1, {a: x}]"),
            ("Promise.resolve(4)", "4"),
            ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
            ("new Date(NaN)", "null"),
            ("({returned: 1, missing: 2, threw: 3})", "{equals: {returned: 1, missing: 2, threw: 3}}"),
        ],
    )
    def test_what_comes_back(self, judge, value, returns):
        file = f'{{/s.js: "export const f = () => {value};"}}'
        yaml = f"files: {file}\ncalls: [{{call: f, from: /s.js, returns: {returns}}}]"
        assert judge(yaml) == {"f": []}

    @pytest.mark.parametrize(
        ("value", "returns", "problem"),
        [
            ("undefined", "null", "expected null, got undefined; for undefined expect {absent: true}"),
            ("undefined", "1", "expected 1, got undefined (nothing was returned)"),
            ("10n", "10", "expected 10, got null"),
            ("NaN", "0", "expected 0, got NaN"),
            (
                "new Map([[1, 2]])",
                "[[1, 2]]",
                "expected [[1, 2]], got {} (it is a Map; compare what is in it with js: [...f()])",
            ),
        ],
    )
    def test_what_looks_alike_in_json_is_told_apart(self, judge, value, returns, problem):
        file = f'{{/s.js: "export const f = () => {value};"}}'
        yaml = f"files: {file}\ncalls: [{{call: f, from: /s.js, returns: {returns}}}]"
        ((found,),) = judge(yaml).values()
        assert found == f"returns: {problem}"

    def test_of_the_tests_own_program_and_of_a_script_without_exports(self, judge):
        assert judge("calls: [{call: f, returns: 1}]", "export const f = () => 1;\n") == {"f": []}
        assert judge("calls: [{call: f, returns: 1}]", "const f = () => 1;\n") == {"f": []}

    def test_names_of_the_target_do_not_meet_those_of_the_caller(self, judge):
        body = "const answer = 5; const target = 6; const value = 7; const kind = 8; const told = 9;\n"
        body += "const f = () => answer;\n"
        assert judge("calls: [{call: f, returns: 5}]", body) == {"f": []}

    def test_default_exports_and_properties(self, judge):
        body = "export default (n) => n * 2;\nexport const limits = { low: 1, both: () => [1, 2] };\n"
        yaml = """\
calls:
  - {call: default, args: [4], returns: 8}
  - {get: limits.low, returns: 1}
  - {call: limits.both, returns: [1, 2]}"""
        assert not any(judge(yaml, body).values())

    def test_an_error_is_known_by_its_name_and_by_its_class(self, judge):
        body = "class ArgumentError extends Error {}\nexport const f = () => { throw new ArgumentError('no'); };\n"
        yaml = "calls: [{call: f, throws: ArgumentError}, {call: f, throws: Error}, {call: f, throws: TypeError}]"
        assert list(judge(yaml, body).values()) == [[], [], ['throws.name: expected "TypeError", got "Error"']]

    def test_calls_on_an_object_before_the_one_that_counts(self, judge):
        body = """\
export class Stack {
  items = [];
  push(item) { this.items.push(item); }
  async fill(list) { await null; this.items = list; }
  pop() { if (this.items.length === 0) throw new RangeError("empty"); return this.items.pop(); }
  get size() { return this.items.length; }
  then() { return 1; }
}
"""
        yaml = """\
calls:
  - {new: Stack, do: [{call: push, args: [7]}, {call: push, args: [8]}], call: pop, returns: 8}
  - {new: Stack, do: [{call: fill, args: [[1, 2]]}, {call: pop}], get: size, returns: 1}
  - {new: Stack, do: [{call: push, args: [[3]]}], get: items, then: [{get: length}], returns: 1}
  - {new: Stack, get: size, returns: 0}
  - {new: Stack, do: [{call: pop}], get: size, throws: RangeError}"""
        assert judge(yaml, body) == {
            "new-Stack-.push-7-.push-8-.pop": [],
            "new-Stack-.fill-1-2-.pop-.size": [],
            "new-Stack-.push-3-.items.length": [],
            "new-Stack-.size": [],
            "new-Stack-.pop-.size": [],
        }

    @pytest.mark.parametrize(
        ("exports", "calls"),
        [
            ("module.exports = f;", "{call: f, args: [2], returns: 3}, {call: default, args: [2], returns: 3}"),
            ("module.exports = { f, other: 5 };", "{call: f, args: [2], returns: 3}, {get: other, returns: 5}"),
            ("exports.g = f;", "{call: g, args: [2], returns: 3}, {js: '[g(1), Math.max(f(1), 1)]', returns: [2, 2]}"),
            ("module.exports = (n) => n;", "{call: default, args: [2], returns: 2}, {call: f, args: [2], returns: 3}"),
        ],
    )
    def test_of_a_file_for_node(self, judge, exports, calls):
        found = judge(f"calls: [{calls}]", f"const f = (n) => n + 1;\n{exports}\n")
        assert not any(found.values())
        ((missing,),) = judge("calls: [{call: h, returns: 1}]", f"const f = (n) => n + 1;\n{exports}\n").values()
        assert "does not export h" in missing

    def test_a_sloppy_file_for_node_stays_sloppy(self, judge):
        body = "function f() { for (i = 0; i < 3; i++); return i }\nmodule.exports = f\n"
        assert judge("options: {compatibility: all}\ncalls: [{call: f, returns: 3}]", body) == {"f": []}

    def test_places_in_a_file_for_node_are_its_own(self, head, runner):
        body = "const g = () => null.x; const f = () => { return g(); }; module.exports = f;\n"
        yaml = "files: {/s.js: {from: s.js}}\nfrom: /s.js\ncalls: [{call: f, returns: 1}]"
        folder = head("description: a")[0].path.parent
        (folder / "s.js").write_text(body)
        (mismatch,) = run_case(head(yaml)[0], runner).mismatches
        assert mismatch.detail.startswith("  --> /s.js:1:51\n   1 | const g = ")
        (folder / "s.js").write_text("#!/usr/bin/env node\nconst g = () => null.x; g(); module.exports = g;\n")
        message = run_case(head(yaml)[0], runner).result.error_message
        assert "  --> /s.js:2:26\n" in message
        assert "globalThis" not in message

    def test_what_is_missing_is_named(self, judge):
        found = judge(f"{MODULE}\ncalls: [{{call: sun, from: /s.js, returns: 1}}]")
        assert found == {"sun": ["call: /s.js does not export sun; it exports boom, sum"]}
        assert judge("calls: [{call: g, returns: 1}]", "const f = 1;\n") == {
            "g": ["call: /a.sandbox.js does not define g"]
        }

    def test_arguments_may_be_javascript_and_proto_is_only_a_key(self, judge):
        body = "export const f = (g, o) => [g(2), Object.keys(o), o.polluted];\n"
        yaml = (
            "calls: [{call: f, args: [{js: n => n + 1}, {__proto__: {polluted: 1}}], returns: [3, [__proto__], null]}]"
        )
        assert list(judge(yaml, body).values()) == [[]]

    def test_a_throw_at_the_top_of_the_file_is_not_the_throw_of_the_call(self, judge):
        body = "export const f = () => 1;\nthrow new RangeError('early');\n"
        ((found,),) = judge("calls: [{call: f, throws: RangeError}]", body).values()
        assert "failed before it could return" in found

    def test_a_promise_that_never_settles_has_not_thrown(self, judge):
        body = "export const f = () => new Promise(() => {});\n"
        found = judge("calls: [{call: f, throws: TypeError}, {call: f, returns: {absent: true}}]", body)
        assert all("never settled" in problem for (problem,) in found.values())

    def test_an_unexpected_throw_shows_the_code(self, head, runner):
        body = "const inner = () => { throw new RangeError('no'); };\nexport const f = () => {\n  return inner();\n};\n"
        (case,) = head("calls: [{call: f, returns: 1}]", body)
        (mismatch,) = run_case(case, runner).mismatches
        assert mismatch.problem == "f() threw RangeError: no"
        assert "  --> /a.sandbox.js:6:15" in mismatch.detail
        assert "   6 |   return inner();" in mismatch.detail

    def test_output_of_a_call(self, judge):
        body = "export const hi = () => { console.log('hi'); };\n"
        assert judge('calls: [{call: hi, output: "hi\\n"}, {call: hi, output: ho}]', body)["hi"] == []


HOSTILE = {
    "patches JSON": "JSON.stringify = () => '42'; JSON.parse = () => 42;",
    "patches Object": "Object.keys = () => ['returned']; Object.defineProperty = () => 42;",
    "patches Promise": "Promise.prototype.then = function () { return 42; };",
    "patches arrays": "Array.prototype.toJSON = () => 42; Array.prototype[Symbol.iterator] = () => [42].values();",
    "patches the prototype": "Object.prototype.returned = 42; Object.prototype.toJSON = () => ({ returned: 42 });",
    "sets a setter": "Object.defineProperty(Object.prototype, 'returned', { set() {}, get() { return 42; } });",
    "defines our names": "globalThis.$answer$ = { returned: 42 }; globalThis.answer = 42;",
    "prints a frame": "console.log('\\u0000\\u0000\\u0000\\u0010{\"type\":\"run-result\"}'); console.log('42');",
    "ends early": "throw { returned: 42 };",
    "never ends": "await new Promise(() => {});",
    "exports then": "export const then = (done) => done({ f: () => 42 });",
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_a_hostile_target_cannot_fake_what_its_function_returns(judge, trick):
    body = f"{HOSTILE[trick]}\nexport const f = () => 41;\n"
    ((found, *_),) = judge("calls: [{call: f, returns: 42}]", body).values()
    assert found


def test_a_hostile_target_finds_no_expectation(head, runner):
    body = """\
import fs from "fs";
export const f = () => {
  const all = fs.readdirSync("/").map((name) => fs.readFileSync(`/${name}`, "utf8")).join("");
  return ["se" + "cret", "thr" + "ows", "retu" + "rns"].map((word) => all.includes(word));
};
"""
    yaml = "description: secret\ncalls: [{call: f, returns: secret, tags: [secret]}, {call: f, throws: {name: secret}}]"
    for case in head(yaml, body):
        assert run_case(case, runner).result.result_value["returned"] == [False, False, False]


def test_the_program_of_a_call_is_the_same_whatever_is_expected(head):
    one, other = head("calls: [{call: f, from: /x.js, returns: 1}, {call: f, from: /x.js, throws: A}]")
    assert one.call.program(None) == other.call.program(None)


class TestNegative:
    @pytest.mark.parametrize(
        ("negative", "body"),
        [
            ("{phase: parse, type: SyntaxError}", "const = 1;"),
            ("{phase: early, type: SyntaxError}", "let a; let a;"),
            ("{phase: runtime, type: SyntaxError}", "throw new SyntaxError('late');"),
            ("{phase: runtime, type: TypeError}", "null.x;"),
            ("{phase: resolution, type: RuntimeError}", "import x from './nothing.js';"),
        ],
    )
    def test_phase_and_type_are_met(self, judge, negative, body):
        assert judge(f"negative: {negative}", body) == {"a": []}

    @pytest.mark.parametrize(
        ("negative", "body", "problem"),
        [
            ("{phase: parse, type: SyntaxError}", "throw new SyntaxError('late');", "expected parse, got runtime"),
            ("{phase: runtime, type: SyntaxError}", "const = 1;", "expected runtime, got parse"),
            ("{phase: runtime, type: RangeError}", "null.x;", 'expected "RangeError", got "TypeError"'),
            ("{phase: runtime, type: RangeError}", "1;", 'expected "script-error", got "none"'),
        ],
    )
    def test_another_phase_or_type_is_a_failure(self, judge, negative, body, problem):
        found = judge(f"negative: {negative}", body)["a"]
        assert any(problem in text for text in found)


class TestAsyncPrograms:
    @pytest.mark.parametrize(
        "body",
        ["await new Promise(() => {});", "const f = async () => { await 1; throw new Error('x'); };\nawait f();"],
    )
    def test_a_program_that_never_signals_is_failed(self, judge, body):
        assert judge('expect: {output: "done\\n"}', body)["a"]


def test_a_fault_of_the_host_is_tried_once_more(head):
    class Flaky:
        calls = 0

        def run(self, *arguments, **keywords):
            self.calls += 1
            kind = FailureKind.HOST_ERROR if self.calls == 1 else FailureKind.NONE
            return RunResult(ok=self.calls > 1, exit_code=self.calls % 2, failure_kind=kind)

    (case,) = head("description: a")
    runner = Flaky()
    verdict = run_case(case, runner)
    assert (verdict.outcome, verdict.retried, runner.calls) == ("passed", True, 2)


def test_an_expected_host_error_is_not_repeated(head):
    class Broken:
        calls = 0

        def run(self, *arguments, **keywords):
            self.calls += 1
            return RunResult(ok=False, exit_code=1, failure_kind=FailureKind.HOST_ERROR, error_message="no")

    (case,) = head("expect: {failureKind: host-error}")
    runner = Broken()
    assert run_case(case, runner).passed
    assert runner.calls == 1
