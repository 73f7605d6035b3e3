"""JSX elements: rewritten in place into calls of createElement."""

from __future__ import annotations

from _json import encode_basestring as quoted

from .expressions import OTHER
from .imports import Imports
from .patterns import ATTRIBUTE, BLANKS, DIRECTIVE, ELEMENT, HEAD, LINE_END, PLAIN_KEY, TAG, TEXT
from .problems import Violation

MAX_DEPTH = 256


class Elements(Imports):
    """The element rules. They work on offsets of the text; expressions inside go through the parser."""

    def element_ahead(self, i: int) -> bool:
        return ELEMENT.match(self.text, self.s[i]) is not None

    def element(self, i: int) -> int:
        if not self.factory:
            self.factory, self.fragment = "createElement", "Fragment"
            head = HEAD.match(self.text)
            for which, name in DIRECTIVE.findall(head.group() if head else ""):
                if which == "jsxFactory":
                    self.factory = name
                else:
                    self.fragment = name
        self.elements_depth += 1
        if self.elements_depth > MAX_DEPTH:
            raise Violation(f"JSX: Nesting depth exceeded {MAX_DEPTH}", self.s[i], "Use fewer levels")
        outer, self.element_token = self.element_token, i
        end = self._tag(self.s[i])
        self.element_token = outer
        self.elements_depth -= 1
        self.scanner.resume(i, end)
        self.left = i
        self.i = i + 1
        return OTHER

    def _tag(self, begin: int) -> int:
        """The element at offset ``begin``; the offset behind it."""
        text = self.text
        self.factory_call(begin)
        at = begin + 1
        if text[at] == ">":
            self.edits.replace(at, at + 1, f"{self.imported_name(self.fragment)},null")
            return self._children(at + 1, "")
        found = TAG.match(text, at)
        assert found is not None  # noqa: S101 - element_ahead() saw it
        tag = found.group()
        end = found.end()
        self.edits.replace(at, end, quoted(tag) if "a" <= tag[0] <= "z" else self.imported_name(tag))
        at = self._space(end)
        if text.startswith("/>", at):
            self.edits.replace(at, at + 2, ",null)")
            return at + 2
        if text.startswith(">", at):
            self.edits.replace(at, at + 1, ",null")
            return self._children(at + 1, tag)
        at = self._attributes(at)
        if text.startswith("/>", at):
            self.edits.replace(at, at + 2, ")")
            return at + 2
        if text.startswith(">", at):
            self.edits.blank(at, at + 1)
            return self._children(at + 1, tag)
        raise Violation(f"JSX: Unterminated opening tag <{tag}>", min(at, len(text)), "Close the tag with >")

    def factory_call(self, at: int) -> None:
        self.edits.replace(at, at + 1, self.imported_name(self.factory, call=True) + "(")
        self.elements.append(at)

    def imported_name(self, name: str, *, call: bool = False) -> str:
        """A name as the rewritten program reads it: imports of a script are members of a namespace."""
        head, dot, rest = name.partition(".")
        known = self.imported.get(head)
        if known is None:
            return name
        return f"(0,{known}{dot}{rest})" if call and not dot else known + dot + rest

    def _space(self, at: int) -> int:
        found = BLANKS.match(self.text, at)
        return found.end() if found else at

    def _attributes(self, at: int) -> int:
        text = self.text
        size = len(text)
        before = at
        spread = False
        inside = False  # of an object literal
        segments = 0
        opening = at
        while True:
            at = self._space(at)
            if at >= size or text[at] == ">" or text.startswith("/>", at):
                break
            char = text[at]
            if char == "{" and text.startswith("...", at + 1):
                self.edits.replace(at, at + 4, ("}" if inside else "") + ("," if segments else ""))
                inside, spread = False, True
                segments += 1
                at = self._expression(at + 4)
                self.edits.blank(at, at + 1)
                at += 1
                continue
            comma = "," if inside else (",{" if segments else "{")
            segments += not inside
            if char == "{":
                found = ATTRIBUTE.match(text, at + 1)
                name = found.group() if found else ""
                end = found.end() if found else at + 1
                stop = end + 1 if text.startswith("}", end) else end
                if not name:
                    raise Violation('JSX: Unexpected character "{" in attribute list', at, "Write name={value}")
                self.edits.replace(at, stop, f"{comma}{name}:{self.imported_name(name)}")
                at = stop
                inside = True
                continue
            found = ATTRIBUTE.match(text, at)
            if found is None:
                shown = char if char < "\x80" else "\\x" + char.encode()[:1].hex()
                if char == ":" or char >= "\x80":
                    raise Violation(f'JSX: Unsupported attribute syntax at "{shown}"', at, "Use an ASCII name")
                raise Violation(f'JSX: Unexpected character "{shown}" in attribute list', at, "Write name={value}")
            name = found.group()
            key = name if PLAIN_KEY.match(name) else quoted(name)
            end = self._space(found.end())
            inside = True
            if not text.startswith("=", end):
                self.edits.replace(at, found.end(), f"{comma}{key}:true")
                at = found.end()
                continue
            value = self._space(end + 1)
            quote = text[value : value + 1]
            if quote in ('"', "'"):
                stop = value + 1
                while stop < size and text[stop] != quote:
                    stop += 2 if text[stop] == "\\" else 1
                raw = text[value + 1 : stop]
                self.edits.replace(at, min(stop + 1, size), f"{comma}{key}:{quoted(raw)}")
                at = stop + 1
            elif quote == "{":
                self.edits.replace(at, value + 1, f"{comma}{key}:")
                at = self._expression(value + 1)
                self.edits.blank(at, at + 1)
                at += 1
            else:
                self.edits.replace(at, end + 1, f"{comma}{key}:undefined")
                at = value
        if spread:
            # Object.assign of the reference, on a spread of its own: the guest's Object may be patched
            self.edits.close(opening, f",{self.use('props')}(")
            self.edits.open(at, ("}" if inside else "") + ")")
        else:
            self.edits.close(opening, ",")
            self.edits.open(at, "}")
        return max(at, before)

    def _children(self, at: int, tag: str) -> int:
        text = self.text
        size = len(text)
        while at < size:
            char = text[at]
            if char == "<":
                if text.startswith("/", at + 1):
                    return self._closing(at, tag)
                if not ELEMENT.match(text, at):
                    raise Violation('JSX: Unexpected character "<" in children', at, "Write {'<'}")
                self.edits.close(at, ",")
                self.elements_depth += 1
                if self.elements_depth > MAX_DEPTH:
                    raise Violation(f"JSX: Nesting depth exceeded {MAX_DEPTH}", at, "Use fewer levels")
                at = self._tag(at)
                self.elements_depth -= 1
            elif char == "{":
                inner = self._space(at + 1)
                if text.startswith("}", inner):
                    # the reference emits an empty argument here, which is no program
                    raise Violation("Expected expression", inner, "Write an expression in the braces")
                self.edits.replace(at, at + 1, ",")
                at = self._expression(at + 1)
                self.edits.blank(at, at + 1)
                at += 1
            else:
                found = TEXT.match(text, at)
                assert found is not None  # noqa: S101 - the character is neither < nor {
                trimmed = trim_text(found.group())
                self.edits.replace(at, found.end(), "," + quoted(trimmed) if trimmed else "")
                at = found.end()
        # the end of the text closes everything that is open, as in the reference
        self.edits.close(size, ")")
        return size

    def _closing(self, at: int, tag: str) -> int:
        text = self.text
        end = at + 2
        if tag:
            end = self._space(end)
            found = TAG.match(text, end)
            closing = found.group() if found else ""
            end = self._space(found.end() if found else end)
            if closing != tag:
                message = f"JSX: Expected closing tag </{tag}> but found </{closing}>"
                raise Violation(message, end + (1 if text.startswith(">", end) else 0), f"Write </{tag}>")
        if text.startswith(">", end):
            end += 1
        self.edits.replace(at, end, ")")
        return end

    def _expression(self, at: int) -> int:
        """An expression in braces, parsed from offset ``at``; the offset of the closing brace."""
        number = self.scanner.enter(self.element_token, at)
        saved = self.i
        self.i = number
        self.expression_in()
        if self.k[self.i] != "}":
            raise self.refuse('Expected "}" after JSX expression', self.i, "Close the expression with }")
        end = self.s[self.i]
        self.i = saved
        return end


def trim_text(text: str) -> str:
    """Text between tags: lines trimmed and joined by one blank."""
    lines = LINE_END.split(text)
    if len(lines) == 1:
        return text
    parts = []
    for number, line in enumerate(lines):
        if number == 0:
            part = line.rstrip("".join(map(chr, range(33))))
        elif number == len(lines) - 1:
            part = line.lstrip("".join(map(chr, range(33))))
        else:
            part = line.strip("".join(map(chr, range(33))))
        if part:
            parts.append(part)
    return " ".join(parts)
