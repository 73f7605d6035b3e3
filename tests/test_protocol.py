"""The child as any client sees it: frames in, one frame out, and every member of the request honoured."""

import base64
import json
import subprocess
import sys
from types import MappingProxyType

import pytest

from goccia_tools import FailureKind, Runner, RunResult, run
from goccia_tools.messages import REQUEST_MEMBERS, RESULT_MEMBERS


def speak(data, *options):
    """What a child answers on standard output to these bytes on standard input, and how it ends."""
    done = subprocess.run(
        [sys.executable, "-m", "goccia_tools.child", *options], input=data, capture_output=True, timeout=60, check=False
    )
    return done


def frame(message):
    payload = message if isinstance(message, bytes) else json.dumps(message).encode()
    return len(payload).to_bytes(4, "big") + payload


def ask(message, *options):
    """The run-result of a request, after checking that it is one frame and nothing else."""
    done = speak(frame(message), *options)
    length = int.from_bytes(done.stdout[:4], "big")
    assert len(done.stdout) == 4 + length
    assert (done.stderr, done.returncode) == (b"", 0)
    result = json.loads(done.stdout[4:])
    assert set(result) == {"type", "v", *RESULT_MEMBERS}
    return result


def request(source="1", **blocks):
    content = base64.b64encode(source.encode()).decode()
    return {
        "type": "run-request",
        "v": 1,
        "baseline": {"files": [{"path": "/main.js", "kind": "file", "base64": content}]},
        "entry": "/main.js",
        **blocks,
    }


@pytest.mark.adr("C02", "C07", "C08", "C10", "C31")
def test_any_client_can_drive_the_child_over_its_standard_streams():
    result = ask(request("console.log('hello'); ({answer: 42});"))
    assert result == {
        "type": "run-result",
        "v": 1,
        "ok": True,
        "exitCode": 0,
        "failureKind": "none",
        "errorMessage": "",
        "output": "hello\n",
        "errorOutput": "",
        "resultValue": {"answer": 42},
        "diffRequested": False,
        "diff": None,
        "truncated": False,
    }


@pytest.mark.adr("C18", "C19")
@pytest.mark.parametrize("version", [2, 0, -1, 1.0, "1", True, None, [1], {"major": 1}])
def test_another_version_runs_nothing_and_is_told_with_both_versions(version):
    # everything else is as wrong as can be: the version is looked at first
    for message in (
        {"type": "order", "v": version, "engine": 5},
        request("console.log('ran');", v=version, type="something else"),
    ):
        result = ask(message)
        assert (result["ok"], result["failureKind"], result["output"]) == (False, "host-error", "")
        assert "speaks 1" in result["errorMessage"]
        assert repr(version) in result["errorMessage"]


@pytest.mark.adr("C18", "C47")
@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b'{"v": NaN}', "not JSON"),
        (b"[]", "must be an object"),
        (b"{}", "v is missing"),
        (b'{"v": 1}', "type must be"),
        (request(entry=5), "entry must be a string"),
        (request(engine=[]), "engine must be an object, not array"),
        (request(engine={"sourceType": "typescript"}), "engine.sourceType must be one of script, module"),
        (request(engine={"fetch": {"maxResponseBytes": -1}}), "engine.fetch.maxResponseBytes"),
        (request(execution={"timeoutMs": "5"}), "execution.timeoutMs must be a whole number, not string"),
        (request(execution={"unsafeFFI": True}), "unsafeFFI"),
        (request(capabilities={"hostFilesystemLoading": True}), "hostFilesystemLoading"),
        (request(run={"isolated": False}), "run.isolated"),
        (request(run={"diffFormat": "html"}), "run.diffFormat must be one of json, unified"),
        (request(baseline={"files": [{"path": "/a", "kind": "file", "base64": "*"}]}), '"/a" is not base64'),
        (request(baseline={"files": [{"path": "/a", "kind": "link"}]}), 'must be "file" or "dir"'),
        (request("1 + 1", execution={"fsQuotaBytes": 3}), '"/main.js"'),
        (request(baseline={"files": [{"path": "/a/b", "kind": "dir"}]}, execution={"fsNodeLimit": 1}), '"/a/b"'),
    ],
)
def test_a_request_that_cannot_be_honoured_is_a_host_error_that_names_the_member(message, words):
    result = ask(message)
    assert (result["ok"], result["exitCode"], result["failureKind"]) == (False, 1, "host-error")
    assert words in result["errorMessage"]


