"""A script, not a test: confines its own process, tries one forbidden thing by a native call, and prints what came.

``python inside.py ROOTS LAYERS PROFILE UID PROBE [ARGUMENT]`` prints ``done``, ``done RESULT`` or ``errno N``. What
the probe needs (an open file, a page) is made before the jail, so that only the forbidden call itself is judged.
"""

import os
import sys

roots, layers, profile, uid, probe_name, *arguments = sys.argv[1:]
sys.path += roots.split(os.pathsep)

import _cffi_backend as c  # noqa: E402

from goccia_tools import jail  # noqa: E402
from goccia_tools.jail import _linux, codepages, privileges, rlimits  # noqa: E402, F401

MIB = 1024 * 1024
AT_FDCWD = -100
ONLY_HERE = {
    "x86_64": {
        "open": 2,
        "stat": 4,
        "pipe": 22,
        "dup": 32,
        "bind": 49,
        "listen": 50,
        "socketpair": 53,
        "kill": 62,
        "rename": 82,
        "mkdir": 83,
        "unlink": 87,
        "chown": 92,
        "setsid": 112,
        "personality": 135,
        "mount": 165,
        "setpgid": 109,
        "shmget": 29,
        "keyctl": 250,
        "pipe2": 293,
        "prlimit64": 302,
        "memfd_create": 319,
        "pidfd_open": 434,
        "pkey_mprotect": 329,
        "tkill": 200,
        "inotify_init1": 294,
    },
    "aarch64": {
        "dup": 23,
        "inotify_init1": 26,
        "mount": 40,
        "pipe2": 59,
        "personality": 92,
        "kill": 129,
        "tkill": 130,
        "setpgid": 154,
        "setsid": 157,
        "shmget": 194,
        "socketpair": 199,
        "bind": 200,
        "listen": 201,
        "keyctl": 219,
        "prlimit64": 261,
        "memfd_create": 279,
        "pkey_mprotect": 288,
        "pidfd_open": 434,
    },
}[_linux.MACHINE]
NUMBERS = {**_linux.NUMBERS, **ONLY_HERE}
LONG = c.new_primitive_type("long")
raw = c.load_library(None, 0).load_function(c.new_function_type((LONG,) * 7, LONG, False), "syscall")
kept = []


class Missing(Exception):
    """This machine has no such call."""


def call(name, *values):
    """The call by its number; bytes stand for their address."""
    if name not in NUMBERS:
        raise Missing
    numbers = [value if isinstance(value, int) else _linux.address(kept.append(value) or value) for value in values]
    result = raw(NUMBERS[name], *numbers, *(0,) * (6 - len(numbers)))
    if result < 0:
        raise OSError(c.get_errno(), name)
    return result


def internet(port):
    return b"\2\0" + int(port).to_bytes(2, "big") + bytes((127, 0, 0, 1)) + bytes(8)


def connect(kind, address):
    return call("connect", call("socket", address[0], kind, 0), address, len(address))


def new_process(name, *values):
    pid = call(name, *values)
    if pid == 0:
        raw(NUMBERS["exit_group"], 0, 0, 0, 0, 0, 0)
    return "a process"


def page(protection):
    return call("mmap", 0, 4096, protection, 0x22, -1, 0)


def read_path(path):
    file = call("openat", AT_FDCWD, path.encode() + b"\0", 0, 0)
    room = bytearray(64)
    return call("read", file, room, 64)


def _thread_result():
    import _thread

    lock = _thread.allocate_lock()
    lock.acquire()
    _thread.start_new_thread(lock.release, ())
    lock.acquire()
    return "a thread"


def _resolve():
    return _socket.getaddrinfo(b"localhost", 80, 2, 1)[0][4][0]


