"""The two profiles of the jail, ``stdio`` and ``fetch``: which system calls a child of each still needs.

A rule is a name and the conditions under which the call is allowed; all of them must hold. A condition looks at one
argument of the call: ``in`` a tuple of values, or with none of the bits of a mask (``without``).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    Condition = tuple[int, str, tuple[int, ...] | int]
    Rule = tuple[str, tuple[Condition, ...]]

PROFILES: Final = ("stdio", "fetch")

_PROT_EXEC: Final = 4
_STDERR: Final = 2
_SIGABRT: Final = 6
#: openat flags of any access but reading: O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND and the bit that makes O_TMPFILE
_WRITING: Final = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
#: a thread of this process, in its address space and of its group, and in no new namespace
_CLONE_NAMESPACES: Final = 0x7E020080
_INTERNET: Final = (2, 10)
#: SOCK_STREAM and SOCK_DGRAM, with and without SOCK_CLOEXEC and SOCK_NONBLOCK
_STREAMS_AND_DATAGRAMS: Final = tuple(kind | extra for kind in (1, 2) for extra in (0, 0o4000, 0o2000000, 0o2004000))

#: what an interpreter with an engine in it needs to compute, and nothing else
_COMPUTING: Final[tuple[Rule, ...]] = (
    ("brk", ()),
    ("mmap", ((2, "without", _PROT_EXEC),)),
    ("munmap", ()),
    ("mremap", ()),
    ("madvise", ()),
    ("mprotect", ((2, "without", _PROT_EXEC),)),
    ("futex", ()),
    ("clock_gettime", ()),
    ("clock_getres", ()),
    ("getrandom", ()),
    ("getrusage", ()),
    ("sched_yield", ()),
    ("rt_sigreturn", ()),
    ("rt_sigprocmask", ()),
    ("restart_syscall", ()),
    ("clock_nanosleep", ()),
    ("getpid", ()),
    ("gettid", ()),
    ("close", ()),
    ("exit", ()),
    ("exit_group", ()),
)

#: sockets of the internet, the resolver's files, and the threads that keep a name lookup from blocking everything
_FETCHING: Final[tuple[Rule, ...]] = (
    ("socket", ((0, "in", _INTERNET), (1, "in", _STREAMS_AND_DATAGRAMS))),
    ("connect", ()),
    ("read", ()),
    ("readv", ()),
    ("write", ()),
    ("writev", ()),
    ("sendto", ()),
    ("sendmsg", ()),
    ("sendmmsg", ()),
    ("recvfrom", ()),
    ("recvmsg", ()),
    ("shutdown", ()),
    ("getsockname", ()),
    ("getpeername", ()),
    ("setsockopt", ()),
    ("getsockopt", ()),
    ("poll", ()),
    ("ppoll", ()),
    ("epoll_create1", ()),
    ("epoll_ctl", ()),
    ("epoll_wait", ()),
    ("epoll_pwait", ()),
    ("fcntl", ()),
    ("ioctl", ((1, "in", (0x5421, 0x541B, 0x5451)),)),  # FIONBIO, FIONREAD, FIOCLEX
    ("openat", ((2, "without", _WRITING),)),
    ("fstat", ()),
    ("newfstatat", ()),
    ("lseek", ()),
    ("pread64", ()),
    ("uname", ()),
    ("getuid", ()),
    ("nanosleep", ()),
    ("rt_sigaction", ()),
    ("sigaltstack", ()),
    ("set_robust_list", ()),
    ("rseq", ()),
    ("membarrier", ()),
    ("clone", ((0, "with", 0x00010F00), (0, "without", _CLONE_NAMESPACES))),  # THREAD, SIGHAND, FILES, FS, VM
)

#: no program and no library of ours ever makes these: whoever does has taken the process over, and it ends at once
HOSTILE: Final = (
    "execve",
    "execveat",
    "fork",
    "vfork",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "unshare",
    "setns",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
)


def rules(profile: str, output_fd: int, pid: int) -> tuple[Rule, ...]:
    """The calls that a process of this profile may make; ``output_fd`` is where its result goes.

    A process may also abort itself, so that a failed check of the C library is reported as the abort it is.
    """
    speaking: tuple[Rule, ...] = (
        ("write", ((0, "in", (output_fd, _STDERR)),)),
        ("writev", ((0, "in", (_STDERR,)),)),
    )
    own: tuple[Rule, ...] = (("tgkill", ((0, "in", (pid,)), (2, "in", (_SIGABRT,)))),)
    return (*_COMPUTING, *(speaking if profile == "stdio" else _FETCHING), *own)