@pytest.mark.adr("C47")
@pytest.mark.parametrize("options", [("--engine", "v8"), ("--jail", "maybe"), ("--verbose",), ("--parent",)])
def test_an_option_the_child_does_not_know_is_a_host_error(options):
    result = ask(request(), *options)
    assert result["failureKind"] == "host-error"
    assert options[0] in result["errorMessage"]


@pytest.mark.adr("C12", "C47")
def test_a_request_declared_over_the_limit_is_refused_before_it_is_read():
    done = speak(b"\xff\xff\xff\xff")
    assert json.loads(done.stdout[4:])["failureKind"] == "host-error"


@pytest.mark.adr("C07")
@pytest.mark.parametrize("data", [b"", b"\0\0", frame(request())[:-1]])
def test_a_request_that_never_comes_whole_has_no_answer(data):
    done = speak(data)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert done.returncode != 0


@pytest.mark.adr("C07")
def test_what_follows_the_request_is_not_read_as_another():
    done = speak(frame(request("1")) + frame(request("2")))
    assert json.loads(done.stdout[4:])["resultValue"] == 1


@pytest.fixture(scope="module", params=["spawn", "auto"])
def runner(request):
    with Runner(launcher=request.param) as shared:
        yield shared


@pytest.mark.adr("C21")
class TestEngineBlock:
    def test_source_type(self, runner):
        source = "export const x = typeof this; console.log(x);"
        assert runner.run(source, source_type="module").output == "undefined\n"

    @pytest.mark.parametrize(
        ("flag", "source"),
        [
            ("asi", "let x = 1\nx"),
            ("var", "var x = 1; x;"),
            ("function", "function f() { return 1; } f();"),
            ("traditional-for-loop", "for (let i = 0; i < 1; i++) {} 1;"),
            ("while-loops", "let i = 0; while (i < 1) { i = i + 1; } 1;"),
            ("loose-equality", "1 == 1;"),
            ("label", "a: { break a; } 1;"),
            ("for-in-loop", "for (const key in {}) {} 1;"),
        ],
    )
    def test_compatibility(self, runner, flag, source):
        assert runner.run(source, compatibility=[flag]).ok
        refused = runner.run(source)
        assert (refused.failure_kind, "SyntaxError" in refused.error_message) == ("script-error", True), refused

    def test_warn_unsupported_features(self, runner):
        result = runner.run("var x = 1; console.log('went on');", warn_unsupported_features=True)
        assert (result.failure_kind, result.output[-8:]) == ("none", "went on\n"), result

    def test_strict_types(self, runner):
        source = "const double = (x: number): number => x * 2; double('a');"
        assert runner.run(source).ok
        strict = runner.run(source, strict_types=True)
        assert (strict.failure_kind, "TypeError" in strict.error_message) == ("script-error", True)

    def test_unsafe_function_constructor(self, runner):
        source = "new Function('return 1')();"
        assert runner.run(source, unsafe_function_constructor=True).result_value == 1
        assert runner.run(source).failure_kind is FailureKind.SCRIPT_ERROR

    def test_unsafe_shadow_realm(self, runner):
        source = "new ShadowRealm().evaluate('1 + 1');"
        assert runner.run(source, unsafe_shadow_realm=True).result_value == 2
        assert runner.run(source).failure_kind is FailureKind.SCRIPT_ERROR

    @pytest.mark.adr("C45")
    def test_max_memory_bytes(self, runner):
        source = "const a = []; for (const i of Array(200000)) { a.push({a: a.length}); } a.length;"
        assert runner.run(source, max_memory_bytes=1 << 27).result_value == 200_000
        assert runner.run(source, max_memory_bytes=1 << 23).failure_kind is FailureKind.RESOURCE_LIMIT