parent = os.getppid()
ready_file = os.open(arguments[0], os.O_RDWR) if probe_name in ("write_open_file", "read_open_file") else -1
ready_page = page(7) if probe_name in ("write_code", "count_code") else page(3)
ready_socket = call("socket", 2, 1, 0)
PROBES = {
    "nothing": lambda: "",
    "open": lambda: call("open", b"/etc/passwd\0", 0),
    "openat": lambda: call("openat", AT_FDCWD, b"/etc/passwd\0", 0, 0),
    "create": lambda: call("openat", AT_FDCWD, arguments[0].encode() + b"/new\0", 0o101, 0o600),
    "stat": lambda: call("newfstatat", AT_FDCWD, b"/etc/passwd\0", bytes(256), 0),
    "mkdir": lambda: call("mkdir", arguments[0].encode() + b"/new\0", 0o700),
    "unlink": lambda: call("unlink", arguments[0].encode() + b"/file\0"),
    "rename": lambda: call("rename", arguments[0].encode() + b"/file\0", arguments[0].encode() + b"/other\0"),
    "chown": lambda: call("chown", arguments[0].encode() + b"/file\0", 1, 1),
    "mount": lambda: call("mount", b"none\0", b"/tmp\0", b"tmpfs\0", 0, 0),
    "connect_tcp": lambda: connect(1, internet(arguments[0])),
    "connect_ready": lambda: call("connect", ready_socket, internet(arguments[0]), 16),
    "bind_ready": lambda: call("bind", ready_socket, internet(0), 16),
    "send_udp": lambda: call("sendto", call("socket", 2, 2, 0), b"x", 1, 0, internet(arguments[0]), 16),
    "unix": lambda: connect(1, b"\1\0" + arguments[0].encode() + b"\0"),
    "abstract": lambda: connect(1, b"\1\0\0" + arguments[0].encode()),
    "unix_socket": lambda: call("socket", 1, 1, 0),
    "raw_socket": lambda: call("socket", 2, 3, 1),
    "netlink": lambda: call("socket", 16, 3, 0),
    "socketpair": lambda: call("socketpair", 1, 1, 0, bytes(8)),
    "memfd": lambda: call("memfd_create", b"x\0", 0),
    "dup": lambda: call("dup", 1),
    "pipe2": lambda: call("pipe2", bytes(8), 0),
    "execve": lambda: call("execve", b"/bin/true\0", 0, 0),
    "execveat": lambda: call("execveat", AT_FDCWD, b"/bin/true\0", 0, 0, 0),
    "fork": lambda: new_process("fork"),
    "vfork_flags": lambda: new_process("clone", 17, 0, 0, 0, 0),
    "clone3": lambda: new_process("clone3", bytes(32) + (17).to_bytes(8, "little") + bytes(24), 64),
    "kill_parent": lambda: call("kill", parent, 18),
    "kill_all": lambda: call("kill", -1, 0),
    "tgkill_parent": lambda: call("tgkill", parent, parent, 18),
    "abort_parent": lambda: call("tgkill", parent, parent, 6),
    "abort_self": lambda: call("tgkill", os.getpid(), os.getpid(), 6),
    "stop_self": lambda: call("tgkill", os.getpid(), os.getpid(), 19),
    "pidfd": lambda: call("pidfd_open", parent, 0),
    "leave_group": lambda: call("setpgid", 0, os.getpgid(parent)),
    "leave_session": lambda: call("setsid"),
    "ptrace_parent": lambda: call("ptrace", 0x4206, parent, 0, 0),
    "read_parent": lambda: call("process_vm_readv", parent, bytes(16), 1, bytes(16), 1, 0),
    "unshare_user": lambda: call("unshare", 0x10000000),
    "unshare_net": lambda: call("unshare", 0x40000000),
    "mmap_code": lambda: page(7) and "a page",
    "mmap_rx": lambda: page(5) and "a page",
    "mprotect_code": lambda: call("mprotect", ready_page, 4096, 7),
    "pkey_mprotect": lambda: call("pkey_mprotect", ready_page, 4096, 7, -1),
    "io_uring": lambda: call("io_uring_setup", 4, bytes(256)),
    "userfaultfd": lambda: call("userfaultfd", 1),
    "perf": lambda: call("perf_event_open", bytes(128), 0, -1, -1, 0),
    "bpf": lambda: call("bpf", 0, bytes(128), 128),
    "keyctl": lambda: call("keyctl", 0, -3, 0),
    "shmget": lambda: call("shmget", 0, 4096, 0o1600),
    "inotify": lambda: call("inotify_init1", 0),
    "personality": lambda: call("personality", 0x0040000),
    "raise_limit": lambda: call("prlimit64", 0, 7, (64).to_bytes(8, "little") * 2, 0),
    "dumpable_again": lambda: call("prctl", 4, 1),
    "own_environ": lambda: read_path("/proc/self/environ"),
    "parent_environ": lambda: read_path(f"/proc/{parent}/environ"),
    "parent_memory": lambda: read_path(f"/proc/{parent}/mem"),
    "x32": lambda: raw(0x40000000 + 39, 0, 0, 0, 0, 0, 0),
    "write_open_file": lambda: call("write", ready_file, b"x", 1),
    "read_open_file": lambda: call("read", ready_file, bytearray(4), 4),
    "write_code": lambda: c.memmove(c.cast(c.new_pointer_type(c.new_primitive_type("char")), ready_page), b"x", 1),
    "count_code": lambda: codepages._maps().count(b" rwx"),
    "gigabyte": lambda: call("mmap", 0, 1024 * MIB, 3, 0x22, -1, 0) and "a gigabyte",
    "some_memory": lambda: len(bytearray(32 * MIB)),
    "compute": lambda: len(repr(sorted(range(20000)))) and os.urandom(4) and "",
    "thread": _thread_result,
    "getaddrinfo": _resolve,
    "status": lambda: "".join(
        line.replace("\t", "").replace("\n", " ")
        for line in open("/proc/self/status")  # noqa: SIM115
        if line.startswith(("NoNewPrivs", "CapEff", "CapPrm", "Seccomp:"))
    ),
}


if probe_name == "getaddrinfo":
    import _socket
if probe_name == "thread":
    import _thread  # noqa: F401
prepared = jail.Prepared(profile, 1)
if int(uid):
    os.setgroups([])
    os.setgid(int(uid))
    os.setuid(int(uid))
chosen = jail.LAYERS if layers == "all" else tuple(name for name in layers.split(",") if name)
report = jail.apply(profile, "auto", 1, rlimits.Ceilings(256 * MIB, 60), prepared=prepared, layers=chosen)
if report.missing and probe_name != "nothing":
    answer = f"missing {report}"
else:
    try:
        answer = f"done {PROBES[probe_name]()}".strip()
    except OSError as error:
        answer = f"errno {error.errno}"
    except MemoryError:
        answer = "errno 12"
    except Missing:
        answer = "no such call"
    if probe_name == "nothing":
        answer = str(report)
os.write(1, answer.encode())
os._exit(0)
