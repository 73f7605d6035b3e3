"""One project with everything in it, run in one process and by two workers: the outcome and the text of every row."""

import os
import re

import pytest

from .conftest import MODES, run_pytest

GOOD = "/*---\nexpect: {output: \"hi\\n\", resultValue: 3}\n---*/\nconsole.log('hi');\n3;\n"

FILES = {
    "plain.sandbox.js": "1;\n",
    "good.sandbox.js": GOOD,
    "marked.sandbox.js": "\ufeff" + GOOD,
    "crlf.sandbox.js": "#!/usr/bin/env goccia\r\n" + GOOD.replace("\n", "\r\n"),
    "sp ace (1).sandbox.js": GOOD,
    "weird [x].sandbox.js": GOOD,
    "-dash.sandbox.js": GOOD,
    "日本.sandbox.js": GOOD,
    "deep/er/good.sandbox.js": GOOD,
    "wrong.sandbox.js": "/*---\nexpect:\n  output: |\n    a\n    b\n---*/\nconsole.log('a');\nconsole.log('c');\n",
    "throws.sandbox.js": "/*---\ndescription: x\n---*/\nconst f = () => { throw new TypeError('no'); };\nf();\n",
    "loop.sandbox.js": "/*---\noptions: {timeoutMs: 200, compatibility: all}\n---*/\nwhile (true) {}\n",
    "typo.sandbox.js": "/*---\nname: x\nexpct: {output: a}\n---*/\n1;\n",
    "latin.sandbox.js": b"1;\n// caf\xe9\n",
    "sixteen.sandbox.js": "1;".encode("utf-16"),
    "yaml.sandbox.js": "/*---\nexpect: [\n---*/\n1;\n",
    "contradiction.sandbox.js": "/*---\nexpect: {ok: true, failureKind: timeout}\n---*/\n1;\n",
    "many.sandbox.js": """\
/*---
cases:
  - {name: same, expect: {resultValue: 2}}
  - {name: same, expect: {resultValue: 1}}
  - {name: "a::b [c]", expect: {resultValue: 1}}
  - {name: skipped, skip: not today}
  - {name: elsewhere, skipif: platform == "nowhere"}
  - {name: known, xfail: counts wrong, expect: {resultValue: 9}}
  - {name: strict, xfail: {strict: true}, expect: {resultValue: 1}}
  - {name: lenient, xfail: {strict: false}, expect: {resultValue: 1}}
  - {name: raises, xfail: {raises: timeout}, expect: {resultValue: 9}}
---*/
1;
""",
    "slow.sandbox.js": (
        "/*---\noptions: {timeoutMs: 200, compatibility: all}\nxfail: {raises: timeout}\n---*/\nwhile (true) {}\n"
    ),
    "table.sandbox.js": (
        "/*---\nparametrize: {n: [1, 2]}\nexpect: {resultValue: '${n}'}\n---*/\n"
        "import p from '/param.json' with { type: 'json' };\n1;\n"
    ),
    "calls.sandbox.js": (
        "/*---\ncalls:\n  - {call: f, args: [1], returns: 2}\n  - {call: f, args: [2], returns: 2}\n---*/\n"
        "export const f = (n) => n + 1;\n"
    ),
    "inline.sandbox.js": "1 + 1; // => 3\n",
    "controls.sandbox.js": (
        "/*---\nexpect: {output: x}\n---*/\n"
        "console.log('\\x1b[31mred\\x00\\x01</pre><script>\\u2028' + String.fromCharCode(0xd800));\n"
    ),
    "fixture.sandbox.js": (
        "/*---\nfixtures: {data: /in/data.json, text: /t.txt}\nexpect: {resultValue: [7, hello]}\n---*/\n"
        "import fs from 'fs';\nimport d from '/in/data.json' with { type: 'json' };\n"
        "[d.n, fs.readFileSync('/t.txt', 'utf8')];\n"
    ),
    "badfixture.sandbox.js": "/*---\nfixtures: [thing]\n---*/\n1;\n",
    "nofixture.sandbox.js": "/*---\nfixtures: [nothing]\n---*/\n1;\n",
    "files.sandbox.js": (
        "/*---\nfiles: {/lib.js: {from: shared/lib.js}}\nexpect: {resultValue: 5}\n---*/\n"
        "import { five } from '/lib.js';\nfive;\n"
    ),
    "shared/lib.js": "export const five = 5;\n",
    "helper_FIXTURE.js": "throw new Error('collected');\n",
    "helper_FIXTURE.sandbox.js": "throw new Error('collected');\n",
    "node_modules/x/a.sandbox.js": "throw new Error('collected');\n",
    "other.js": "throw new Error('collected');\n",
    "test.yml": "- case: x\n",
    "conftest.py": (
        "import pytest\n@pytest.fixture\ndef data():\n    return {'n': 7}\n"
        "@pytest.fixture\ndef text():\n    return 'hello'\n@pytest.fixture\ndef thing():\n    return object()\n"
    ),
    "test_python.py": (
        "def test_good(sandbox):\n"
        "    assert sandbox.run('console.log(1); 2') == sandbox.expect(output='1\\n', resultValue=2)\n"
        "def test_bad(sandbox):\n    assert sandbox.run('console.log(1)') == sandbox.expect(output='2\\n')\n"
        "def test_two(sandbox):\n    assert sandbox.run('1') == sandbox.run('2')\n"
    ),
}

