"""Everything a confined child must not do, tried by native calls from inside one, as root and as nobody."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from goccia_tools.jail import LAYERS

from .conftest import Probe

pytestmark = [
    pytest.mark.adr("C60"),
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the jail is for Linux"),
]

EPERM, EACCES, EMFILE, EAGAIN, ENOSYS, EFBIG, ENOMEM, EBADF = (
    f"errno {number}" for number in (1, 13, 24, 11, 38, 27, 12, 9)
)


@pytest.fixture
def server() -> Iterator[int]:
    """The port of something that listens, for TCP and for UDP."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in which anybody may do anything."""
    for parent in (tmp_path, *tmp_path.parents[:3]):
        if parent.stat().st_uid == os.getuid() and parent != Path("/tmp"):
            parent.chmod(0o777)
    (tmp_path / "file").write_text("text")
    (tmp_path / "file").chmod(0o666)
    return tmp_path


def test_every_layer_is_there(probe: Probe) -> None:
    report = probe("nothing")
    assert "not applied" not in report
    assert all(layer in report for layer in LAYERS)


def test_a_confined_process_computes(probe: Probe) -> None:
    assert probe("compute") == "done"
    assert probe("some_memory") == f"done {32 * 1024 * 1024}"


@pytest.mark.parametrize(
    "name",
    [
        "open",
        "openat",
        "stat",
        "unix_socket",
        "raw_socket",
        "netlink",
        "socketpair",
        "memfd",
        "dup",
        "pipe2",
        "vfork_flags",
        "kill_parent",
        "kill_all",
        "tgkill_parent",
        "abort_parent",
        "stop_self",
        "pidfd",
        "leave_group",
        "leave_session",
        "mmap_code",
        "mmap_rx",
        "mprotect_code",
        "pkey_mprotect",
        "keyctl",
        "shmget",
        "inotify",
        "personality",
        "raise_limit",
        "dumpable_again",
        "own_environ",
        "parent_environ",
        "parent_memory",
        "mount",
    ],
)
def test_refused(probe: Probe, name: str) -> None:
    assert probe(name) == EPERM


@pytest.mark.parametrize("name", ["create", "mkdir", "unlink", "rename", "chown"])
def test_no_file_is_made_or_changed(probe: Probe, folder: Path, name: str) -> None:
    assert probe(name, folder) == EPERM
    assert [path.name for path in folder.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["connect_tcp", "connect_ready", "send_udp"])
def test_no_network(probe: Probe, server: int, name: str) -> None:
    assert probe(name, server) == EPERM


def test_no_local_sockets(probe: Probe, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0goccia-test-{os.getpid()}")
        listening.listen()
        assert probe("abstract", f"goccia-test-{os.getpid()}") == EPERM
    assert probe("unix", tmp_path / "socket") == EPERM
    assert probe("bind_ready") == EPERM


@pytest.mark.parametrize(
    "name",
    [
        "execve",
        "execveat",
        "fork",
        "ptrace_parent",
        "read_parent",
        "unshare_user",
        "unshare_net",
        "io_uring",
        "userfaultfd",
        "perf",
        "bpf",
    ],
)
def test_what_nothing_of_ours_calls_ends_the_process(probe: Probe, name: str) -> None:
    assert probe(name) == signal.SIGSYS.name


def test_another_abi_ends_the_process(probe: Probe) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("x32 is an ABI of x86_64")
    assert probe("x32") == signal.SIGSYS.name


def test_clone3_looks_as_if_it_did_not_exist(probe: Probe) -> None:
    assert probe("clone3") == ENOSYS


def test_a_process_may_abort_itself(probe: Probe) -> None:
    assert probe("abort_self") == signal.SIGABRT.name


def test_open_descriptors_are_gone(probe: Probe, folder: Path) -> None:
    assert probe("write_open_file", folder / "file") == EPERM
    assert probe("write_open_file", folder / "file", layers="descriptors") == EBADF
    assert (folder / "file").read_text() == "text"


def test_memory_has_a_ceiling(probe: Probe) -> None:
    assert probe("gigabyte") == ENOMEM
    assert probe("gigabyte", layers="rlimits") == ENOMEM


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("openat", EACCES),
        ("own_environ", EACCES),
        ("parent_environ", EACCES),
        ("parent_memory", EACCES),
        ("execve", EACCES),
        ("execveat", EACCES),
        ("kill_parent", EPERM),
        ("tgkill_parent", EPERM),
        ("ptrace_parent", EPERM),
        ("bind_ready", EACCES),
    ],
)
def test_landlock_without_the_filter(probe: Probe, name: str, answer: str) -> None:
    assert probe(name, layers="privileges,landlock") == answer


