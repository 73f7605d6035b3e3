"""Call: a test of one function without any JavaScript around it in the test.

A small program of ours imports the function, calls it and gives what came of it as the result value. What is expected
is not in that program; it is compared here, on plain data. The program is the same whatever is expected.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..result import RunResult
from .commonjs import is_commonjs, lookup, own_column, with_exports
from .compare import json_text, shown
from .expect import is_cut
from .matchers import Condition
from .report import code_frame, frame_places
from .verdict import Mismatch

#: a text with this at the start of a line is a module whose functions are imported; any other is a script
_EXPORTS = re.compile(r"^[ \t]*export\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Call:
    """What to call and what must come of it.

    ``shown`` is the call as people read it, ``expression`` the JavaScript that makes it, ``subject`` the name it
    begins with and ``source`` the sandbox path of the file that has it.
    """

    shown: str
    subject: str
    expression: str
    source: str
    returns: Condition | None = None
    throws: tuple[Condition, ...] | None = None
    output: Condition | None = None
    line: int = 0

    def program(self, source_text: str | None) -> tuple[str, str | None]:
        """The text that makes the call, and where it goes: None for a program of its own that imports the file,
        or the file's path when it exports nothing and the call has to stand below its text.
        """
        name = json_text(self.subject)
        if source_text is not None and not _EXPORTS.search(source_text):
            if is_commonjs(source_text):
                return f"{with_exports(source_text)}\n{self._below_exports()}", self.source
            missing = f'typeof {self.subject} === "undefined"' if self.subject else "false"
            body = _DRIVER.format(missing=missing, names="undefined", subject=name, bind="", value=self.expression)
            return f"{source_text}\n{body}", self.source
        bind = "".join(f"const {word} = {_TARGET}.{word} ?? globalThis.{word}; " for word in self._words())
        if self.subject == "default":
            bind += f"const {DEFAULT} = {_TARGET}.default; "
        missing = f"{_TARGET}[{name}] === undefined" if self.subject else "false"
        body = _DRIVER.format(
            missing=missing, names=f"Object.keys({_TARGET})", subject=name, bind=bind, value=self.expression
        )
        return f"import * as {_TARGET} from {json_text(self.source)};\n{body}", None

    def _below_exports(self) -> str:
        # looked up before the block that has names of its own
        words = ["default"] if self.subject == "default" else self._words()
        found = ", ".join(f"{word}: {lookup(word)}" for word in words)
        bind = "".join(
            f"const {DEFAULT if word == 'default' else word} = {_TARGET}.{word} ?? globalThis.{word}; "
            for word in words
        )
        missing = f"{_TARGET}.{self.subject} === undefined" if self.subject else "false"
        body = _DRIVER.format(
            missing=missing,
            names=f"Object.keys({lookup('default')})",
            subject=json_text(self.subject),
            bind=bind,
            value=self.expression,
        )
        return f"const {_TARGET} = {{ {found} }};\n{body}"

    def _words(self) -> list[str]:
        """The names to take from the module: the first one, or every one that an expression of the author holds."""
        if self.subject:
            return [self.subject] if self.subject != "default" else []
        return sorted({word for word in _FREE.findall(self.expression) if f" {word} " not in _RESERVED})

    def mismatches(
        self, result: RunResult, text_of: Callable[[str], str | None] = lambda path: None
    ) -> tuple[Mismatch, ...]:
        """What is not as expected in the run of :meth:`program`; ``text_of`` gives the text of a sandbox file."""
        found: list[Mismatch] = []
        answer = result.result_value
        if not result.ok:
            found.append(
                Mismatch("ok", f"the run of {self.shown} failed before it could return", True, False, self.line)
            )
        elif result.truncated:
            found.append(
                Mismatch(
                    "returns", "what it returned is too large for the result to carry", line=self.line, truncated=True
                )
            )
        elif not isinstance(answer, dict):
            found.append(Mismatch("returns", "the run ended without an answer", line=self.line))
        elif "missing" in answer:
            found.append(Mismatch("call", self._missing(answer), line=self.line))
        elif "threw" in answer:
            found.extend(self._judge_throw(answer["threw"], text_of))
        else:
            found.extend(self._judge_return(answer))
        if self.output is not None and (problem := self.output.problem(result.output)):
            wanted = self.output.exact.wanted if self.output.exact else str(self.output)
            cut = is_cut(result.output)
            found.append(Mismatch("output", problem, wanted, result.output, self.output.line, truncated=cut))
        return tuple(found)

    def _missing(self, answer: dict[str, Any]) -> str:
        has = answer.get("has")
        names = ", ".join(str(name) for name in has[:20]) if isinstance(has, list) and has else ""
        verb = "does not export" if isinstance(has, list) else "does not define"
        return f"{self.source} {verb} {self.subject}" + (f"; it exports {names}" if names else "")

    def _judge_throw(self, threw: Any, text_of: Callable[[str], str | None]) -> list[Mismatch]:
        parts = [*threw, None, None, None, None][:4] if isinstance(threw, list) else [None] * 4
        name, message, made_by = (part if isinstance(part, str) else "" for part in (parts[0], parts[1], parts[3]))
        stack = parts[2]
        said = f"{name}: {message}" if name else message
        if self.throws is None:
            if said == f"TypeError: {_NEVER_SETTLES}":
                return [Mismatch("returns", f"the promise that {self.shown} returned never settled", line=self.line)]
            detail = _frame(stack, text_of) if isinstance(stack, str) else ""
            wanted = self.returns.exact.wanted if self.returns and self.returns.exact else None
            return [Mismatch("returns", f"{self.shown} threw {said}", wanted, None, self.line, detail=detail)]
        if name == "TypeError" and message == _NEVER_SETTLES:
            return [Mismatch("throws", f"the promise that {self.shown} returned never settled", line=self.line)]
        found = []
        for condition in self.throws:
            actual = name if condition.field == "name" else message
            problem = condition.problem(actual)
            if problem and condition.field == "name" and made_by and name:
                # a class of errors that gives its own no name is known by its own
                problem = condition.problem(made_by) and problem
            if problem:
                exact = condition.exact
                wanted = exact.wanted if exact else str(condition)
                found.append(Mismatch(f"throws.{condition.field}", problem, wanted, actual, condition.line))
        return found

    def _judge_return(self, answer: dict[str, Any]) -> list[Mismatch]:
        value, kind = answered(answer), answer.get("kind")
        told = shown(value) if kind not in ("undefined", "bigint", "symbol", "function") else _told(kind, answer)
        if self.throws is not None:
            return [Mismatch("throws", f"{self.shown} returned {told} and threw nothing", line=self.line)]
        if self.returns is None:
            return []
        problem = self.returns.problem(value)
        if problem is None and kind in ("bigint", "symbol") and self.returns.exact:
            problem = f"expected {self.returns}, got {told}"
        if problem is None and kind == "undefined" and self.returns.exact:
            problem = f"expected {self.returns}, got undefined; for undefined expect {{absent: true}}"
        if problem is None:
            return []
        if kind == "undefined":
            problem = problem.replace("got null", "got undefined (nothing was returned)")
        if kind in ("Map", "Set"):
            problem += f" (it is a {kind}; compare what is in it with js: [...{self.shown}])"
        wanted = self.returns.exact.wanted if self.returns.exact else str(self.returns)
        return [Mismatch("returns", problem, wanted, value, self.returns.line)]


def answered(answer: dict[str, Any]) -> Any:
    """The value that a call returned; a Date is its ISO text, and null when it is none."""
    value, kind = answer.get("returned"), answer.get("kind")
    if kind == "Date":
        return answer.get("text")
    return _SPECIAL.get(kind, value) if isinstance(kind, str) else value


def _frame(stack: str, text_of: Callable[[str], str | None]) -> str:
    """The code around the innermost place that is not in the program of ours below or beside the file."""
    for path, line, column in frame_places(stack):
        text = text_of(path)
        if text is not None and line <= text.count("\n") + 1:
            if is_commonjs(text):
                column = own_column(text, line, column)
            return code_frame(text, path, line, column)
    return ""


#: `kind` tells apart what the result value cannot: undefined, NaN and the infinities all become null in it, a Date, a
#: Map and a Set all {}
_DRIVER = """\
let $answer$;
if ({missing}) {{
  $answer$ = {{ missing: {subject}, has: {names} }};
}} else {{
  {bind}try {{
    const $value$ = await ({value});
    const infinite = $value$ === 1 / 0 || $value$ === -1 / 0;
    const known = [Date, Map, Set].find((type) => $value$ instanceof type);
    const kind = infinite || $value$ !== $value$ ? `${{$value$}}` : known ? known.name : typeof $value$;
    const text = kind === "bigint" ? `${{$value$}}n` : kind === "Date" ? $value$.toJSON() : undefined;
    $answer$ = {{ returned: $value$, kind, text }};
  }} catch ($error$) {{
    const told = $error$ === null || $error$ === undefined ? {{}} : $error$;
    const message = told.message === undefined ? `${{$error$}}` : told.message;
    $answer$ = {{ threw: [told.name, message, told.stack, told.constructor?.name] }};
  }}
}}
$answer$;
"""
_TARGET = "$target$"
#: what the default export is called in the program
DEFAULT = "$default$"
_NEVER_SETTLES = "await: Promise did not settle after microtask drain"
_FREE = re.compile(r"(?<![\w$.\"'`])[A-Za-z_$][\w$]*")
#: words that are no names, each between blanks
_RESERVED = (
    " await async break case catch class const continue debugger default delete do else export extends false finally"
    " for function if import in instanceof let new null of return static super switch this throw true try typeof"
    " undefined var void while with yield globalThis NaN Infinity arguments eval "
)
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _told(kind: Any, answer: dict[str, Any]) -> str:
    text = answer.get("text")
    return text if kind == "bigint" and isinstance(text, str) else f"a {kind}" if kind != "undefined" else "undefined"
