"""Loads the modules of one program: resolution, reading, rewriting, generated modules, and the errors of all that."""

from __future__ import annotations

from goccia_tools.child import formats, modules, source
from goccia_tools.child.engines._quickjs import values
from goccia_tools.child.engines._quickjs.binding import JSThrown, Slot
from goccia_tools.child.jsontext import dumps, loads
from goccia_tools.child.source.problems import SourceError
from goccia_tools.child.vfs import FsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from goccia_tools.child.engines._quickjs.binding import Context
    from goccia_tools.child.vfs import FileSystem

#: parts a module's path from the number of its reload in the engine's names; never part of a path that is shown
RELOAD_MARK: Final = "\u0001"
ATTRIBUTE_TYPES: Final = ("json", "text", "bytes")


def shown_path(name: str) -> str:
    """The path of a file from the engine's name for it."""
    return name.partition(RELOAD_MARK)[0]


class SourceOptions:
    """How every source of a run is read: the request's flags."""

    __slots__ = ("flags", "strict_types", "warn_unsupported")

    def __init__(self, flags: frozenset[str], *, strict_types: bool, warn_unsupported: bool) -> None:
        self.flags = flags
        self.strict_types = strict_types
        self.warn_unsupported = warn_unsupported


class Loader:
    """The modules of one program. ``sources`` holds each prepared file by path and ``texts`` each text, for reports."""

    def __init__(self, files: FileSystem, resolver: modules.Resolver, options: SourceOptions, entry: str) -> None:
        self._files = files
        self._resolver = resolver
        self._options = options
        self._entry = entry
        self.sources: dict[str, source.Prepared] = {}
        self.texts: dict[str, str] = {}
        self._loaded: dict[str, bytes] = {}
        self._reloads: dict[str, int] = {}
        self._handles: dict[str, Any] = {}
        self._unfinished: list[str] = []
        #: whether an import declaration (of the entry, of a script) asked for what is being loaded, not an import()
        self.declared = False

    def prepare(self, path: str, data: bytes, *, kind: str, want_completion: bool = False) -> source.Prepared:
        """Check and rewrite a source file.

        Raises:
            SourceError: the file is refused.
        """
        self.texts[path] = data.decode("utf-8", "replace")
        prepared = source.prepare(
            self.texts[path],
            path,
            kind=kind,
            flags=self._options.flags,
            strict_types=self._options.strict_types,
            warn_unsupported=self._options.warn_unsupported,
            want_completion=want_completion,
        )
        self.sources[path] = prepared
        return prepared

    # -- what the engine asks

    def resolve(self, context: Context, referrer: str, specifier: str, attributes: dict[str, str] | None) -> str:
        """The engine's name of the module that an import declaration or import() means."""
        importer = shown_path(referrer)
        if not importer.startswith("/"):
            importer = self._entry
        self._check_attributes(context, importer, attributes)
        if not attributes and modules.is_builtin(specifier):
            return specifier
        try:
            path = self._resolver.resolve(specifier, importer)
        except modules.ResolutionError as error:
            raise self.failure(context, str(error), importer) from None
        except FsError as error:
            raise self.failure(context, str(error), importer) from None
        return self._current_name(path, (attributes or {}).get("type", ""))

    def load(self, context: Context, name: str, attributes: dict[str, str] | None) -> str:
        """The module source text for an engine name."""
        if not name.startswith("/"):
            return self._builtin(context, name)
        path = shown_path(name)
        data = self._files.read(path)
        self._loaded[path] = data
        self._unfinished.append(name)
        wanted = (attributes or {}).get("type") or formats.kind_of(path)
        if wanted == "script":
            try:
                return self.prepare(path, data, kind="module").text
            except SourceError as error:
                raise self.source_failure(context, error) from None
        try:
            return self._generated(context, wanted, path, data, attributed=bool(attributes))
        except formats.FormatError as error:
            raise self.failure(context, str(error), path) from None

    def on_module(self, context: Context, name: str, meta: Slot, handle: Any) -> None:
        """Remember a compiled module and give it its import.meta."""
        self._handles[name] = handle
        context.call("setUpMeta", meta, shown_path(name))

    # -- imports of scripts, and what the entry module needs

    def import_name(self, context: Context, specifier: str, importer: str, attributes: dict[str, str]) -> str:
        """Load what an import declaration means, with everything it imports; the engine's name of it."""
        outer, self.declared = self.declared, True
        try:
            name = self.resolve(context, importer, specifier, attributes or None)
            if name not in self._handles:
                context.compile_module(self.load(context, name, attributes or None), name)
        finally:
            self.declared = outer
        return name

    def evaluate(self, context: Context, name: str) -> Slot:
        """Link and run a loaded module at once; its namespace. A pending one is not waited for."""
        return self.run(context, self._handles[name])

    def run(self, context: Context, handle: Any) -> Slot:
        """Link and start a module; its namespace, or the error it failed with."""
        try:
            promise = context.run_module(handle)
        except JSThrown as thrown:
            raise self.unlinked(context, thrown) from None
        state, result = context.promise(promise)
        promise.release()
        if state == 2 and result is not None:
            raise JSThrown(result)
        return context.namespace(handle)

    def on_loaded(self, complete: bool) -> None:
        """A load has ended. What a failed one leaves behind gets new names: the engine may have freed some of it."""
        for name in () if complete else self._unfinished:
            path = shown_path(name)
            self._handles.pop(name, None)
            self._reloads[path] = self._reloads.get(path, 0) + 1
            self._loaded.pop(path, None)
        self._unfinished.clear()

    def compile_entry(self, context: Context, text: str, path: str, data: bytes) -> Any:
        """Compile the entry as a module, with everything it imports; an import of its path means it."""
        self._loaded[path] = data
        self._unfinished.append(path)
        self.declared = True
        try:
            return context.compile_module(text, path)
        finally:
            self.declared = False

    def address(self, specifier: str, referrer: str) -> str:
        """What import.meta.resolve answers: an address, whether anything is there or not."""
        return self._resolver.address(specifier, referrer)

    # -- errors

    def missing_export(self, context: Context, specifier: str, name: str, line: int, column: int) -> JSThrown:
        """A script imports a name that the module does not export."""
        message = f'Module "{specifier}" has no export named "{name}"'
        return self.failure(context, message, self._entry, line=line, column=column, located=True, frame=True)

    def unlinked(self, context: Context, thrown: JSThrown) -> JSThrown:
        """What linking failed with, in the reference's words when it is an import that no export answers."""
        message = str(context.get(thrown.slot, "message")) if thrown.slot.tag == values.OBJECT else ""
        name, _, rest = message.partition("export '")[2].partition("'")
        target = rest.partition("module '")[2].partition("'")[0]
        for path, prepared in self.sources.items():
            for specifier, attribute, names, line, column in prepared.imports:
                if name in names and self._leads_to(specifier, path, attribute, target):
                    message = f'Module "{specifier}" has no export named "{name}"'
                    return self.failure(
                        context, message, path, name="SyntaxError", line=line, column=column, located=True
                    )
        return thrown

    def _leads_to(self, specifier: str, importer: str, attribute: str, target: str) -> bool:
        if modules.is_builtin(specifier) and not attribute:
            return specifier == target
        try:
            return self._resolver.resolve(specifier, importer) == shown_path(target)
        except (modules.ResolutionError, FsError):
            return False

    def failure(
        self,
        context: Context,
        message: str,
        path: str,
        *,
        name: str = "RuntimeError",
        line: int = 0,
        column: int = 0,
        located: bool | None = None,
        frame: bool = False,
    ) -> JSThrown:
        """An error the guest can catch. One of a declaration reports its place; one of import() is any other error."""
        kind = name if name != "RuntimeError" else "Error"
        if not (self.declared if located is None else located):
            return JSThrown(context.call_slot("makeError", kind, message))
        report = {"name": name, "message": message, "path": path, "line": line, "column": column, "frame": frame}
        return JSThrown(context.call_slot("makeError", kind, message, dumps(report)))

    def source_failure(self, context: Context, error: SourceError) -> JSThrown:
        """A refused source file as an error the guest can catch; placed as :meth:`failure` says."""
        if not self.declared:
            return JSThrown(context.call_slot("makeError", error.name, error.message))
        report = {
            "name": error.name,
            "message": error.message,
            "path": error.path,
            "line": error.line,
            "column": error.column,
            "suggestion": error.suggestion,
            "frame": True,
        }
        return JSThrown(context.call_slot("makeError", error.name, error.message, dumps(report)))

    # -- inside

    def _check_attributes(self, context: Context, importer: str, attributes: dict[str, str] | None) -> None:
        static = context.compiling > 0 or self.declared
        for key, value in (attributes or {}).items():
            if key != "type":
                message = f'Unsupported import attribute "{key}"'
            elif value not in ATTRIBUTE_TYPES:
                message = f'Unsupported import attribute type "{value}"'
            else:
                continue
            raise self.failure(context, message, importer, name="SyntaxError" if static else "TypeError")

    def _current_name(self, path: str, attribute_type: str) -> str:
        """The name of the module for the file as it is now; a changed file is another module."""
        node = self._files.find(path)
        loaded = self._loaded.get(path)
        busy = any(shown_path(name) == path for name in self._unfinished)
        if loaded is not None and node is not None and not busy and loaded != node.data:
            self._reloads[path] = self._reloads.get(path, 0) + 1
            del self._loaded[path]
        reload = self._reloads.get(path, 0)
        if not reload and not attribute_type:
            return path
        return f"{path}{RELOAD_MARK}{reload}{RELOAD_MARK}{attribute_type}"

    def _builtin(self, context: Context, name: str) -> str:
        described = context.call("addBuiltinAsset", name)
        if not described:
            # a name of the runtime's own that it does not have is as bare as any other
            raise self.failure(context, modules.BARE.format(name), self._entry)
        return _module_text(str(described))

    def _generated(self, context: Context, kind: str, path: str, data: bytes, *, attributed: bool) -> str:
        if kind == "bytes":
            return _module_text(str(context.call("addBytesAsset", data)))
        text = data.decode("utf-8", "replace")
        if kind == "text":
            metadata = None if attributed else dumps(formats.text_metadata(path, data))
            return _module_text(str(context.call("addTextAsset", formats.newlines(text), metadata)))
        if kind == "json":
            try:
                return _module_text(str(context.call("addJsonAsset", text)))
            except JSThrown as thrown:
                problem = str(context.get(thrown.slot, "message"))
                raise formats.FormatError(f'Failed to parse JSON module "{path}": ' + problem) from None
        lines = [
            f"const v{index} = {formats.literal(value)}; export {{ v{index} as {dumps(name)} }};"
            for index, (name, value) in enumerate(formats.exports_of(kind, text, path))
        ]
        return "\n".join(lines)


def _module_text(described: str) -> str:
    """The source of a module whose values the prelude holds: ``described`` is ``[asset number, [names]]``."""
    number, names = loads(described.encode("utf-8", "surrogatepass"))
    lines = [f"const v = ǃg_asset({number});"]
    for index, name in enumerate(names):
        lines.append(f"const v{index} = v[{index}]; export {{ v{index} as {dumps(name)} }};")
    return "\n".join(lines)
