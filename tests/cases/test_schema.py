"""The closed schema: what is refused and how, and that the published schema says the same."""

import json

import jsonschema
import pytest

from goccia_tools.cases import CaseFileError, load_cases, schema
from goccia_tools.cases.attributes import CASE_WORDS, FILE_WORDS
from goccia_tools.cases.callsyntax import CALL_WORDS
from goccia_tools.cases.changes import KINDS
from goccia_tools.cases.document import read_document
from goccia_tools.cases.expect import ERROR_FIELDS, FIELDS
from goccia_tools.cases.matchers import TEXT_WORDS
from goccia_tools.cases.settings import OPTION_NAMES
from goccia_tools.cases.yamltext import parse_yaml

#: front matter -> line of the file, words of the sentence
WRONG = {
    "expct: {output: a}": (2, 'unknown key "expct"; did you mean "expect"?'),
    "description: a\nfailureKind: timeout": (3, 'unknown key "failureKind"'),
    "expect: {failurekind: timeout}": (2, 'unknown key "failurekind" in expect; did you mean "failureKind"?'),
    "expect:\n  exit_code: 1": (3, 'did you mean "exitCode"?'),
    "expect: {stdout: a}": (2, "known are ok, exitCode"),
    "expect: {output: {contain: a}}": (2, 'did you mean "contains"?'),
    "expect: {output: {contains: ''}}": (2, "contains must name something"),
    "expect: {output: {matches: '('}}": (2, "is not a regular expression"),
    "expect: {output: {}}": (2, "has no matcher"),
    "expect: {output: 6}": (2, 'write it in quotes: "6"'),
    "expect: {output: }": (2, "{absent: true}"),
    "expect: {}": (2, "expect is empty"),
    "expect:": (2, "expect must be a mapping, not nothing"),
    "expect: {ok: yes}": (2, "YAML 1.2 reads yes as text"),
    "expect: {exitCode: '1'}": (2, "exitCode must be a whole number"),
    "expect: {failureKind: time-out}": (2, 'did you mean "timeout"?'),
    "expect: {resultValue: .nan}": (2, "which JSON cannot hold"),
    "expect: {resultValue: {tolerance: 1, contains: a}}": (2, "tolerance belongs to approx"),
    "expect: {ok: true, failureKind: timeout}": (2, "ok true contradicts failureKind timeout"),
    "expect: {ok: false, failureKind: none}": (2, "contradicts ok false"),
    "expect: {ok: true, exitCode: 1}": (2, "contradicts exitCode 1"),
    "expect: {exitCode: 0, error: TypeError}": (2, "contradicts error"),
    "expect: {failureKind: timeout, error: {name: A}}": (2, "such a run has no error report"),
    "expect: {truncated: true, resultValue: 1}": (2, "a truncated result has none"),
    "expect: {error: {line: 0}}": (2, "counts from 1"),
    "expect: {error: {}}": (2, "error is empty"),
    "expect: {diff: {a.txt: created}}": (2, "must begin with /"),
    "expect: {diff: {/a.txt: create}}": (2, 'did you mean "created"?'),
    "expect: {diff: {/a.txt: {created: a, deleted: true}}}": (2, "must say one of"),
    "expect: {diff: {/a.txt: {deleted: a}}}": (2, "deleted has no content"),
    "expect: {diff: {/a.txt: {created: {base64: '%'}}}}": (2, "base64 cannot be decoded"),
    "options: {timeout: 5}": (2, 'unknown key "timeout" in options; did you mean "timeoutMs"?'),
    "options: {timeout_ms: 5}": (2, 'did you mean "timeoutMs"?'),
    "options: {timeoutMs: fast}": (2, "timeoutMs must be a whole number"),
    "options:\n  compatibility: [var, compat-vra]": (3, 'did you mean "compat-var"?'),
    "options: {sourceType: modul}": (2, "must be one of script, module"),
    "files: {a.txt: x}": (2, 'did you mean "/a.txt"?'),
    "files: {/a.txt: 5}": (2, "must be text, or one of"),
    "files: {/a.txt: {frm: x}}": (2, 'did you mean "from"?'),
    "files: {/a.txt: {from: x, text: y}}": (2, "must say one of"),
    "files: {/a.txt: {from: /etc/passwd}}": (2, "must be relative to the test file"),
    "files: {/a.txt: {from: nothing.txt}}": (2, "there is no "),
    "files: {/a.txt: {dir: x}}": (2, "an empty folder is"),
    "files: {/a.txt: x, /b/../a.txt: y}": (2, "is given twice"),
    "cases: []": (2, "cases is empty"),
    "cases: [{expect: {ok: true}}]": (2, "a case needs a name"),
    "cases:\n  - name: a\n  - nmae: b": (4, 'did you mean "name"?'),
    "cases: [{name: a, cases: []}]": (2, 'unknown key "cases" in a case'),
    "parametrize: []": (2, "parametrize is empty"),
    "parametrize: {a: []}": (2, "the list of a is empty"),
    "parametrize: [{a: 1}]\nexpect: {output: '${b}'}": (3, 'there is no parameter "b"'),
    "calls: []": (2, "calls is empty"),
    "calls: [{call: f}]": (2, "must say returns, throws or output"),
    "calls: [{returns: 1}]": (2, "a call says what to call"),
    "calls: [{call: f, returns: 1, throws: A}]": (2, "throws contradicts returns"),
    "calls: [{call: 'f()', returns: 1}]": (2, "call must be a name"),
    "calls: [{call: f, arg: [1], returns: 1}]": (2, 'did you mean "args"?'),
    "calls: [{call: f, do: [{call: g}], returns: 1}]": (2, "do is for an object made by new"),
    "calls: [{new: A, do: [{}], get: x, returns: 1}]": (2, "a step of do says call or get"),
    "calls: [{new: A, get: x, call: y, returns: 1}]": (2, "get contradicts call"),
    "calls: [{call: f, args: 1, returns: 1}]": (2, "args must be a list"),
    "calls: [{call: f, returns: 1}]\nexpect: {ok: true}": (2, "calls contradicts expect"),
    "negative: {phase: parse}": (2, "negative needs type"),
    "negative: {phase: runtme, type: A}": (2, 'did you mean "runtime"?'),
    "negative: {phase: parse, type: A}\nexpect: {ok: true}": (2, "negative contradicts expect"),
    "skip:": (2, "skip must be a mapping, not nothing"),
    "skip: {if: platfrm == 'x'}": (2, 'did you mean "platform"?'),
    "skip: {if: 'open(1)'}": (2, "a condition cannot hold 'open(1)'"),
    "skipif: {reason: a}": (2, "skipif needs if"),
    "xfail: {raises: none}": (2, "contradicts xfail"),
    "xfail: {reasn: a}": (2, 'did you mean "reason"?'),
    "marks: [a b]": (2, "cannot be the name of a mark"),
    "marks: [skip]": (2, "skip is no mark here; use the key skip"),
    "points: -1": (2, "points must be 0 or more"),
    "points: .nan": (2, "points must be a number"),
    "points: many": (2, "points must be a number"),
    "visibility: hiden": (2, 'did you mean "hidden"?'),
    "fixtures: [a b]": (2, "cannot be the name of a fixture"),
    "- a\n- b": (2, "the front matter must be a mapping"),
    "flags: [module]": (2, "say it with options"),
    "from: /a.js": (2, "there are no calls here"),
}


