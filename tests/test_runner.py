"""The door: what it takes, what it refuses and in which words, and many runs at once."""

import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import orjson
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import goccia_tools
from goccia_tools import FailureKind, OptionError, Runner, RunOptions, Seed, SeedError, UnavailableError
from goccia_tools.frames import MAX_FRAME_BYTES
from goccia_tools.request import RequestError, check_request, encode_request

#: answers with its request as the output
ECHO = """
import json, os, sys
def read(count):
    data = bytearray()
    while len(data) < count:
        data += os.read(0, count - len(data))
    return data
request = read(int.from_bytes(read(4), "big")).decode()
message = {"type": "run-result", "v": 1, "ok": True, "exitCode": 0, "failureKind": "none", "errorMessage": "",
           "output": request, "errorOutput": "", "resultValue": None, "diffRequested": False, "diff": None,
           "truncated": False}
data = memoryview(json.dumps(message).encode())
data = memoryview(len(data).to_bytes(4, "big") + data.tobytes())
while data:
    data = data[os.write(1, data):]
"""
ECHO_COMMAND = [sys.executable, "-I", "-S", "-c", ECHO]


def echo(*arguments, **fields):
    """The request that a run puts on the wire."""
    return orjson.loads(Runner(child_command=ECHO_COMMAND).run(*arguments, **fields).output)


def test_the_request_has_every_block_and_the_source_as_its_entry():
    request = echo("1 + 1", timeout_ms=1234, compatibility=["var"], allowed_fetch_hosts=["example.org"])
    assert (request["type"], request["v"], request["entry"]) == ("run-request", 1, "/main.js")
    assert request["execution"]["timeoutMs"] == 1234
    assert request["engine"]["compatibility"] == ["compat-var"]
    assert request["capabilities"] == {"allowedFetchHosts": ["example.org"], "hostFilesystemLoading": False}
    assert request["run"]["isolated"] is True
    assert request["baseline"]["files"] == [{"path": "/main.js", "kind": "file", "base64": "MSArIDE="}]


@pytest.mark.adr("C28")
def test_seeds_travel_as_contents(tmp_path):
    (tmp_path / "data.json").write_text("[1]")
    request = echo(
        "1", seeds={"/text.txt": "t", "/bytes.bin": b"\0\xff", "/host.json": tmp_path / "data.json", "/empty": None}
    )
    assert str(tmp_path) not in orjson.dumps(request).decode()
    assert {file["path"]: file.get("base64") for file in request["baseline"]["files"]} == {
        "/bytes.bin": "AP8=",
        "/empty": None,
        "/host.json": "WzFd",
        "/main.js": "MQ==",
        "/text.txt": "dA==",
    }


def test_options_can_be_an_object_and_fields_win_over_it():
    request = echo("1", options=RunOptions(timeout_ms=7, mode="bytecode"), timeout_ms=8)
    assert (request["execution"]["timeoutMs"], request["execution"]["mode"]) == (8, "bytecode")


def test_the_program_can_be_one_of_the_seeds():
    request = echo(entry="/app/index.js", seeds=[Seed("/app/index.js", "1")])
    assert request["entry"] == "/app/index.js"
    assert [file["path"] for file in request["baseline"]["files"]] == ["/app", "/app/index.js"]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda r: r.run("1", timout_ms=5), OptionError, 'unknown option "timout_ms"; did you mean "timeout_ms"?'),
        (lambda r: r.run("1", timeout_ms=-1), OptionError, "timeout_ms must be between 0 and"),
        (lambda r: r.run("1", options={"timeout_ms": 1}), OptionError, "options must be RunOptions, not dict"),
        (lambda r: r.run("1", entry=""), OptionError, "entry must be the sandbox path of the program; it is empty"),
        (
            lambda r: r.run("1", entry=3),
            OptionError,
            "entry must be a string, the sandbox path of the program, not int",
        ),
        (lambda r: r.run(5), SeedError, "seed .*/main.js.* must be text, bytes, a pathlib.Path or None, not int"),
        (lambda r: r.run("1", seeds={"/main.js": "2"}), SeedError, '"/main.js" is seeded twice'),
        (lambda r: r.run("x" * 100, fs_quota_bytes=99), SeedError, "100 bytes, 1 more than fs_quota_bytes allows"),
        (lambda r: r.run_many([], jobs=0), OptionError, "jobs must be a whole number from 1, not 0"),
        (lambda r: Runner(engine="quickjz"), OptionError, 'engine must be one of .*did you mean "quickjs"?'),
        (
            lambda r: Runner(launcher="fork"),
            OptionError,
            "launcher must be one of auto, spawn, fork-server, not 'fork'",
        ),
        (lambda r: Runner(jail=True), OptionError, "jail must be one of auto, required, off, not True"),
        (lambda r: Runner(grace_ms=-1), OptionError, "grace_ms must be a whole number of milliseconds from 0, not -1"),
        (lambda r: Runner(grace_ms=0.5), OptionError, "grace_ms must be a whole number"),
        (lambda r: Runner(child_command="node x.js"), OptionError, "child_command must be a sequence of strings"),
        (lambda r: Runner(child_command=[]), OptionError, "child_command must hold at least a program"),
        (lambda r: Runner(runner_path="/bin/x"), OptionError, 'needs engine="goccia"'),
    ],
)
def test_what_the_caller_did_wrong_is_an_exception_with_a_sentence(make, error, words):
    with pytest.raises(error, match=words):
        make(Runner(child_command=ECHO_COMMAND))


