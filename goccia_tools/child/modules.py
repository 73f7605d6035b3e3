"""Where a module specifier leads in the virtual filesystem: import map, aliases, extensions, index files."""

from __future__ import annotations

from goccia_tools.child.vfs import normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Protocol

    class Files(Protocol):
        """What resolution needs to know of a filesystem."""

        def is_file(self, path: str) -> bool:
            """Whether a file is there."""


SCRIPT_EXTENSIONS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".mts")
#: appended to a specifier that names no file, in this order; then the same after ``/index``
EXTENSIONS: Final = (
    *SCRIPT_EXTENSIONS,
    ".json",
    ".json5",
    ".jsonc",
    ".jsonl",
    ".toml",
    ".yaml",
    ".yml",
    ".csv",
    ".tsv",
    ".txt",
    ".md",
)
_TWINS: Final = {".js": (".ts", ".tsx"), ".jsx": (".ts", ".tsx"), ".mjs": (".mts",)}
_URL_CHARACTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:@!$&'()*+,;="
BARE: Final = 'Cannot resolve bare module specifier "{}". Imports must start with "./" or "../"'
BUILTIN_NAMES: Final = ("fs", "goccia")
BUILTIN_PREFIX: Final = "goccia:"


class ResolutionError(Exception):
    """A specifier leads nowhere; the message is the reference's own."""


class ImportMapError(Exception):
    """The request's import map or aliases are malformed; the message says which entry and why."""


def extension(path: str) -> str:
    """The extension of a path's last segment with its dot, in lower case; empty when there is none."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot >= 0 else ""


def is_builtin(specifier: str) -> bool:
    """Whether a specifier names a module of the runtime, which no import map can replace."""
    return specifier in BUILTIN_NAMES or specifier.startswith(BUILTIN_PREFIX)


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _is_relative(specifier: str) -> bool:
    return _slashes(specifier).startswith(("./", "../"))


def _is_absolute(specifier: str) -> bool:
    return _slashes(specifier).startswith("/")


class Resolver:
    """Turns (referrer, specifier) into the path of the file to load.

    Raises on construction:
        ImportMapError: the import map or an alias is malformed.
    """

    def __init__(
        self, files: Files, import_map: dict[str, Any] | None = None, aliases: list[str] | None = None
    ) -> None:
        self._files = files
        self._aliases: dict[str, str] = {}
        for key, target in _import_map_entries(import_map):
            self._aliases[self._address(key)] = self._address(target)
        for alias in aliases or ():
            key, separator, target = alias.partition("=")
            if not separator or not key:
                raise ImportMapError("Invalid --alias argument. Use --alias key=value.")
            self._aliases[key] = target

    def resolve(self, specifier: str, referrer: str) -> str:
        """The path of the file a specifier means in a module; an existing file.

        Raises:
            ResolutionError: there is none.
        """
        replaced = self._apply_aliases(specifier, referrer)
        if replaced != specifier:
            candidate = normalise("/" + _slashes(replaced))
            return self._existing(candidate, f'Module not found: "{specifier}" (alias resolved to "{candidate}")')
        if _is_absolute(specifier):
            candidate = normalise(_slashes(specifier))
            return self._existing(candidate, f'Module not found: "{specifier}"')
        if _is_relative(specifier):
            candidate = self.locate(specifier, referrer)
            return self._existing(candidate, f'Module not found: "{specifier}" (resolved to "{candidate}")')
        raise ResolutionError(BARE.format(specifier))

    def address(self, specifier: str, referrer: str) -> str:
        """The URL that import.meta.resolve answers: lexical, without aliases; nothing needs to be there."""
        path = normalise(_slashes(specifier), referrer.rpartition("/")[0] or "/")
        folder = "" if specifier or path == "/" else "/"
        return "file://" + "".join(
            char if char in _URL_CHARACTERS else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
            for char in path + folder
        )

    def locate(self, specifier: str, referrer: str) -> str:
        """The path a relative specifier means, whether anything is there or not."""
        return normalise(referrer.rpartition("/")[0] + "/" + _slashes(specifier))

    def _existing(self, base: str, problem: str) -> str:
        if self._files.is_file(base):
            return base
        ending = extension(base)
        stem = base[: len(base) - len(ending)]
        folder = base if base.endswith("/") else base + "/"
        for candidate in (
            *(stem + twin for twin in _TWINS.get(ending, ())),
            *(base + appended for appended in EXTENSIONS),
            *(f"{folder}index{appended}" for appended in EXTENSIONS),
        ):
            if self._files.is_file(candidate):
                return candidate
        raise ResolutionError(problem)

    def _apply_aliases(self, specifier: str, referrer: str) -> str:
        best = None
        for key in self._aliases:
            text = self._matchable(key, specifier, referrer)
            matches = text.startswith(key) if key.endswith("/") else text == key
            if matches and (best is None or len(key) > len(best)):
                best = key
        if best is None:
            return specifier
        target = self._aliases[best]
        if best.endswith("/"):
            target += self._matchable(best, specifier, referrer)[len(best) :]
        return target if target.startswith("/") else "/" + target

    def _matchable(self, key: str, specifier: str, referrer: str) -> str:
        """The form of a specifier that a key is compared with: its address when the key is one."""
        if not (_is_absolute(key) or _is_relative(key)) or not (_is_absolute(specifier) or _is_relative(specifier)):
            return specifier
        path = normalise(specifier) if _is_absolute(specifier) else self.locate(specifier, referrer)
        return path + "/" if specifier.endswith("/") and not path.endswith("/") else path

    def _address(self, path: str) -> str:
        """An import map key or target as it is compared: absolute when it is an address, else as written."""
        path = _slashes(path)
        if not (_is_absolute(path) or _is_relative(path)):
            return path
        located = normalise("/" + path)
        return located + "/" if path.endswith("/") and not located.endswith("/") else located


def _import_map_entries(import_map: dict[str, Any] | None) -> list[tuple[str, str]]:
    imports = (import_map or {}).get("imports", {})
    if type(imports) is not dict:
        raise ImportMapError('Import map "imports" field must be a JSON object.')
    for key, target in imports.items():
        if type(target) is not str:
            raise ImportMapError(f'Import map entry "{key}" must map to a string address.')
        if key.endswith("/") and not target.endswith("/"):
            raise ImportMapError(f'Import map entry "{key}" ends with "/" so its address must also end with "/".')
        if not (_is_absolute(target) or _is_relative(target)):
            raise ImportMapError(f'Import map entry "{key}" must use an absolute or relative file path address.')
    return list(imports.items())
