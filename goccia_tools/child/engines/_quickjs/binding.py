"""The engine as Python sees it: one :class:`Runtime`, its contexts, scalars and slots; nothing else leaves.

The exact interface (``Scalar`` is ``str | bytes | int | float | bool | None``; None is undefined, bytes an
ArrayBuffer; typed arrays arrive as the bytes they show):

``Runtime(library)``
    ``.new_context(hosts) -> Context``: ``hosts`` maps a name to ``function(*scalars_or_slots) -> scalar | Slot``.
    ``.set_memory_limit(bytes)``, ``.set_stack_limit(bytes)``, ``.memory_used()``,
    ``.has_room(bytes)``: the headroom probe.
    ``.poll``: assign a function called once per 10,000 steps; raising in it ends the run.
    ``.run_job() -> bool``: runs one job; False when none was left.
    ``.fatal``: the exception that is ending the run, or None; ``.clear_fatal()`` for the owner of a nested run.
``Context``
    ``.eval_script(text, name, strict=True) -> Slot`` (the completion value),
    ``.compile_script(text, name) -> bytes``, ``.eval_bytecode(blob) -> Slot`` (only blobs this program made),
    ``.eval_module(text, name) -> (module, promise)``, ``.namespace(module) -> Slot``,
    ``.new_host_object() -> Slot`` (null prototype, one function per host),
    ``.call(function, *arguments) -> scalar | Slot``: ``function`` is a slot or the name of one in ``.internals``,
    ``.internals``: the slot that names are looked up in, assigned by whoever evaluates the prelude,
    ``.define_global(name, value)`` (writable, configurable, not enumerable), ``.get(slot, name)``,
    ``.promise(slot) -> (state, result)``, ``.close()``,
    ``.loader``: assign an object with ``resolve(context, referrer, specifier, attributes) -> name``,
    ``load(context, name, attributes) -> text``, ``on_module(context, name, meta_slot, module)`` and
    ``on_loaded(complete)`` before modules are used; the first two may raise :class:`JSThrown`.

A guest exception is :class:`JSThrown`. A host function that raises anything else ends the run: the guest gets an
exception that no ``catch`` or ``finally`` sees, and the outermost call raises the Python exception again. An
engine stop without such a reason is :class:`Interrupted`. The function that receives a value frees it.
"""

from __future__ import annotations

from goccia_tools.child.engines._quickjs.callbacks import Interrupted, JSThrown
from goccia_tools.child.engines._quickjs.context import Context
from goccia_tools.child.engines._quickjs.runtime import Runtime
from goccia_tools.child.engines._quickjs.values import Slot

__all__ = ["Context", "Interrupted", "JSThrown", "Runtime", "Slot"]