@pytest.mark.adr("C23")
class TestExecutionBlock:
    def test_every_member_is_tested_here(self):
        named = {name.removeprefix("test_").replace("_", "").lower() for name in dir(self) if name.startswith("test_")}
        assert {member.lower() for member in REQUEST_MEMBERS["execution"]} <= named

    @pytest.mark.parametrize("mode", ["interpreter", "bytecode"])
    def test_mode(self, runner, mode):
        assert runner.run("6 * 7;", mode=mode).result_value == 42

    @pytest.mark.adr("C46", "C53")
    def test_timeout_ms(self, runner):
        endless = runner.run("for (;;) {}", compatibility="all", timeout_ms=200)
        assert (endless.failure_kind, endless.ok, endless.exit_code) == ("timeout", False, 1)
        assert "200ms" in endless.error_message
        busy = "const end = Date.now() + 300; for (; Date.now() < end; ) {} 1;"
        assert runner.run(busy, compatibility="all", timeout_ms=0).result_value == 1

    @pytest.mark.adr("C45")
    def test_max_instructions(self, runner):
        source = "let n = 0; for (; n < 1e6; ) { n = n + 1; } n;"
        limited = runner.run(source, compatibility="all", max_instructions=100_000)
        assert (limited.failure_kind, "100000" in limited.error_message) == ("resource-limit", True)
        assert runner.run(source, compatibility="all", max_instructions=0, timeout_ms=20_000).result_value == 1e6
        # the count is the same every time
        again = [runner.run(source, compatibility="all", max_instructions=2_000_000).failure_kind for _ in range(3)]
        assert len(set(again)) == 1

    def test_deterministic(self, runner):
        source = "console.log(Math.random(), Date.now(), new Date().getTimezoneOffset());"
        first, second = (runner.run(source, deterministic=True).output for _ in range(2))
        assert first == second
        assert runner.run(source).output != runner.run(source).output

    def test_unsafe_ffi(self, runner):
        refused = runner.run("1", unsafe_ffi=True)
        assert (refused.failure_kind, "unsafeFFI" in refused.error_message) == ("host-error", True)

    @pytest.mark.adr("C44")
    def test_fs_quota_bytes(self, runner):
        source = "import fs from 'fs'; fs.writeFileSync('/a', 'x'.repeat(5000)); console.log('written');"
        assert runner.run(source, source_type="module", fs_quota_bytes=10_000).output == "written\n"
        assert runner.run(source, source_type="module", fs_quota_bytes=0).output == "written\n"
        refused = runner.run(source, source_type="module", fs_quota_bytes=3000)
        assert (refused.failure_kind, "ENOSPC" in refused.error_message) == ("script-error", True)

    @pytest.mark.adr("C44")
    def test_fs_node_limit(self, runner):
        source = "import fs from 'fs'; fs.mkdirSync('/a'); fs.mkdirSync('/b'); console.log('made');"
        assert runner.run(source, source_type="module", fs_node_limit=10).output == "made\n"
        assert runner.run(source, source_type="module", fs_node_limit=0).output == "made\n"
        refused = runner.run(source, source_type="module", fs_node_limit=2)
        assert (refused.failure_kind, "ENOSPC" in refused.error_message) == ("script-error", True)

    def test_import_map(self, runner):
        result = runner.run(
            "import value from 'tool'; console.log(value);",
            source_type="module",
            seeds={"/lib/tool.js": "export default 'mapped';"},
            import_map={"imports": {"tool": "/lib/tool.js"}},
        )
        assert result.output == "mapped\n", result

    def test_aliases(self, runner):
        result = runner.run(
            "import value from '@lib/tool.js'; console.log(value);",
            source_type="module",
            seeds={"/lib/tool.js": "export default 'aliased';"},
            aliases=["@lib/=/lib/"],
        )
        assert result.output == "aliased\n", result


