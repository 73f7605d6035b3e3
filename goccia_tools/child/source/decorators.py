"""Decorators and auto-accessors: classes that a kit of functions puts together while the engine defines them.

The kit, a parameter around the class, learns of each decorated element where its name is computed, decorates
everything in a static block before all others, and takes part in what initialises fields.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quoted

from .classes import Classes, Member
from .literals import string_value

_ACCESS = {
    "method": "get:(ǃg_o)=>ǃg_o.{0},",
    "get": "get:(ǃg_o)=>ǃg_o.{0},",
    "set": "set:(ǃg_o,ǃg_v)=>{{ǃg_o.{0}=ǃg_v}},",
    "field": "get:(ǃg_o)=>ǃg_o.{0},set:(ǃg_o,ǃg_v)=>{{ǃg_o.{0}=ǃg_v}},",
}
_ADVICE = "Run it with the goccia engine"


class Decorators(Classes):
    """The rewriting of decorated classes."""

    def decorated_class(
        self,
        i: int,
        name: str,
        brace: int,
        end: int,
        members: list[Member],
        decorators: list[tuple[int, int]],
        *,
        declaration: bool,
    ) -> None:
        kit = self.fresh("kit")
        number = 0
        instance = False
        for member in members:
            if member.decorators or member.accessor:
                self._element_of(kit, number, member)
                instance = instance or (bool(member.decorators) and not member.static)
                number += 1
        starts = f"static{{{kit}.apply(this);}}" + (f"#ǃg_i={kit}.begin(this);" if instance else "")
        self.edits.close(self.e[brace], starts)
        before = (f"let {name}=" if declaration else "") + self.use("decorate") + "(["
        if decorators:
            for position, (begin, _end) in enumerate(decorators):
                self.edits.replace(self.s[begin - 1], self.e[begin - 1], "," if position else before)
            self.edits.close(self.e[decorators[-1][1] - 1], f"],{quoted(name)},({kit})=>")
        else:
            self.edits.open(self.s[i], f"{before}],{quoted(name)},({kit})=>")
        self.edits.close(self.e[end], ");" if declaration else ")")

    def _element_of(self, kit: str, number: int, member: Member) -> None:
        texts = []
        if member.decorators:
            for begin, end in member.decorators:
                text = self.edits.extract(self.s[begin], self.e[end - 1])
                if "\n" in text and ("//" in text or "`" in text):
                    raise self.refuse("This decorator needs the goccia engine", begin, _ADVICE)
                texts.append(text.replace("\n", " "))
            first, last = member.decorators[0][0] - 1, member.decorators[-1][1] - 1
            self.edits.blank(self.s[first], self.e[last])
        kind = "accessor" if member.accessor else member.kind
        noted = f'{kit}.note({number},"{kind}",{str(member.static).lower()},[{",".join(texts)}]'
        if member.private and texts:
            self._private_element(kit, number, member, kind, noted)
            return
        key = self._key(kit, number, member, noted, decorated=bool(texts))
        if member.accessor:
            self._accessor(kit, number, member, key, decorated=bool(texts))
        elif kind == "field":
            self._initialised(kit, number, member)

    def _key(self, kit: str, number: int, member: Member, noted: str, *, decorated: bool) -> str:
        """Compute the name of an element through the kit; how a second element gets the same name."""
        begin, end = member.name_begin, member.name_end
        if member.private:
            return f"#{member.name}"
        if member.computed:
            call = noted if decorated else f"{kit}.key({number}"
            self.edits.replace(self.s[begin], self.e[begin], f"[{call},")
            self.edits.replace(self.s[end - 1], self.e[end - 1], ")]")
            return f"[{kit}.again({number})]"
        text = self.text[self.s[begin] : self.e[end - 1]]
        if not decorated:
            return text
        kind = self.k[begin]
        name = (
            quoted(string_value(text))
            if kind in ("str", "ostr")
            else text
            if kind in ("num", "big")
            else quoted(member.name)
        )
        self.edits.replace(self.s[begin], self.e[end - 1], f"[{noted},{name})]")
        return f"[{kit}.again({number})]"

    def _initialised(self, kit: str, number: int, member: Member) -> None:
        """The value of a decorated field goes through its initialisers."""
        if member.value_end > member.value_begin:
            self.edits.wrap(self.s[member.value_begin], f"{kit}.init({number},this,", self.e[member.value_end - 1], ")")
        else:
            self.edits.close(self.e[member.name_end - 1], f"={kit}.init({number},this,void 0);")
        self._finished(kit, number, member)

    def _finished(self, kit: str, number: int, member: Member) -> None:
        """What decorators asked for runs when the field is there."""
        static = "static " if member.static else ""
        self.edits.close(self.e[member.end - 1], f";{static}#ǃg_done_{kit[3:]}_{number}={kit}.after({number},this);")

    def _accessor(self, kit: str, number: int, member: Member, key: str, *, decorated: bool) -> None:
        """``accessor name = value``: a private field behind a getter and a setter."""
        store = f"#ǃg_{kit[3:]}_{number}"
        static = "static " if member.static else ""
        at = self.e[member.name_end - 1]
        self.edits.open(self.s[member.name_begin], "get ")
        pair = f"(){{return this.{store};}}{static}set {key}(ǃg_v){{this.{store}=ǃg_v;}}{static}{store}"
        has_value = member.value_end > member.value_begin
        if decorated and has_value:
            self._initialised(kit, number, member)
        elif decorated:
            pair += f"={kit}.init({number},this,void 0);"
        elif not has_value:
            pair += ";"
        self.edits.close(at, pair)
        if decorated and not has_value:
            self._finished(kit, number, member)

    def _private_element(self, kit: str, number: int, member: Member, kind: str, noted: str) -> None:
        if member.accessor:
            raise self.refuse("Decorated private accessors need the goccia engine", member.begin, _ADVICE)
        name = f"#{member.name}"
        access = "{" + _ACCESS[kind].format(name) + f"has:(ǃg_o)=>{name} in ǃg_o}}"
        noted = f"static [{noted},{quoted(name)},{access}"
        if kind == "field":
            self.edits.open(self.s[member.begin], noted + ")];")
            self._initialised(kit, number, member)
            return
        begin = member.begin
        static = ""
        if member.static:
            static = "static "
            self.edits.blank(self.s[begin], self.e[begin])
            begin += 1
        self.edits.open(self.s[begin], noted + ",{")
        self.edits.replace(self.s[member.name_begin], self.e[member.name_end - 1], quoted(name))
        if kind == "method":
            stands = f"{static}get {name}(){{return {kit}.value({number});}}"
        elif kind == "get":
            stands = f"{static}get {name}(){{return {kit}.call({number},this);}}"
        else:
            stands = f"{static}set {name}(ǃg_v){{{kit}.call({number},this,ǃg_v);}}"
        self.edits.close(self.e[member.end - 1], "})];" + stands)