@pytest.mark.parametrize("yaml", WRONG)
def test_a_mistake_is_told_with_its_line_and_the_nearest_word(refused, yaml):
    line, words = WRONG[yaml]
    found, message = refused(yaml)
    assert words in message
    assert found == line


#: what no schema of this kind can say: relations between values, hosts, and expressions
BEYOND_A_SCHEMA = (
    "contradicts", "is not a regular expression", "cannot be decoded", "write it in quotes", "contains must name",
    "tolerance belongs", "such a run has no", "a truncated result", "must be relative", "there is no", "is given twice",
    'did you mean "compat-var"', "must say returns", "a call says", "must be a name", 'did you mean "platform"',
    "a condition cannot", "skipif needs", "cannot be the name", "use the key", "JSON cannot hold", "no calls here",
    "points must be a number, not the number nan",
)  # fmt: skip


@pytest.mark.parametrize("yaml", WRONG)
def test_the_published_schema_refuses_it_too(refused, yaml):
    message = refused(yaml)[1]
    if any(words in message for words in BEYOND_A_SCHEMA):
        return
    assert list(jsonschema.Draft202012Validator(schema()).iter_errors(parse_yaml(yaml).data))


def test_the_published_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())
    json.dumps(schema())


def test_the_published_schema_accepts_every_example():
    from goccia_tools.cases import load

    examples = sorted((load.Path(load.__file__).parent / "examples").glob("*.sandbox.js"))
    assert examples
    for path in examples:
        head = read_document(path).head
        if head is not None:
            jsonschema.validate(parse_yaml(head).data, schema())


def test_the_published_schema_knows_the_same_words():
    found = schema()
    definitions = found["$defs"]
    assert set(found["properties"]) == set(FILE_WORDS)
    assert set(definitions["case"]["properties"]) == set(CASE_WORDS)
    assert set(CALL_WORDS) <= set(definitions["call"]["properties"])
    assert set(definitions["expect"]["properties"]) == set(FIELDS)
    assert set(definitions["options"]["properties"]) == set(OPTION_NAMES)
    assert set(definitions["text"]["anyOf"][1]["properties"]) == set(TEXT_WORDS)
    assert set(definitions["error"]["anyOf"][1]["properties"]) == set(ERROR_FIELDS)
    assert set(definitions["change"]["anyOf"][1]["properties"]) == set(KINDS)


def test_every_key_of_a_call_in_the_schema_can_be_read(head):
    attributes = "name: n, description: d, tags: [t], points: 1, visibility: hidden, marks: [m], skip: why"
    (case,) = head(f"calls: [{{call: f, from: /a.js, returns: 1, {attributes}, options: {{timeoutMs: 7}}}}]")
    assert (case.name, case.points, case.visibility, case.options.timeout_ms) == ("n", 1, "hidden", 7)


def test_load_cases_takes_a_path_as_text(tmp_path):
    path = tmp_path / "x.sandbox.js"
    path.write_text("/*---\nexpct: 1\n---*/\n")
    with pytest.raises(CaseFileError):
        load_cases(str(path))