def good_request(**changes):
    return {**Runner(child_command=ECHO_COMMAND).request("1"), **changes}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ([], "message: must be an object, not array"),
        ("text", "message: must be an object, not string"),
        ({}, "v: is missing"),
        (good_request(v=2), "this parent speaks version 1, the request is in version 2"),
        (good_request(type="run-result"), 'type: must be "run-request"'),
        (good_request(entry=None), "entry: is missing"),
        (good_request(execution={"timeoutMs": -5}), r"execution.timeoutMs: must be between 0 and 2\^53"),
        (good_request(execution=3), "execution: must be an object, not integer"),
        (good_request(engine={"compatibility": ["compat-vra"]}), 'unknown flag "compat-vra"'),
        (good_request(run={"isolated": False}), "run.isolated: false is refused"),
        (
            good_request(capabilities={"hostFilesystemLoading": True}),
            "capabilities.hostFilesystemLoading: true is refused",
        ),
        (
            good_request(
                baseline={"files": [{"path": "/a", "kind": "file", "base64": "AAAA"}]}, execution={"fsQuotaBytes": 2}
            ),
            r"holds 3 bytes, 1 more than execution.fsQuotaBytes allows \(2\)",
        ),
        (
            good_request(baseline={"files": [{"path": "/a/b/c", "kind": "dir"}]}, execution={"fsNodeLimit": 2}),
            r"holds 3 files and folders, 1 more than execution.fsNodeLimit allows \(2\)",
        ),
        (good_request(baseline={"files": [{"path": "/a\0", "kind": "dir"}]}), "holds a NUL character"),
        (good_request(execution={"importMap": {"x": {1, 2}}}), "cannot be written as JSON"),
    ],
)
@pytest.mark.adr("C13", "C29")
def test_a_wrong_wire_request_is_a_host_error_without_a_child(request_, words):
    # a child would be noticed: there is no such program
    result = Runner(child_command=["/no/such/program"]).run_request(request_)
    assert result.failure_kind is FailureKind.HOST_ERROR
    assert re.search(words, result.error_message)
    assert (result.ok, result.exit_code, result.output) == (False, 1, "")


def test_a_wire_request_without_its_blocks_takes_the_defaults():
    result = Runner(child_command=ECHO_COMMAND).run_request({"type": "run-request", "v": 1, "entry": "/main.js"})
    assert orjson.loads(result.output) == {
        "type": "run-request",
        "v": 1,
        "entry": "/main.js",
        **RunOptions().to_wire(),
        "baseline": {"files": []},
    }


@pytest.mark.adr("C13")
@pytest.mark.parametrize("part", ["baseline", "importMap", "aliases", "allowedFetchHosts", "entry"])
def test_a_request_over_the_frame_limit_is_a_host_error_before_any_child_whichever_part_is_large(part):
    request = good_request()
    large = "x" * (MAX_FRAME_BYTES + 1)
    match part:
        case "baseline":
            request["baseline"]["files"].append({"path": "/large", "kind": "file", "base64": large + "xxx"})
            request["execution"]["fsQuotaBytes"] = 1 << 40
            largest = "baseline"
        case "importMap":
            request["execution"]["importMap"] = {"imports": {"x": large}}
            largest = "execution"
        case "aliases":
            request["execution"]["aliases"] = [large]
            largest = "execution"
        case "allowedFetchHosts":
            request["capabilities"]["allowedFetchHosts"] = [large]
            largest = "capabilities"
        case "entry":
            request["entry"] = large
            largest = "entry"
    result = Runner(child_command=["/no/such/program"]).run_request(request)
    assert result.failure_kind is FailureKind.HOST_ERROR
    size = len(orjson.dumps(check_request(request)))
    assert f"the run-request is {size} bytes long, {size - MAX_FRAME_BYTES} more than a frame may have" in (
        result.error_message
    )
    assert f"its largest part is {largest}" in result.error_message


