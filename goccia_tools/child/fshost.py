"""The host side of module ``fs``: the virtual filesystem as functions, refusals as errors the guest can catch."""

from __future__ import annotations

from goccia_tools.child.engines._quickjs.callbacks import JSThrown
from goccia_tools.child.jsontext import dumps
from goccia_tools.child.vfs import FsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from goccia_tools.child.engines._quickjs.context import Context, HostFunction
    from goccia_tools.child.vfs import FileSystem

    Answer = TypeVar("Answer")

#: the functions of :meth:`FsHost.functions`, known before there is a filesystem
NAMES = (
    "copyBytes",
    "fsRead",
    "fsReadText",
    "fsWrite",
    "fsAppend",
    "fsMkdir",
    "fsReaddir",
    "fsStat",
    "fsExists",
    "fsRemove",
    "fsRename",
    "fsCopy",
)


def encode(data: str | bytes) -> bytes:
    """What a file holds after writing: UTF-8 with U+FFFD for lone surrogates, or the bytes."""
    if isinstance(data, bytes):
        return data
    return data.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


class FsHost:
    """The filesystem functions of one context."""

    def __init__(self, context: Context, files: FileSystem) -> None:
        self._context = context
        self._files = files

    def functions(self) -> dict[str, HostFunction]:
        """The functions by the names the prelude knows."""
        files = self._files

        def operation(name: str, call: Callable[..., Answer], *, two_paths: bool = False) -> Callable[..., Answer]:
            def run(path: str, *rest: Any) -> Answer:
                try:
                    return call(path, *rest)
                except FsError as error:
                    target = (rest[0],) if two_paths else ()
                    raise JSThrown(self._context.call_slot("makeFsError", error.code, name, path, *target)) from None

            return run

        return {
            "copyBytes": lambda data: data,
            "fsRead": operation("readFile", files.read),
            "fsReadText": operation("readFile", lambda path: files.read(path).decode("utf-8", "replace")),
            "fsWrite": operation("writeFile", lambda path, data: files.write(path, encode(data))),
            "fsAppend": operation("appendFile", self._append),
            "fsMkdir": operation("mkdir", lambda path, recursive: files.mkdir(path, recursive=recursive)),
            "fsReaddir": operation("readdir", lambda path: dumps([node.name for node in files.list(path)])),
            "fsStat": operation("stat", self._stat),
            "fsExists": operation("exists", lambda path: files.find(path) is not None),
            "fsRemove": operation("rm", lambda path, recursive: files.remove(path, recursive=recursive)),
            "fsRename": operation("rename", files.move, two_paths=True),
            "fsCopy": operation("copyFile", files.copy, two_paths=True),
        }

    def _append(self, path: str, data: str | bytes) -> None:
        """Rewrite the whole file, as the reference does: a refused append empties it."""
        before = self._files.read(path) if self._files.find(path) is not None else b""
        self._files.write(path, before + encode(data))

    def _stat(self, path: str) -> str:
        node = self._files.require(path)
        return dumps(
            {
                "path": node.path,
                "name": node.name,
                "type": "file" if node.children is None else "directory",
                "size": node.size,
                "atimeMs": node.atime,
                "mtimeMs": node.mtime,
                "ctimeMs": node.ctime,
                "birthtimeMs": node.birthtime,
            }
        )
