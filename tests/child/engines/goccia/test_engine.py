"""The engine goccia over whole runs: what a runner is given, and what comes of whatever it does."""

import base64
import json
import os
import re
import signal
import time

import psutil
import pytest

from goccia_tools import FailureKind, Runner, RunOptions


@pytest.fixture(scope="module")
def runner(standin_runner):
    with Runner(engine="goccia", runner_path=standin_runner) as shared:
        yield shared


#: runs the program of the test instead of a guest's, and knows where its driver's lines go
SPEAKS = """
import base64, json, os, re, sys, time
words = sys.argv[1:]
seeds = json.load(open(next(w for w in words if w.startswith("--seed-config=")).partition("=")[2]))["files"]
texts = {seed["path"]: base64.b64decode(seed["base64"]).decode() for seed in seeds if "path" in seed}
driver = texts.get(words[0], "")
found = re.search('const word = "([0-9a-f]+)"', driver)
word = found and found[1]
def say(letter, value):
    print(word + letter + json.dumps(value), flush=True)
def tell(kind="none", message="", output="", value="null"):
    say("R", [kind, bool(message)]); say("M", [message, None]); say("O", [output, None]); print(word + "V" + value)
    say("E", 0)
"""


def of(make_runner, body, **settings):
    return Runner(engine="goccia", runner_path=make_runner(SPEAKS + body), **settings)