@pytest.mark.adr("C13")
def test_a_request_at_the_frame_limit_goes_out():
    request = check_request(good_request())
    room = MAX_FRAME_BYTES - len(encode_request(request))
    request["entry"] += "x" * room
    assert len(encode_request(request)) == MAX_FRAME_BYTES
    request["entry"] += "x"
    with pytest.raises(RequestError, match="67108865 bytes long, 1 more than"):
        encode_request(request)


@given(st.text(st.characters(), max_size=20))
def test_any_text_in_a_request_becomes_utf8(text):
    request = check_request(good_request(entry=text, execution={"aliases": [text], "importMap": {text: [text]}}))
    sent = orjson.loads(encode_request(request))
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert sent["entry"] == expected
    assert sent["execution"]["aliases"] == [expected]
    assert sent["execution"]["importMap"] == {expected: [expected]}


def test_lone_surrogates_in_a_source_become_replacement_characters():
    assert echo("'\ud800'")["baseline"]["files"][0]["base64"] == "J++/vSc="


def test_a_closed_runner_refuses_and_can_be_closed_again():
    with Runner(child_command=ECHO_COMMAND) as runner:
        assert runner.run("1").ok
    runner.close()
    with pytest.raises(RuntimeError, match="this Runner is closed"):
        runner.run("1")


def test_the_duration_is_the_parents():
    slow = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(0.3)" + ECHO]
    assert 300 <= Runner(child_command=slow).run("1").duration_ms < 5000