@pytest.mark.parametrize("name", ["create", "mkdir", "unlink", "rename"])
def test_landlock_keeps_files_as_they_are(probe: Probe, folder: Path, name: str) -> None:
    assert probe(name, folder, layers="privileges,landlock") == EACCES
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_landlock_keeps_from_connecting(probe: Probe, server: int) -> None:
    assert probe("connect_tcp", server, layers="privileges,landlock") == EACCES
    assert probe("connect_tcp", server, layers="") == "done 0"


def test_landlock_hides_abstract_sockets(probe: Probe) -> None:
    name = f"goccia-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        assert probe("abstract", name, layers="privileges,landlock") == EPERM
        assert probe("abstract", name, layers="") == "done 0"


@pytest.mark.parametrize("name", ["openat", "connect_tcp", "send_udp", "memfd", "dup", "pipe2", "unix_socket"])
def test_limits_leave_nothing_to_open(probe: Probe, name: str) -> None:
    assert probe(name, 9, layers="rlimits") == EMFILE


def test_limits_leave_no_room_in_a_file(probe: Probe, folder: Path) -> None:
    assert probe("write_open_file", folder / "file", layers="rlimits") == EFBIG


def test_limits_keep_users_from_forking(probe: Probe, uid: int) -> None:
    if uid == 0:
        pytest.skip("the kernel does not count the processes of root; the filter holds for it")
    assert probe("vfork_flags", layers="rlimits") == EAGAIN


def test_privileges_are_gone(probe: Probe, folder: Path) -> None:
    status = probe("status", layers="privileges")
    assert "CapEff:0000000000000000" in status
    assert "CapPrm:0000000000000000" in status
    assert "NoNewPrivs:1" in status
    assert probe("mount", layers="privileges") == EPERM
    assert probe("chown", folder, layers="privileges") == EPERM


def test_code_cannot_be_rewritten(probe: Probe) -> None:
    assert probe("write_code", layers="code pages") == signal.SIGSEGV.name
    assert probe("count_code", layers="code pages") == "done 0"
    assert probe("count_code", layers="") != "done 0"


@pytest.mark.parametrize("name", ["openat", "vfork_flags", "kill_parent", "mmap_code", "own_environ", "raise_limit"])
def test_the_filter_alone(probe: Probe, name: str) -> None:
    assert probe(name, layers="privileges,seccomp") == EPERM


class TestFetchProfile:
    """Sockets of the internet and the resolver's files, and not a step further."""

    def test_connects(self, probe: Probe, server: int) -> None:
        assert probe("connect_tcp", server, profile="fetch") == "done 0"

    def test_speaks_udp(self, probe: Probe, server: int) -> None:
        assert probe("send_udp", server, profile="fetch") == "done 1"

    def test_resolves_names(self, probe: Probe) -> None:
        assert probe("getaddrinfo", profile="fetch") == "done 127.0.0.1"

    def test_has_threads(self, probe: Probe) -> None:
        assert probe("thread", profile="fetch") == "done a thread"

    @pytest.mark.parametrize("name", ["openat", "own_environ", "parent_environ", "parent_memory"])
    def test_reads_no_other_file(self, probe: Probe, name: str) -> None:
        assert probe(name, profile="fetch") == EACCES

    @pytest.mark.parametrize("name", ["create", "mkdir", "unlink", "rename"])
    def test_writes_nothing(self, probe: Probe, folder: Path, name: str) -> None:
        assert probe(name, folder, profile="fetch") == EPERM

    @pytest.mark.parametrize(
        "name",
        [
            "unix_socket",
            "raw_socket",
            "netlink",
            "bind_ready",
            "vfork_flags",
            "kill_parent",
            "mmap_code",
            "mprotect_code",
            "memfd",
            "leave_session",
        ],
    )
    def test_refused(self, probe: Probe, name: str) -> None:
        assert probe(name, profile="fetch") == EPERM

    @pytest.mark.parametrize("name", ["execve", "fork", "ptrace_parent", "unshare_user", "io_uring"])
    def test_hostile(self, probe: Probe, name: str) -> None:
        assert probe(name, profile="fetch") == signal.SIGSYS.name
