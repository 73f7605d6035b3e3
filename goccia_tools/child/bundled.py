"""Bundled: this package's modules from one file that was read at the start, without a search for each of them."""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


class Bundled:
    """A finder and loader over module name -> (marshalled code, is a package, path of its source).

    The bundle was made from the same files that would be found otherwise (``goccia_tools.launch.bundle``), so a
    module that is not in it is simply left to the ordinary import.
    """

    __slots__ = ("_modules",)

    def __init__(self, modules: dict[str, tuple[bytes, bool, str]]) -> None:
        self._modules = modules

    def install(self) -> None:
        """Look here first from now on."""
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The spec of a module that is in the bundle."""
        entry = self._modules.get(name)
        if entry is None:
            return None
        spec = ModuleSpec(name, self, origin=entry[2], is_package=entry[1])  # type: ignore[arg-type]
        if entry[1]:
            spec.submodule_search_locations = [entry[2].rpartition("/")[0]]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The ordinary kind of module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        code, _, path = self._modules[module.__name__]
        module.__file__ = path
        exec(loads(code), module.__dict__)  # noqa: S102, S302 - our own code, from where compiled modules are kept


if "modules" in globals():  # run by the child's command line, with what the bundle holds
    Bundled(globals()["modules"]).install()