OUTCOMES = {
    "plain.sandbox.js::plain": "PASSED",
    "good.sandbox.js::good": "PASSED",
    "marked.sandbox.js::marked": "PASSED",
    "crlf.sandbox.js::crlf": "PASSED",
    "sp ace (1).sandbox.js::sp-ace-1": "PASSED",
    "weird [x].sandbox.js::weird-x": "PASSED",
    "-dash.sandbox.js::dash": "PASSED",
    "日本.sandbox.js::日本": "PASSED",
    "deep/er/good.sandbox.js::good": "PASSED",
    "wrong.sandbox.js::wrong": "FAILED",
    "throws.sandbox.js::throws": "FAILED",
    "loop.sandbox.js::loop": "FAILED",
    "typo.sandbox.js::typo": "FAILED",
    "latin.sandbox.js::latin": "FAILED",
    "sixteen.sandbox.js::sixteen": "FAILED",
    "yaml.sandbox.js::yaml": "FAILED",
    "contradiction.sandbox.js::contradiction": "FAILED",
    "many.sandbox.js::same": "FAILED",
    "many.sandbox.js::same-2": "PASSED",
    "many.sandbox.js::a-b-c": "PASSED",
    "many.sandbox.js::elsewhere": "PASSED",
    "many.sandbox.js::known": "XFAIL",
    "many.sandbox.js::strict": "FAILED",
    "many.sandbox.js::lenient": "XPASS",
    "many.sandbox.js::raises": "FAILED",
    "slow.sandbox.js::slow": "XFAIL",
    "table.sandbox.js::table[1]": "PASSED",
    "table.sandbox.js::table[2]": "FAILED",
    "calls.sandbox.js::f-1": "PASSED",
    "calls.sandbox.js::f-2": "FAILED",
    "inline.sandbox.js::inline": "FAILED",
    "controls.sandbox.js::controls": "FAILED",
    "fixture.sandbox.js::fixture": "PASSED",
    "badfixture.sandbox.js::badfixture": "FAILED",
    "nofixture.sandbox.js::nofixture": "ERROR",
    "files.sandbox.js::files": "PASSED",
    "test_python.py::test_good": "PASSED",
    "test_python.py::test_bad": "FAILED",
    "test_python.py::test_two": "FAILED",
}


@pytest.fixture(scope="module", params=MODES)
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n")
    return run_pytest(folder, *MODES[request.param], env={"COLUMNS": "400", "PYTHONHASHSEED": "random"})


def test_every_row_has_its_outcome_and_nothing_else_is_collected(run):
    assert run.outcomes == OUTCOMES
    assert run.status == 1
    assert "not today" in run.text
    assert "INTERNALERROR" not in run.text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong", ["output (line 3): differs from line 2, column 1 on", "- b", "+ c", "--sandbox-update"]),
        ("throws", ["script-error: TypeError: no", "--> /throws.sandbox.js:5:2", "5 | f();", "^"]),
        ("loop", ["timeout: still running after timeoutMs 200", "sandbox_timeout_ms"]),
        ("typo", ['typo.sandbox.js:3: unknown key "expct"; did you mean "expect"?', "3 | expct: {output: a}"]),
        ("latin", ["latin.sandbox.js:2: byte 0xe9 is not UTF-8", "save the file as UTF-8"]),
        ("sixteen", ["sixteen.sandbox.js:1: is encoded as UTF-16"]),
        ("yaml", ["yaml.sandbox.js:3: not valid YAML"]),
        ("contradiction", ["contradiction.sandbox.js:2: ok true contradicts failureKind timeout"]),
        ("same", ["resultValue (line 3): expected 2, got 1", "rerun: pytest many.sandbox.js::same"]),
        ("table[2]", ["expected 2, got 1", "rerun: pytest 'table.sandbox.js::table[2]'"]),
        ("f-2", ["f(2)", "returns (line 4): expected 2, got 3"]),
        ("inline", ["// => (line 1): expected 3, got 2"]),
        ("controls", ["\\u001b[31mred\\u0000\\u0001</pre>", "\\u2028\ufffd"]),
        ("badfixture", ['the value of the fixture "thing" is no JSON data']),
        ("nofixture", ["fixture 'nothing' not found"]),
        ("test_bad", ["the run-result is not as expected", 'output: expected "2\\n", got "1\\n"']),
        ("test_two", ["run-results differ", "resultValue: 1 == 2"]),
    ],
)
def test_what_a_person_reads(run, name, words):
    text = run.message(name)
    for word in words:
        assert word in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)
    assert "_pytest" not in text
    assert "goccia_tools/cases" not in text


def test_the_short_summary_says_why(run):
    assert "FAILED many.sandbox.js::same - resultValue: expected 2, got 1" in run.text
    assert 'FAILED typo.sandbox.js::typo - line 3: unknown key "expct"' in run.text


def test_properties_in_the_junit_report(run):
    assert run.properties("good").items() >= {("failureKind", "none"), ("exitCode", "0"), ("truncated", "False")}
    assert run.properties("loop")["failureKind"] == "timeout"
    assert 0.2 <= float(run.properties("loop")["duration"]) < 30
    assert run.properties("throws")["exitCode"] == "1"


def test_guest_text_is_harmless_in_the_report(run):
    assert "\x1b[31m" not in run.text
    assert "\x00" not in run.text


@pytest.mark.skipif(os.name != "posix", reason="/proc is Linux's")
def test_no_process_is_left(run):
    def parent(pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return None

    children = [pid for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == os.getpid()]
    commands = []
    for pid in children:
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                commands.append(file.read())
        except OSError:
            continue
    assert not [command for command in commands if "mixed" in command]