class TestRunMany:
    def test_every_request_has_its_answer_under_its_index(self):
        runner = Runner(child_command=ECHO_COMMAND)
        requests = [runner.request(f"{number}", entry=f"/{number}.js") for number in range(20)]
        answers = dict(runner.run_many(requests, jobs=4))
        assert sorted(answers) == list(range(20))
        for index, result in answers.items():
            assert orjson.loads(result.output)["entry"] == f"/{index}.js"

    def test_results_come_as_they_complete(self):
        sleepy = 'import os, time; time.sleep(float(json.loads(request)["entry"])); '
        code = ECHO.replace("message = {", sleepy + "\nmessage = {")
        runner = Runner(child_command=[sys.executable, "-I", "-S", "-c", code])
        requests = [runner.request("1", entry=entry) for entry in ("1.5", "0", "0")]
        assert [index for index, _ in runner.run_many(requests, jobs=2)] == [1, 2, 0]

    def test_wrong_requests_are_results_among_the_others(self):
        runner = Runner(child_command=ECHO_COMMAND)
        answers = dict(runner.run_many([{}, good_request(), None]))
        assert [answers[index].failure_kind for index in range(3)] == ["host-error", "none", "host-error"]

    def test_requests_are_taken_only_when_there_is_room(self):
        taken = []

        def requests():
            for number in range(1000):
                taken.append(number)
                yield good_request()

        answers = Runner(child_command=ECHO_COMMAND).run_many(requests(), jobs=2)
        next(answers)
        answers.close()
        assert len(taken) <= 4

    def test_stopping_early_ends_the_runs_under_way_at_once(self):
        runner = Runner(child_command=[sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
        quick = Runner(child_command=ECHO_COMMAND)
        threads, children = threading.active_count(), psutil.Process().children()

        def requests():
            yield from [runner.request("1", timeout_ms=0)] * 2
            raise KeyboardInterrupt

        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            list(runner.run_many(requests(), jobs=3))
        assert time.monotonic() - started < 5
        assert psutil.Process().children() == children
        assert threading.active_count() == threads
        assert quick.run("1").ok

    def test_nothing_to_do_is_no_work(self):
        assert list(Runner(child_command=ECHO_COMMAND).run_many([])) == []


@settings(deadline=None)
@given(st.integers(1, 4))
def test_one_runner_serves_many_threads(seed):
    runner = Runner(child_command=ECHO_COMMAND)

    def one(number):
        return orjson.loads(runner.run("1", entry=f"/{seed}-{number}.js").output)["entry"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == [f"/{seed}-{number}.js" for number in range(8)]


def parent(code):
    """Another program that uses this package, for what cannot be done to the test's own process."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_child(process, launcher="spawn"):
    """A child that runs the program: of the other program, or of the template that one has started."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        for found in psutil.Process(process.pid).children():
            if launcher == "spawn":
                return found
            for forked in found.children():
                return forked
        time.sleep(0.01)
    raise AssertionError("no child came")


def gone_within(process, limit_s):
    started = time.monotonic()
    try:
        process.wait(limit_s)
    except psutil.TimeoutExpired:
        return None
    return time.monotonic() - started


LAUNCHERS = pytest.mark.parametrize("launcher", ["spawn", "fork-server"])


@LAUNCHERS
class TestInterrupted:
    def interrupt(self, launcher, code):
        """What the other program says when it is interrupted; nothing that it started may outlive it."""
        process = parent(f"""
            import os, goccia_tools, warnings
            warnings.simplefilter("error")
            try:
                with goccia_tools.Runner(launcher="{launcher}") as runner:
                    {code}
            except KeyboardInterrupt:
                try:
                    os.waitpid(-1, 0)
                except ChildProcessError:
                    print("interrupted, no child left")
        """)
        try:
            wait_for_child(process, launcher)
            time.sleep(0.5)
            started_by_it = psutil.Process(process.pid).children(recursive=True)
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=20)
            assert time.monotonic() - started < 5
            assert all(gone_within(child, 2) is not None for child in started_by_it)
            assert (output, errors) == ("interrupted, no child left\n", "")
        finally:
            process.kill()
            process.communicate()

    def test_control_c_ends_the_run_and_comes_through(self, launcher):
        self.interrupt(launcher, 'runner.run("while (true) {}", compatibility="all", timeout_ms=0)')

    def test_control_c_ends_all_of_many(self, launcher):
        request = 'runner.request("while (true) {}", compatibility="all", timeout_ms=0)'
        self.interrupt(launcher, f"list(runner.run_many([{request}] * 4, jobs=3))")


class TestParentKilled:
    @LAUNCHERS
    @pytest.mark.parametrize(
        "program",
        [
            "while (true) {}",
            "Array.from({length: 1e9}, (_, i) => i).sort();",
            "'x'.repeat(2 ** 28).split('').join('-').match(/(-*)*y/);",
            "(function again() { Promise.resolve().then(again); })();",
        ],
        ids=["loop", "native", "regexp", "promise"],
    )
    @pytest.mark.parametrize("thread", [False, True], ids=["main", "thread"])
    def test_the_child_is_gone_within_two_seconds(self, program, thread, launcher):
        process = parent(f"""
            import threading, goccia_tools
            runner = goccia_tools.Runner(launcher="{launcher}")
            def go():
                runner.run({program!r}, compatibility="all", timeout_ms=60_000, max_memory_bytes=1 << 32)
            if {thread}:
                other = threading.Thread(target=go)
                other.start()
                other.join()
            else:
                go()
        """)
        try:
            child = wait_for_child(process, launcher)
            time.sleep(0.5)
            assert child.status() != psutil.STATUS_ZOMBIE
            started_by_it = psutil.Process(process.pid).children(recursive=True)
        finally:
            process.kill()
            process.communicate()
        assert all(gone_within(child, 2) is not None for child in started_by_it)

    def test_a_child_that_waits_for_its_request_reads_the_end_of_it(self):
        # by hand, because a parent cannot be made to die between starting a child and writing to it
        code = "from goccia_tools.child.main import main; main()"
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdin.write(b"\0\0")
        _, errors = child.communicate(timeout=10)
        assert (child.returncode != 0, errors) == (True, b"")


def test_a_fork_of_the_program_runs_on_its_own():
    process = parent("""
        import os, goccia_tools
        assert goccia_tools.run("1").ok
        pid = os.fork()
        result = goccia_tools.run("console.log('both')")
        if pid == 0:
            print(result.output, end="", flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        print(goccia_tools.run("console.log('both')").output, end="", flush=True)
    """)
    output, errors = process.communicate(timeout=60)
    assert (output, errors, process.returncode) == ("both\nboth\n", "", 0)


def test_the_public_names_are_what_they_say():
    for name in goccia_tools.__all__:
        assert getattr(goccia_tools, name).__name__ == name
        assert name in dir(goccia_tools)
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        goccia_tools.runn  # noqa: B018


def test_an_engine_that_is_not_installed_is_refused_by_name(monkeypatch):
    monkeypatch.delenv("GOCCIA_SANDBOX_RUNNER", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnavailableError, match='engine="goccia" needs an installed GocciaSandboxRunner'):
        Runner(engine="goccia")
