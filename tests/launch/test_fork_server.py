"""The fork server: fresh children of one template, which is replaced, retried, ended, and never in the way."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from goccia_tools import Runner
from goccia_tools.child.rehearsal import Rehearsal, request_payload

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fork server is for Linux")

if sys.platform == "linux":
    from goccia_tools.launch.fork_server import ForkServerLauncher


@pytest.fixture
def runner():
    with Runner(launcher="fork-server") as shared:
        yield shared


@pytest.fixture
def launcher():
    made = ForkServerLauncher(("--engine", "quickjs", "--jail", "auto"))
    yield made
    made.close()


def templates():
    return [child for child in psutil.Process().children() if "child.template" in " ".join(child.cmdline())]


def the_template(runner):
    """The process that makes this runner's children."""
    before = {process.pid for process in templates()}
    runner.run("1")
    (made,) = [process for process in templates() if process.pid not in before]
    return made


def use(launcher, runs=1):
    """A runner on a launcher of the test's own."""
    runner = Runner(launcher="fork-server")
    runner._launcher.close()
    runner._launcher = launcher
    return [runner.run("Math.random()") for _ in range(runs)]


def wait_until(condition, limit_s=10.0):
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, "it did not come to that"
        time.sleep(0.01)


def elsewhere(code):
    """Another program that uses this package."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_nothing_is_started_before_the_first_run():
    before = psutil.Process().children(recursive=True)
    with Runner(launcher="fork-server"), Runner():
        assert psutil.Process().children(recursive=True) == before


@pytest.mark.adr("C01")
def test_every_run_is_a_fresh_process_without_a_trace_of_the_one_before(runner):
    assert runner.run("globalThis.left = 1; Array.prototype.left = 2; left;").result_value == 1
    again = runner.run("[typeof globalThis.left, typeof [].left]")
    assert again.result_value == ["undefined", "undefined"]


@pytest.mark.adr("C01")
def test_random_streams_differ(runner):
    values = {runner.run("[Math.random(), Math.random()]").result_value[0] for _ in range(5)}
    assert len(values) == 5


@pytest.mark.adr("C03", "C04", "C05")
def test_a_child_has_its_three_streams_no_environment_and_nowhere_to_be(launcher, monkeypatch):
    monkeypatch.setenv("SECRET", "of the parent")
    leaked = os.open("/etc/hostname", os.O_RDONLY) if os.path.exists("/etc/hostname") else os.open("/", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    child = launcher.start()
    try:
        process = psutil.Process(child.pid)
        wait_until(lambda: process.num_fds() <= 7 and os.getpgid(child.pid) == child.pid)
        here = f"/proc/{child.pid}"
        targets = {os.readlink(f"{here}/fd/{name}") for name in os.listdir(f"{here}/fd")}
        assert all(target.startswith(("pipe:", "/dev/null", "anon_inode:[landlock-ruleset]")) for target in targets)
        pipes = {os.fstat(fd).st_ino for fd in (child.stdin, child.stdout, child.stderr)}
        assert {target for target in targets if target.startswith("pipe:")} == {f"pipe:[{inode}]" for inode in pipes}
        assert Path(f"{here}/environ").read_bytes().strip(b"\0") == b""
        assert os.listdir(f"{here}/cwd") == []
        assert process.num_threads() == 1
    finally:
        os.close(leaked)
        child.kill_group()
        assert child.wait() == -signal.SIGKILL
        child.close()


@pytest.mark.adr("C49")
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT])
def test_a_child_that_is_killed_is_told_by_its_signal(runner, number):
    template = the_template(runner)

    def kill():
        wait_until(template.children)
        os.kill(template.children()[0].pid, number)

    killer = threading.Thread(target=kill)
    killer.start()
    result = runner.run("for (;;) {}", compatibility="all")
    killer.join()
    assert result.failure_kind == "child-process-crash"
    assert f"signal {number.value} ({number.name})" in result.error_message
    assert runner.run("1 + 1").result_value == 2


def test_a_dead_template_is_replaced_and_the_run_says_so(runner):
    template = the_template(runner)
    template.kill()
    template.wait(5)
    result = runner.run("1 + 1")
    assert (result.ok, result.result_value) == (True, 2)
    assert any("another one made it" in note for note in result.notes)
    assert not any("another one" in note for note in runner.run("1").notes)


def test_a_template_that_does_not_answer_is_replaced(launcher, monkeypatch):
    (first,) = use(launcher)
    stuck = templates()[-1]
    stuck.suspend()
    monkeypatch.setattr("goccia_tools.launch.template.ANSWER_S", 0.3)
    launcher._templates._template._control.settimeout(0.3)
    (second,) = use(launcher)
    assert first.ok
    assert second.ok
    assert any("another one made it" in note for note in second.notes)
    assert not stuck.is_running() or stuck.status() == psutil.STATUS_ZOMBIE


@pytest.mark.adr("C51")
def test_a_run_whose_template_dies_under_it_happened_once_and_is_a_host_error(runner):
    template = the_template(runner)

    def kill():
        wait_until(template.children)
        template.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    started = time.monotonic()
    result = runner.run("for (;;) {}", compatibility="all", timeout_ms=20_000)
    killer.join()
    assert time.monotonic() - started < 5
    assert result.failure_kind == "host-error"
    assert "template" in result.error_message
    assert runner.run("1").ok


def test_templates_are_replaced_in_time_and_the_old_one_goes():
    launcher = ForkServerLauncher(("--jail", "off"), runs_per_template=3)
    try:
        made = set()
        for _ in range(40):
            assert use(launcher)[0].ok
            made.add(launcher._templates._template._process.pid)
            if len(made) > 1:
                break
            time.sleep(0.05)
        assert len(made) > 1
        wait_until(lambda: not psutil.pid_exists(min(made)) or not psutil.pid_exists(max(made)))
    finally:
        launcher.close()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in made))


def test_templates_are_replaced_when_they_are_old():
    launcher = ForkServerLauncher(("--jail", "off"), seconds_per_template=0.0)
    try:
        made = set()
        for _ in range(40):
            use(launcher)
            made.add(launcher._templates._template._process.pid)
            time.sleep(0.05)
            if len(made) > 1:
                break
        assert len(made) > 1
    finally:
        launcher.close()


def test_closing_lets_the_run_under_way_end():
    runner = Runner(launcher="fork-server")
    template = the_template(runner)
    answers = []
    slow = "const end = Date.now() + 500; while (Date.now() < end) {} 'done'"
    run = threading.Thread(target=lambda: answers.append(runner.run(slow, compatibility="all")))
    run.start()
    wait_until(template.children)
    runner.close()
    run.join()
    assert answers[0].result_value == "done"
    wait_until(lambda: not template.is_running())


def test_one_template_serves_many_threads(runner):
    template = the_template(runner)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: runner.run(f"{number} * 2"), range(64)))
    assert [result.result_value for result in results] == [number * 2 for number in range(64)]
    assert [process.pid for process in templates() if process.pid == template.pid] == [template.pid]
    assert template.children() == []


def test_a_dropped_runner_takes_its_template_along():
    runner = Runner(launcher="fork-server")
    template = the_template(runner)
    del runner
    wait_until(lambda: not template.is_running())


def test_a_program_that_ends_leaves_nothing_behind():
    process = elsewhere("""
        import goccia_tools, psutil
        print(goccia_tools.run("40 + 2").result_value)
        print(*[child.pid for child in psutil.Process().children(recursive=True)], flush=True)
    """)
    output, errors = process.communicate(timeout=30)
    answer, pids = output.splitlines()
    assert (answer, errors, process.returncode) == ("42", "", 0)
    assert pids
    assert not any(psutil.pid_exists(int(pid)) for pid in pids.split())


def test_a_program_that_is_killed_leaves_nothing_behind():
    process = elsewhere("""
        import goccia_tools, psutil, sys
        goccia_tools.run("1")
        print(*[child.pid for child in psutil.Process().children(recursive=True)], flush=True)
        sys.stdin.read()
    """)
    pids = [int(pid) for pid in process.stdout.readline().split()]
    process.kill()
    process.communicate()
    assert pids
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in pids), 2)


def test_a_fork_of_the_program_has_a_template_of_its_own():
    process = elsewhere("""
        import os, goccia_tools, psutil
        with goccia_tools.Runner(launcher="fork-server") as runner:
            assert runner.run("1").ok
            mine = {child.pid for child in psutil.Process().children()}
            pid = os.fork()
            if pid == 0:
                assert runner.run("'forked'").result_value == "forked"
                assert not mine & {child.pid for child in psutil.Process().children()}
                runner.close()
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0
            assert {child.pid for child in psutil.Process().children()} == mine
            assert runner.run("'still here'").result_value == "still here"
        assert psutil.Process().children() == []
        print("well")
    """)
    assert process.communicate(timeout=30) == ("well\n", "")


def test_an_interrupted_start_does_no_harm(runner):
    template = the_template(runner)
    asked = runner._launcher._templates._template

    def interrupt(*arguments):
        raise KeyboardInterrupt

    receive = asked._control
    real = sys.modules["goccia_tools.launch.template"].socket.recv_fds
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("goccia_tools.launch.template.socket.recv_fds", interrupt)
        with pytest.raises(KeyboardInterrupt):
            runner.run("1")
    assert receive is asked._control
    assert real is sys.modules["goccia_tools.launch.template"].socket.recv_fds
    assert runner.run("1 + 1").result_value == 2
    assert runner.run("2 + 2").result_value == 4
    wait_until(lambda: template.children() == [])


def test_without_a_template_auto_spawns_and_says_why(monkeypatch):
    monkeypatch.setattr("goccia_tools.launch.template.child_command", lambda module: (sys.executable, "-c", "1/0"))
    with Runner() as runner:
        result = runner.run("1 + 1")
        assert result.result_value == 2
        assert any("children are spawned" in note and "ZeroDivisionError" in note for note in result.notes)
    with Runner(launcher="fork-server") as runner:
        result = runner.run("1 + 1")
        assert result.failure_kind == "host-error"
        assert "ZeroDivisionError" in result.error_message


def test_the_rehearsal_is_a_run_like_any_other():
    from goccia_tools.child.engines.quickjs import QuickJS

    assert b"run-request" in request_payload()
    engine = QuickJS()
    rehearsal = Rehearsal(engine)
    assert [rehearsal.once() for _ in range(3)] == ["hello a,hello b 42\n"] * 3
    rehearsal.close()
    engine.close()


def test_parsers_of_data_files_are_there_behind_the_jail(runner):
    files = {"/a.yaml": "a: [1, 2]", "/b.toml": "b = 1", "/c.json5": "{c: 1,}", "/d.csv": "d\n1"}
    source = """
        import { a } from "/a.yaml"; import { b } from "/b.toml";
        import { c } from "/c.json5"; import * as d from "/d.csv";
        [a, b, c, d["0"]];
    """
    for launcher in ("fork-server", "spawn"):
        with Runner(launcher=launcher, jail="required") as other:
            result = other.run(source, seeds=files)
            assert result.result_value == [[1, 2], 1, 1, {"d": "1"}], result