class TestWhatARunnerIsGiven:
    @pytest.mark.adr("C03", "C04", "C05")
    def test_streams_files_in_memory_and_nothing_of_the_parents(self, make_runner, tmp_path, monkeypatch):
        monkeypatch.setenv("SECRET", "1")
        report = tmp_path / "report.json"
        body = f"""
links = {{}}
for name in os.listdir("/proc/self/fd"):
    try:
        links[name] = os.readlink("/proc/self/fd/" + name)
    except OSError:
        pass
json.dump({{"environment": dict(os.environ), "links": links, "directory": os.getcwd(), "holds": os.listdir("."),
    "group": os.getpgid(0), "parent": os.getppid(), "words": words}}, open({str(report)!r}, "w"))
tell()
"""
        secret = os.open(report.parent, os.O_RDONLY)
        os.set_inheritable(secret, True)
        try:
            with of(make_runner, body) as runner:
                result = runner.run("1;", include_diff=True, import_map={"imports": {}})
        finally:
            os.close(secret)
        assert result.ok, result.error_message
        seen = json.loads(report.read_text())
        # Python itself sets this one where there is no locale
        assert set(seen["environment"]) <= {"LC_CTYPE"}
        assert seen["holds"] == []
        assert "goccia-nowhere-" in seen["directory"]
        assert seen["links"]["0"] == "/dev/null"
        others = [link for name, link in seen["links"].items() if name not in "012" and "/fd" not in link]
        assert len(others) == 3
        assert all(link.startswith("/memfd:goccia-tools") for link in others)
        # the child leads its group, which is what the parent kills
        assert seen["group"] == seen["parent"]

    def test_every_option_of_a_request(self, make_runner, tmp_path):
        report = tmp_path / "words.json"
        with of(make_runner, f"json.dump(words, open({str(report)!r}, 'w'))\ntell()") as runner:
            options = RunOptions(
                source_type="module",
                compatibility=("compat-var", "experimental-js-module-source"),
                warn_unsupported_features=True,
                strict_types=True,
                unsafe_function_constructor=True,
                unsafe_shadow_realm=True,
                max_memory_bytes=12345678,
                deny_private_ranges=True,
                max_response_bytes=99,
                mode="bytecode",
                timeout_ms=4321,
                unsafe_ffi=True,
                fs_quota_bytes=77_777,
                fs_node_limit=55,
                import_map={"imports": {"a": "/b.js"}},
                aliases=("@/=/src/",),
                allowed_fetch_hosts=("example.org", "example.net"),
            )
            assert runner.run("1;", options=options).ok
        words = json.loads(report.read_text())
        assert words[0].endswith(".js")
        import_map = next(word for word in words if word.startswith("--import-map=/dev/fd/"))
        seeds = next(word for word in words if word.startswith("--seed-config=/dev/fd/"))
        assert set(words[1:]) - {import_map, seeds} == {
            "--mode=bytecode",
            "--source-type=module",
            "--compat-var",
            "--experimental-js-module-source",
            "--warning-unsupported-features",
            "--strict-types",
            "--unsafe-function-constructor",
            "--unsafe-shadowrealm",
            "--max-memory=12345678",
            "--fetch-deny-private-ranges",
            "--fetch-max-response-bytes=99",
            "--timeout=4321",
            "--max-instructions=0",
            "--unsafe-ffi",
            "--fs-quota-bytes=77777",
            "--fs-node-limit=55",
            "--alias=@/=/src/",
            "--allowed-host=example.org",
            "--allowed-host=example.net",
            "--no-host-filesystem",
        }

    @pytest.mark.parametrize(
        ("fields", "member"),
        [
            ({"timeout_ms": 2**31}, "execution.timeoutMs"),
            ({"fs_node_limit": 2**31}, "execution.fsNodeLimit"),
            ({"aliases": ["a=\0"]}, "execution.aliases"),
            ({"allowed_fetch_hosts": ["a\0b"]}, "capabilities.allowedFetchHosts"),
        ],
    )
    def test_what_a_command_line_cannot_say_is_refused_by_name(self, runner, fields, member):
        result = runner.run("1;", **fields)
        assert result.failure_kind is FailureKind.HOST_ERROR
        assert result.error_message.startswith(f"the request cannot be honoured: {member}: ")

    def test_no_file_of_the_run_is_on_a_disk(self, make_runner, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        with of(make_runner, "os._exit(0) if not word else tell()") as runner:
            assert runner.run("1;").ok
            assert not [name for name in os.listdir(tmp_path) if not name.startswith("goccia-nowhere-")]


class TestWhatComesBack:
    def test_value_output_files_and_notes(self, runner):
        result = runner.run(
            'import fs from "fs";\n'
            'fs.writeFileSync("/b.bin", new Uint8Array([0, 255, 128])); fs.mkdirSync("/d"); fs.rmSync("/old.txt");\n'
            'console.log(fs.readdirSync("/empty").length, "\\ud800");\n({ a: [1, undefined, -0, NaN], n: 2n });\n',
            seeds={"/old.txt": "x", "/empty": None},
            include_diff=True,
        )
        assert result.ok, result.error_message
        assert result.output == "0 \ufffd\n"
        assert result.result_value == {"a": [1, None, 0, None], "n": None}
        assert [(change.kind, change.path, change.content) for change in result.changes] == [
            ("create", "/b.bin", b"\0\xff\x80"),
            ("mkdir", "/d", None),
            ("delete", "/old.txt", None),
        ]
        assert result.notes == ("jail off: GocciaSandboxRunner is not confined",)

    def test_a_unified_diff_is_one(self, runner):
        result = runner.run(
            'import fs from "fs"; fs.writeFileSync("/a.txt", "1\\n2\\n");',
            seeds={"/a.txt": "1\n"},
            include_diff=True,
            diff_format="unified",
        )
        assert result.diff == "--- a.txt\n+++ a.txt\n@@ -1,1 +1,2 @@\n 1\n+2\n"

    def test_stamps_of_what_was_not_touched_stay(self, runner):
        result = runner.run(
            'import fs from "fs"; fs.appendFileSync("/a.txt", "2");',
            seeds={"/a.txt": "1", "/b.txt": "1"},
            include_diff=True,
            diff_metadata=True,
        )
        changed = json.loads(result.diff)["metadataChanges"]
        assert {entry["path"] for entry in changed} == {"/a.txt", "/main.js"}
        for entry in changed:
            for pair in entry["changes"].values():
                assert abs(pair["new"] - time.time() * 1000) < 60_000

    @pytest.mark.parametrize("quota", [1, 40])
    def test_quotas_are_the_requests_though_a_driver_is_there(self, runner, quota):
        program = (
            'import fs from "fs";\n'
            f'try {{ fs.writeFileSync("/a", "x".repeat({quota})); fs.writeFileSync("/b", ""); }}'
            " catch (e) { console.log(e.code); }\n"
            f'try {{ fs.writeFileSync("/a", "x".repeat({quota + 1})); }} catch (e) {{ console.log(e.code); }}\n'
            'fs.readdirSync("/").filter((name) => !name.startsWith("module-"));\n'
        )
        result = runner.run(program, fs_quota_bytes=len(program) + quota, fs_node_limit=2)
        assert result.ok, result.error_message
        assert result.output == "ENOSPC\nENOSPC\n"
        assert result.result_value == ["a", "main.js"]

    @pytest.mark.parametrize("mode", ["interpreter", "bytecode"])
    def test_no_frame_of_the_driver_is_in_a_report(self, runner, mode):
        result = runner.run('console.log(new Error("x").stack);\nconst f = () => null.x;\nf();\n', mode=mode)
        assert result.failure_kind is FailureKind.SCRIPT_ERROR
        text = result.output + result.error_message
        assert "/main.js" in text
        assert not re.search(r"[0-9a-f]{32}", text)

    def test_a_missing_entry_starts_no_runner(self, make_runner):
        with of(make_runner, "os.kill(os.getpid(), 9)") as runner:
            result = runner.run(entry="/x/../gone.js", seeds={"/a": "1"})
        assert (result.failure_kind, result.error_message, result.error_output) == (
            FailureKind.SCRIPT_ERROR,
            "sandbox entry file not found: /gone.js",
            "",
        )

    def test_the_random_stream_of_a_deterministic_run(self, runner):
        program = "console.log(Math.random());\n[Math.random()];\n"
        # two attempts, and on a busy machine each may take seconds to start
        result = runner.run(program, deterministic=True, timeout_ms=60_000)
        assert result.ok, result.error_message
        assert (result.output, result.result_value) == ("0.8833108082136426\n", [0.43152799704850997])

    def test_a_program_that_does_something_else_every_time_has_output_and_value_of_one_run(self, runner):
        for _ in range(3):
            program = "// runScript\nconst n = Math.random(); console.log(n); n;\n"
            result = runner.run(program)
            assert float(result.output) == result.result_value

    def test_long_output_is_cut_and_counted(self, runner):
        result = runner.run('console.log("é".repeat(3000000));', max_memory_bytes=256 * 1024 * 1024, timeout_ms=30_000)
        assert result.ok, result.error_message
        assert len(result.output.encode()) <= 4 * 1024 * 1024
        kept, lost = re.fullmatch(r"(é+)… \[truncated (\d+) bytes\]", result.output, re.DOTALL).groups()
        assert len(kept.encode()) + int(lost) == 6_000_001

    def test_a_value_over_its_limit_is_the_fallback_and_a_deep_one_is_null(self, make_runner):
        large = json.dumps("x" * 17 * 1024 * 1024)
        with of(make_runner, f"tell(value={large[:20]!r} + 'x' * (17 << 20) + '\"')") as runner:
            result = runner.run("1;")
            assert (result.ok, result.truncated, result.result_value) == (True, True, None)
        for depth, expected in ((200, None), (201, None), (199, list)):
            with of(make_runner, f"tell(value='[' * {depth + 1} + ']' * {depth + 1})") as runner:
                value = runner.run("1;").result_value
                assert (value is None) == (expected is None)


class TestCeilings:
    @pytest.mark.adr("C46")
    def test_a_timeout_that_ends_the_driver_too_keeps_output_and_changes(self, runner):
        result = runner.run(
            'import fs from "fs"; fs.writeFileSync("/early.txt", "e"); console.log("start"); while (true) {}',
            compatibility="all",
            timeout_ms=250,
            include_diff=True,
        )
        assert (result.failure_kind, result.error_message) == (FailureKind.TIMEOUT, "file timed out after 250ms")
        assert [(change.kind, change.path, change.new_bytes) for change in result.changes] in (
            [("create", "/early.txt", 1)],
            [],
        )

    @pytest.mark.adr("C45")
    def test_an_instruction_limit_is_told_by_the_run_itself_not_by_a_text(self, runner):
        text = "Execution exceeded instruction limit of 50000"
        result = runner.run("console.log('a'); while (true) {}", compatibility="all", max_instructions=50_000)
        assert (result.failure_kind, result.error_message) == (FailureKind.RESOURCE_LIMIT, text)
        assert result.output == "a\n"
        result = runner.run(f'throw "{text}";', max_instructions=50_000)
        assert (result.failure_kind, result.error_message) == (FailureKind.SCRIPT_ERROR, text)

    def test_a_text_like_a_timeout_is_no_timeout(self, runner):
        for options in ({}, {"deterministic": True}):
            result = runner.run('throw "file timed out after 5000ms";', **options)
            assert result.failure_kind is FailureKind.SCRIPT_ERROR

    def test_changes_come_from_the_runner_when_the_driver_ended_before_it_told_all(self, make_runner):
        document = {
            "changes": [
                {"kind": "delete", "path": "DRIVER", "oldBytes": 9, "newBytes": 0},
                {"kind": "create", "path": '/a"b', "oldBytes": 0, "newBytes": 5},
                {"kind": "mkdir", "path": "/d", "oldBytes": 0, "newBytes": 0},
            ],
            "metadataChanges": [{"path": "/main.js", "changes": {"atimeMs": {"old": 1.5, "new": 2}}}],
        }
        body = f"""
say("R", ["timeout", True])
say("M", ["file timed out after 300ms", None])
say("O", ["out", None])
print(word + "Vnull")
text = {json.dumps(document)!r}.replace("DRIVER", words[0])
open(next(w for w in words if w.startswith("--diff-output=")).partition("=")[2], "w").write(text)
print("file timed out after 300ms", file=sys.stderr); sys.exit(1)
"""
        with of(make_runner, body) as runner:
            result = runner.run("1;", timeout_ms=300, include_diff=True, diff_metadata=True)
            assert (result.failure_kind, result.output) == (FailureKind.TIMEOUT, "out")
            assert json.loads(result.diff) == {**document, "changes": document["changes"][1:]}
            assert '    { "kind": "create", "path": "/a\\"b", "oldBytes": 0, "newBytes": 5 },\n' in result.diff
            result = runner.run("1;", timeout_ms=300, include_diff=True, diff_format="unified")
            assert result.diff == 'Binary files /dev/null and a"b differ\n'


class TestDeathsAndLies:
    @pytest.mark.adr("C49")
    @pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGKILL", "SIGILL"])
    def test_a_runner_that_dies_takes_its_child_along(self, make_runner, name):
        body = f"print('last words', file=sys.stderr, flush=True); os.kill(os.getpid(), {int(signal.Signals[name])})"
        with of(make_runner, body) as runner:
            result = runner.run("1;")
        assert result.failure_kind is FailureKind.CHILD_PROCESS_CRASH
        assert f"({name})" in result.error_message
        assert result.error_message.endswith("stderr of the child:\nlast words")

    @pytest.mark.adr("C48")
    def test_the_status_of_a_runtime_error_is_told(self, make_runner):
        body = "print('Runtime error 216 at $0000', file=sys.stderr, flush=True); os._exit(216)"
        with of(make_runner, body) as runner:
            result = runner.run("1;", deterministic=True)
        assert result.failure_kind is FailureKind.CHILD_PROCESS_CRASH
        assert result.error_message.startswith("the child exited with status 216; no result had come")
        assert "Runtime error 216" in result.error_message

    @pytest.mark.parametrize("launcher", ["spawn", "fork-server"])
    def test_one_that_hangs_is_killed_with_its_child(self, make_runner, tmp_path, launcher):
        report = tmp_path / "pid"
        body = f"open({str(report)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
        with of(make_runner, body, launcher=launcher, grace_ms=300) as runner:
            result = runner.run("1;", timeout_ms=700)
            assert result.failure_kind is FailureKind.CHILD_PROCESS_CRASH
            assert result.error_message == "execution deadline exceeded; child hard-killed after 1000ms"
            wait_until_gone(int(report.read_text()))

    def test_it_dies_when_only_its_child_is_killed(self, make_runner, tmp_path):
        report = tmp_path / "pid"
        body = f"open({str(report)!r} + '.new', 'w').write(str(os.getpid()) + ' ' + str(os.getppid()))\n"
        body += f"os.rename({str(report)!r} + '.new', {str(report)!r})\nos.setpgid(0, 0)\ntime.sleep(60)"
        import threading

        with of(make_runner, body) as runner:
            thread = threading.Thread(target=lambda: runner.run("1;", timeout_ms=30_000))
            thread.start()
            while not report.exists():
                time.sleep(0.01)
            pid, child = map(int, report.read_text().split())
            os.kill(child, signal.SIGKILL)
            thread.join()
            wait_until_gone(pid)

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ("print('Error: Unknown option: --mode', file=sys.stderr); sys.exit(1)", "Error: Unknown option: --mode"),
            ("pass", "GocciaSandboxRunner ended without a word"),
            ("print('hello'); sys.exit(1)", "GocciaSandboxRunner ended without a word"),
            ("print('\\0' * 100000 + 'R'); sys.exit(0)", "GocciaSandboxRunner ended without a word"),
            ('print(\'R["none", false]\\nM["", null]\\nO["", null]\\nV1\')', "ended without a word"),
            ("say('R', ['none', False])", "ended without a word"),
            ("print(word + 'Rnonsense'); print(word); print(word + 'R')", "ended without a word"),
            ("print('Warning: ignoring discovered configuration /goccia.json. x', file=sys.stderr)", "without a word"),
        ],
    )
    def test_what_is_no_answer_is_a_fault_of_the_host(self, make_runner, body, words):
        with of(make_runner, body) as runner:
            result = runner.run("1;")
        assert result.failure_kind is FailureKind.HOST_ERROR
        assert words in result.error_message

    def test_what_else_it_prints_is_not_in_the_output(self, make_runner):
        body = "print('Warning: var\\n  --> /main.js:1:1'); tell(output='mine\\n'); print('later')"
        with of(make_runner, body) as runner:
            assert runner.run("1;").output == "mine\n"

    def test_a_crash_after_everything_was_told_changes_nothing(self, make_runner):
        with of(make_runner, "tell(value='7')\nsys.stdout.flush()\nos.kill(os.getpid(), 11)") as runner:
            result = runner.run("1;")
        assert (result.ok, result.result_value) == (True, 7)

    def test_one_that_is_gone_is_a_fault_of_the_host(self, make_runner):
        path = make_runner("")
        with Runner(engine="goccia", runner_path=path) as runner:
            os.unlink(path)
            result = runner.run("1;")
        assert result.failure_kind is FailureKind.HOST_ERROR
        assert result.error_message == f"engine: cannot start {path}: No such file or directory"

    def test_output_that_did_not_fit_its_memory_is_a_ceiling(self, make_runner):
        with of(make_runner, "say('X', 'RangeError: Allocation failed') if word else print('x')") as runner:
            result = runner.run("1;", timeout_ms=20_000)
            assert (result.ok, result.output) == (True, "x\n")
        with of(make_runner, "time.sleep(0.4 if word else 9)\nsay('X', 'RangeError: Allocation failed')") as runner:
            result = runner.run("1;", timeout_ms=300)
        assert result.failure_kind is FailureKind.TIMEOUT
        assert "the output is lost" in result.output


def test_a_required_jail_is_a_host_error_and_none_is_claimed(standin_runner):
    with Runner(engine="goccia", runner_path=standin_runner, jail="required") as runner:
        result = runner.run("1;")
    assert result.failure_kind is FailureKind.HOST_ERROR
    assert "which is not confined" in result.error_message
    assert result.notes == ("jail off: GocciaSandboxRunner is not confined",)


def test_requests_in_the_form_of_the_wire(runner):
    request = {
        "type": "run-request",
        "v": 1,
        "entry": "/a/main.js",
        "baseline": {"files": [{"path": "/a/main.js", "kind": "file", "base64": base64.b64encode(b"6 * 7;").decode()}]},
    }
    results = dict(runner.run_many([request] * 4, jobs=2))
    assert [results[index].result_value for index in range(4)] == [42] * 4


def wait_until_gone(pid):
    for _ in range(200):
        if not psutil.pid_exists(pid):
            return
        time.sleep(0.02)
    raise AssertionError(f"{psutil.Process(pid)} is still there")
