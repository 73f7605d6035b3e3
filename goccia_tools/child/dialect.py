"""The GocciaScript dialect: which forms each compatibility flag switches on, and what is said when it is off."""

from __future__ import annotations

FLAGS = frozenset(
    {
        "compat-asi",
        "compat-var",
        "compat-function",
        "compat-traditional-for-loop",
        "compat-while-loops",
        "compat-loose-equality",
        "compat-non-strict-mode",
        "compat-arguments-object",
        "compat-label",
        "compat-for-in-loop",
        "experimental-js-module-source",
    }
)

#: form -> (message, suggestion); the messages are the protocol's, the advice is ours.
DISABLED: dict[str, tuple[str, str]] = {
    "var": (
        "'var' declarations are not supported in GocciaScript",
        "Write let or const, or allow it with compat-var",
    ),
    "var-for": (
        "'var' in for-init requires --compat-var",
        "Write let, or allow it with compat-var",
    ),
    "function": (
        "'function' declarations are not supported in GocciaScript",
        "Write const name = (...) => { ... }; or allow it with compat-function",
    ),
    "function-expression": (
        "'function' expressions are not supported in GocciaScript",
        "Write an arrow function or a method, or allow it with compat-function",
    ),
    "async-function": (
        "'async function' is not supported in GocciaScript",
        "Write async (...) => { ... } or an async method, or allow it with compat-function",
    ),
    "for": (
        "Traditional 'for(;;)' loops are not supported by default in GocciaScript",
        "Write for...of or an array method, or allow it with compat-traditional-for-loop",
    ),
    "for-in": (
        "'for...in' loops are not supported by default in GocciaScript",
        "Write for...of over Object.keys(), or allow it with compat-for-in-loop",
    ),
    "while": (
        "'while' loops are not supported by default in GocciaScript",
        "Write for...of or an array method, or allow it with compat-while-loops",
    ),
    "do": (
        "'do...while' loops are not supported by default in GocciaScript",
        "Write for...of or an array method, or allow it with compat-while-loops",
    ),
    "==": (
        "'==' (loose equality) is not supported in GocciaScript",
        "Write ===, or allow it with compat-loose-equality",
    ),
    "!=": (
        "'!=' (loose inequality) is not supported in GocciaScript",
        "Write !==, or allow it with compat-loose-equality",
    ),
    "with": (
        "'with' statements require --compat-non-strict-mode",
        "Name the object before each property, or allow it with compat-non-strict-mode",
    ),
    "with-module": (
        "'with' statements are not allowed in strict mode",
        "Name the object before each property; modules are always strict",
    ),
    "label": (
        "Labeled statements are not supported in GocciaScript",
        "Move the loop into a function, or allow it with compat-label",
    ),
    "module-source": (
        "JavaScript ModuleSource objects require --experimental-js-module-source",
        "Allow it with experimental-js-module-source",
    ),
}


class Dialect:
    """The flags of one run, resolved for one source text."""

    __slots__ = (
        "arguments",
        "asi",
        "equality",
        "for_in",
        "for_loop",
        "function",
        "label",
        "module_source",
        "sloppy",
        "var",
        "warn",
        "while_",
    )

    def __init__(self, flags: frozenset[str], *, module: bool = False, warn: bool = False) -> None:
        self.asi = "compat-asi" in flags
        self.var = "compat-var" in flags
        self.function = "compat-function" in flags
        self.for_loop = "compat-traditional-for-loop" in flags
        self.while_ = "compat-while-loops" in flags
        self.equality = "compat-loose-equality" in flags
        #: modules stay strict whatever the run says
        self.sloppy = "compat-non-strict-mode" in flags and not module
        self.arguments = "compat-arguments-object" in flags
        self.label = "compat-label" in flags
        self.for_in = "compat-for-in-loop" in flags
        self.module_source = "experimental-js-module-source" in flags
        self.warn = warn
