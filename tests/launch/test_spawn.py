"""What a spawned child inherits (next to nothing), and what happens when it cannot be made."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

import goccia_tools
from goccia_tools import Runner, run
from goccia_tools.exchange import Timing, exchange
from goccia_tools.launch.bundle import bundle_path
from goccia_tools.launch.nowhere import neutral_directory
from goccia_tools.launch.spawn import SpawnLauncher, child_command

#: tells what it was given, as the payload of its answer
REPORT = """
import os, sys
while os.read(0, 65536):
    pass
report = repr({
    "descriptors": {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if int(fd) < 1000
                    and os.path.exists(f"/proc/self/fd/{fd}")},
    "environment": {k.decode(): v.decode() for k, v in os.environb.items()},
    "directory": os.getcwd(), "holds": os.listdir("."),
    "pid": os.getpid(), "group": os.getpgid(0), "parent": os.getppid(), "session": os.getsid(0),
}).encode()
os.write(1, len(report).to_bytes(4, "big") + report)
"""


def report():
    launcher = SpawnLauncher([sys.executable, "-I", "-S", "-c", REPORT])
    return eval(bytes(exchange(launcher.start(), b"{}", Timing(20_000)).outcome.payload))


@pytest.mark.adr("C03")
def test_the_child_has_three_descriptors_however_others_were_opened(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    inheritable = os.open(secret, os.O_RDONLY)
    os.set_inheritable(inheritable, True)
    high = 900
    os.dup2(inheritable, high, inheritable=True)
    listening = socket.create_server(("127.0.0.1", 0))
    listening.set_inheritable(True)
    try:
        assert sorted(report()["descriptors"], key=int) == ["0", "1", "2"]
    finally:
        listening.close()
        os.close(high)
        os.close(inheritable)


@pytest.mark.adr("C04")
def test_the_childs_environment_is_empty(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    # the interpreter sets LC_CTYPE itself when it finds the C locale
    assert set(report()["environment"]) <= {"LC_CTYPE"}


@pytest.mark.adr("C05")
def test_the_child_starts_in_an_empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = report()
    assert told["directory"] != str(tmp_path)
    assert told["holds"] == []


def test_a_neutral_directory_that_was_cleaned_away_is_made_again():
    os.rmdir(neutral_directory())
    assert report()["holds"] == []


def test_the_child_leads_a_group_of_its_own_in_our_session():
    told = report()
    assert told["group"] == told["pid"]
    assert told["parent"] == os.getpid()
    assert told["session"] == os.getsid(0)


@pytest.mark.adr("C01")
def test_every_run_has_a_process_of_its_own():
    pids = [report()["pid"] for _ in range(5)]
    assert len(set(pids)) == 5


@pytest.mark.adr("C02", "C04")
def test_the_child_is_this_package_in_this_interpreter():
    command = child_command()
    assert command[0] == sys.executable
    assert "goccia_tools.child" in command[command.index("-c") + 1]
    assert "-I" in command


@pytest.mark.adr("C04", "C05", "C22")
def test_a_program_is_not_influenced_by_where_and_how_its_parent_runs(tmp_path, monkeypatch):
    (tmp_path / "goccia.json").write_text('{"timeout": 1, "source-type": "module"}')
    (tmp_path / "goccia_tools.py").write_text("raise SystemExit('wrong module')")
    (tmp_path / "json.py").write_text("raise SystemExit('wrong module')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "json.py"))
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    assert run("console.log(typeof process === 'undefined' ? 'nothing' : 'process');").output == "nothing\n"


def refused(command):
    result = Runner(child_command=command).run("1")
    assert result.failure_kind == "host-error"
    return result.error_message


@pytest.mark.adr("C51")
def test_a_program_that_cannot_be_started_is_a_host_error_that_says_why(tmp_path):
    plain = tmp_path / "plain.txt"
    plain.write_text("not a program")
    plain.chmod(0o644)
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\x7fELF but no more")
    garbage.chmod(0o755)
    assert refused(["/no/such/program"]) == "cannot start '/no/such/program': No such file or directory"
    assert refused([str(plain)]) == f"cannot start '{plain}': Permission denied"
    assert "Exec format error" in refused([str(garbage)])
    assert "Permission denied" in refused([str(tmp_path)])
    assert "Argument list too long" in refused([sys.executable, *["x" * 100_000] * 40])
    assert "null" in refused([sys.executable, "a\0b"])


@pytest.mark.adr("C51")
def test_without_free_descriptors_a_run_is_a_host_error_and_nothing_leaks():
    runner = Runner(child_command=[sys.executable, "-I", "-S", "-c", REPORT])
    neutral_directory()
    children = psutil.Process().children()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    fillers = []
    while not fillers or fillers[-1] < highest:
        fillers.append(os.open("/dev/null", os.O_RDONLY))
    before = set(os.listdir("/proc/self/fd"))
    children = psutil.Process().children()
    kinds = []
    try:
        for room in range(12):
            resource.setrlimit(resource.RLIMIT_NOFILE, (fillers[-1] + 1 + room, limits[1]))
            result = runner.run("1")
            kinds.append(result.failure_kind)
            assert result.failure_kind == "child-process-crash" or "Too many open files" in result.error_message
        assert set(os.listdir("/proc/self/fd")) == before
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for filler in fillers:
            os.close(filler)
    # too few, and at last enough: this child answers in a way that is not trusted
    assert kinds == sorted(kinds, reverse=True)
    assert {kinds[0], kinds[-1]} == {"host-error", "child-process-crash"}
    assert psutil.Process().children() == children


def test_a_python_that_does_not_know_itself_says_so(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    child_command.cache_clear()
    result = Runner().run("1")
    assert result.failure_kind == "host-error"
    assert "sys.executable is empty" in result.error_message


def test_children_are_made_from_many_threads_at_once():
    pids = []

    def one():
        pids.append(report()["pid"])

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(pids)) == 8


def loader_of_the_child(bundle):
    """What loads the child's main module when this is the path of its bundle."""
    command = child_command()
    code = command.index("-c") + 1
    boot = command[code].replace(bundle_path(), bundle)
    boot = boot.replace("\nmain()", "\nprint(main.__globals__['__loader__'])")
    done = subprocess.run([*command[:code], boot], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


class TestBundle:
    def test_a_child_takes_its_modules_from_the_bundle(self):
        assert "Bundled" in loader_of_the_child(bundle_path())

    def test_without_a_bundle_the_ordinary_import_does(self):
        assert "SourceFileLoader" in loader_of_the_child("/nowhere")

    def test_other_sources_have_another_bundle(self, tmp_path, monkeypatch):
        package = tmp_path / "goccia_tools"
        shutil.copytree(Path(goccia_tools.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr("goccia_tools.launch.bundle._PACKAGE", package)
        first = bundle_path()
        assert Path(first).parent == package / "child" / "__pycache__"
        assert bundle_path() == first
        with (package / "child" / "main.py").open("a") as file:
            file.write("# changed\n")
        assert bundle_path() != first

    def test_where_nothing_can_be_written_there_is_none(self, tmp_path, monkeypatch):
        package = tmp_path / "goccia_tools"
        (package / "child").mkdir(parents=True)
        (package / "child" / "bundled.py").write_text("")
        (package / "child" / "__pycache__").write_text("in the way")
        monkeypatch.setattr("goccia_tools.launch.bundle._PACKAGE", package)
        monkeypatch.setenv("XDG_CACHE_HOME", str(package / "child" / "bundled.py"))
        assert bundle_path() is None
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        assert Path(bundle_path()).parent == tmp_path / "cache" / "goccia-tools"
