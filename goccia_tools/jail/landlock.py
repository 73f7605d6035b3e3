"""Landlock: no file, no TCP, no signal and no abstract socket, as far as the kernel's version of it goes."""

from __future__ import annotations

import posix
import sys

from goccia_tools.jail import _linux

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

if sys.platform != "linux":
    raise ImportError("Landlock is part of Linux")

_ENOSYS: Final = 38
_EOPNOTSUPP: Final = 95
_VERSION_QUERY: Final = 1
_PATH_BENEATH: Final = 1

#: by the version of the interface that knows them: rights on files (refer, truncate, device control came later) …
_FILE_RIGHTS: Final = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
#: … binding and connecting TCP ports, …
_NET_VERSION: Final = 4
_BIND_TCP: Final = 1
_CONNECT_TCP: Final = 2
#: … and what ends at this process's border: abstract sockets and signals
_SCOPE_VERSION: Final = 6
_SCOPES: Final = 1 | 2

_READ_FILE: Final = 1 << 2
_READ_DIR: Final = 1 << 3
#: what resolving a name and checking a certificate read; a link stands for what it points to
FETCH_FILES: Final = (
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
)
FETCH_FOLDERS: Final = ("/etc/pki", "/etc/ssl", "/usr/lib/ssl", "/usr/share/ca-certificates")


def version() -> int:
    """The version of the interface that this kernel offers; 0 when it is not built in or switched off."""
    try:
        return _linux.syscall("landlock_create_ruleset", 0, 0, _VERSION_QUERY)
    except OSError as error:
        if error.errno in (_ENOSYS, _EOPNOTSUPP):
            return 0
        raise


def attributes(profile: str, abi: int) -> bytes:
    """The ruleset attributes of a profile: everything that this version can restrict, but for a fetch's connections."""
    files = 0
    for since, rights in _FILE_RIGHTS.items():
        if abi >= since:
            files |= rights
    code = files.to_bytes(8, "little")
    if abi >= _NET_VERSION:
        code += (_BIND_TCP if profile == "fetch" else _BIND_TCP | _CONNECT_TCP).to_bytes(8, "little")
    if abi >= _SCOPE_VERSION:
        code += _SCOPES.to_bytes(8, "little")
    return code


def open_ruleset(profile: str, abi: int) -> int:
    """A descriptor of the profile's ruleset, to be enforced later, perhaps by a child.

    Raises:
        OSError: the kernel refused.
    """
    attribute = attributes(profile, abi)
    ruleset = _linux.syscall("landlock_create_ruleset", _linux.address(attribute), len(attribute))
    if profile == "fetch":
        for path in FETCH_FILES:
            _allow(ruleset, path, _READ_FILE)
        for path in FETCH_FOLDERS:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
    except OSError:
        return  # nothing there to read
    try:
        rule = rights.to_bytes(8, "little") + place.to_bytes(4, "little")
        _linux.syscall("landlock_add_rule", ruleset, _PATH_BENEATH, _linux.address(rule))
    finally:
        posix.close(place)


def enforce(ruleset: int) -> None:
    """Put this process under the ruleset, for good; needs ``no_new_privs``.

    Raises:
        OSError: the kernel refused.
    """
    _linux.syscall("landlock_restrict_self", ruleset)
