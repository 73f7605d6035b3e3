"""Finds and loads the shared library of the quickjs-ng wheel by the path its RECORD names, without importing it."""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DISTRIBUTION = "quickjs_ng"


class EngineUnavailable(Exception):
    """The embedded engine cannot be used on this machine; the message says why and what to do."""


class Library:
    """The loaded engine: ``ffi``, its functions ``lib``, where it came from and its own version."""

    __slots__ = ("callbacks", "distribution_version", "ffi", "lib", "path", "prelude", "version")

    def __init__(self, ffi: Any, lib: Any, path: str, distribution_version: str) -> None:
        self.ffi = ffi
        self.lib = lib
        self.path = path
        self.distribution_version = distribution_version
        #: the closures of this process, made with the first heap
        self.callbacks: Any = None
        #: the prelude as bytecode, once it was needed
        self.prelude: bytes | None = None
        self.version: str = ffi.string(lib.JS_GetVersion()).decode("ascii")


def find_library(search_path: list[str] | None = None) -> tuple[str, str]:
    """The path of the engine's shared library and the version of the wheel it belongs to.

    Raises:
        EngineUnavailable: the wheel is not installed, or holds no library for this interpreter.
    """
    for folder in sys.path if search_path is None else search_path:
        try:
            names = posix.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith(DISTRIBUTION + "-") and name.endswith(".dist-info"):
                version = name[len(DISTRIBUTION) + 1 : -len(".dist-info")]
                with open(f"{folder}/{name}/RECORD", encoding="utf-8") as record:
                    for line in record:
                        member = line.split(",", 1)[0]
                        if member.startswith("_quickjs.") and member.endswith((".so", ".dylib")):
                            return f"{folder}/{member}", version
                raise EngineUnavailable(
                    f"quickjs-ng {version} in {folder} holds no engine library for this platform; "
                    'install another build of it or use engine="goccia"'
                )
    raise EngineUnavailable("the package quickjs-ng is not installed; run: pip install 'quickjs-ng>=0.16,<0.18'")


def load_library() -> Library:
    """Load the engine into this process.

    Raises:
        EngineUnavailable: see :func:`find_library`; also on 32-bit interpreters, whose value layout differs.
    """
    if sys.maxsize < 2**32:
        raise EngineUnavailable("the embedded engine needs a 64-bit interpreter")
    path, version = find_library()
    try:
        from goccia_tools.child.engines._quickjs import abi
    except ImportError as error:
        raise EngineUnavailable(f"cffi cannot be loaded ({error}); run: pip install cffi") from error
    try:
        lib = abi.ffi.dlopen(path)
    except OSError as error:
        raise EngineUnavailable(f"{path} cannot be loaded: {error}") from error
    return Library(abi.ffi, lib, path, version)