@pytest.mark.adr("C30", "C34", "C35")
class TestRunBlock:
    SOURCE = """
    import fs from "fs";
    fs.writeFileSync("/new.txt", "new\\n");
    fs.writeFileSync("/old.txt", "changed\\n");
    fs.rmSync("/gone.txt");
    """
    SEEDS = MappingProxyType({"/old.txt": "old\n", "/gone.txt": "gone\n", "/same.txt": "same\n"})

    def changes(self, **fields) -> RunResult:
        return run(self.SOURCE, seeds=self.SEEDS, source_type="module", **fields)

    @pytest.mark.adr("C42")
    def test_no_diff_unless_asked(self):
        result = self.changes()
        assert (result.diff_requested, result.diff, result.changes) == (False, None, ())

    def test_json(self):
        result = self.changes(include_diff=True)
        assert result.diff_requested is True
        assert {change.path: (change.kind, change.content) for change in result.changes} == {
            "/gone.txt": ("delete", None),
            "/new.txt": ("create", b"new\n"),
            "/old.txt": ("modify", b"changed\n"),
        }

    def test_unified(self, tmp_path):
        result = self.changes(include_diff=True, diff_format="unified")
        for path, text in self.SEEDS.items():
            (tmp_path / path[1:]).write_text(text)
        done = subprocess.run(
            ["patch", "-p0", "-d", str(tmp_path)], input=result.diff, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, (done, result.diff)
        assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
            "new.txt": "new\n",
            "old.txt": "changed\n",
            "same.txt": "same\n",
        }

    def test_metadata(self):
        assert "/same.txt" not in self.changes(include_diff=True, diff_metadata=True).diff

    def test_a_failed_run_has_its_diff_too(self):
        result = run(self.SOURCE + "throw 1;", seeds=self.SEEDS, source_type="module", include_diff=True)
        assert result.failure_kind is FailureKind.SCRIPT_ERROR
        assert "/new.txt" in {change.path for change in result.changes}


@pytest.mark.adr("C43", "C44")
class TestKinds:
    def test_a_clean_end(self, runner):
        result = runner.run("")
        assert (result.ok, result.exit_code, result.failure_kind, result.error_message) == (True, 0, "none", "")

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("let = ;", "SyntaxError"),
            ("import nothing from '/nothing.js';", "/nothing.js"),
            ("import {nothing} from '/main.js';", "nothing"),
            ("throw new RangeError('far');", "RangeError: far"),
            ("throw 'a string';", "a string"),
            ("throw null;", "null"),
            ("throw undefined;", "undefined"),
            ("throw {code: 7};", ""),
            ("await Promise.reject(new Error('late'));", "Error: late"),
        ],
    )
    def test_a_script_error(self, runner, source, words):
        result = runner.run(source, source_type="module")
        assert (result.ok, result.exit_code, result.failure_kind) == (False, 1, "script-error")
        assert words in result.error_message
        # the report on the error stream is the message, and ends its line
        assert result.error_output.rstrip("\n") == result.error_message.rstrip("\n")
        assert result.error_output.endswith("\n")

    def test_a_missing_entry(self, runner):
        result = runner.run(entry="/nowhere.js")
        assert (result.failure_kind, "/nowhere.js" in result.error_message) == ("script-error", True)


@pytest.mark.adr("C33")
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("null;", None),
        ("undefined;", None),
        ("true;", True),
        ("1.5;", 1.5),
        ("NaN;", None),
        ("'text';", "text"),
        ("[1, [2], {a: 3}];", [1, [2], {"a": 3}]),
        ("({a: undefined, b: 1});", {"a": None, "b": 1}),
    ],
)
def test_the_result_value_is_the_programs_value_as_json(runner, source, value):
    assert runner.run(source).result_value == value
