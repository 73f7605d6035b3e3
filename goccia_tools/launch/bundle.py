"""bundle_path: the modules of the child compiled into one file; to search and read sixty costs a third of a start."""

from __future__ import annotations

import marshal
import os
import sys
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER
from pathlib import Path

_PACKAGE = Path(__file__).absolute().parents[1]
#: what a child may import of this package, as patterns of source files
_PARTS = ("__init__.py", "frames.py", "messages.py", "child/**/*.py", "jail/**/*.py")


def bundle_path() -> str | None:
    """The bundle for these very source files, made if there is none yet; None where nothing can be written.

    Like compiled modules it lies in a ``__pycache__`` folder, or in the user's cache when that is read-only. Its name
    has a hash of every file's size and time, so another state of the sources has another bundle.
    """
    sources = sorted({path for part in _PARTS for path in _PACKAGE.glob(part)})
    state = blake2b(MAGIC_NUMBER, digest_size=12)
    for path in sources:
        status = path.stat()
        state.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
    name = f"child.{sys.implementation.cache_tag}.{state.hexdigest()}.bundle"
    folders = (_PACKAGE / "child" / "__pycache__", _user_cache())
    for folder in folders:
        if folder is not None and (folder / name).is_file():
            return str(folder / name)
    content = _compile(sources)
    for folder in folders:
        if folder is not None and _write(folder, name, content):
            return str(folder / name)
    return None


def _user_cache() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "goccia-tools") if os.path.isabs(base) else None


def _compile(sources: list[Path]) -> bytes:
    """What the child's command line unpacks: the code that installs the bundle, and the modules it holds."""
    modules: dict[str, tuple[bytes, bool, str]] = {}
    for path in sources:
        parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        # without docstrings, which are a good part of what has to be read
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True, optimize=2)
        modules[".".join(parts[:-1] if is_package else parts)] = (marshal.dumps(code), is_package, str(path))
    install = modules["goccia_tools.child.bundled"][0]
    return marshal.dumps((install, modules))


def _write(folder: Path, name: str, content: bytes) -> bool:
    partial = folder / f"{name}.{os.getpid()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.write_bytes(content)
        os.replace(partial, folder / name)
        for other in folder.glob(f"child.{sys.implementation.cache_tag}.*.bundle"):
            if other.name != name and other.stat().st_mtime < (folder / name).stat().st_mtime - 3600:
                other.unlink()
    except OSError:
        return (folder / name).is_file()
    return True
