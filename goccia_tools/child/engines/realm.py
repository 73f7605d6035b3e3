"""A heap and a context whose prelude has run: everything that can be ready before the request is known."""

from __future__ import annotations

from goccia_tools.child import prelude
from goccia_tools.child.engines._quickjs.binding import Runtime
from goccia_tools.child.engines.limits import STACK_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goccia_tools.child.engines._quickjs.context import Context, HostFunction
    from goccia_tools.child.engines._quickjs.library import Library

#: a global that exists only while the helpers of rewritten sources are being installed
_HANDOVER = "ǃg"


def install_helpers(context: Context) -> None:
    """Make the helpers that rewritten sources call lexical globals: guest code can neither reach nor replace them."""
    internals = context.internals
    if internals is None:
        raise LookupError("the prelude has not run")
    helpers = context.get(internals, "sourceHelpers")
    names = str(context.call("helperNames"))
    context.define_global(_HANDOVER, helpers)
    context.eval_script(
        f"const {{ {names} }} = globalThis.{_HANDOVER}; delete globalThis.{_HANDOVER};", prelude.NAME
    ).release()


class Realm:
    """One heap with its main context, whose ``hosts`` may be changed until the program runs."""

    def __init__(self, library: Library, hosts: dict[str, HostFunction]) -> None:
        self.runtime = Runtime(library)
        self.runtime.set_stack_limit(STACK_BYTES)
        self.context = self.new_context(hosts)
        #: what the heap holds before a program runs in it
        self.base_bytes = self.runtime.memory_used()

    def new_context(self, hosts: dict[str, HostFunction]) -> Context:
        """Another context on the same heap, with a prelude of its own."""
        library = self.runtime.library
        if library.prelude is None:
            library.prelude = prelude.bytecode(self.runtime)
        context = self.runtime.new_context(hosts)
        prelude.evaluate(context, library.prelude)
        install_helpers(context)
        return context

    def close(self) -> None:
        """Free the heap."""
        self.runtime.close()
