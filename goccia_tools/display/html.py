"""Sections as HTML: no script, no style sheet, readable on light and dark pages, the same bytes every time."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape

from .sections import Section

# colours that keep a contrast of at least 4 to 1 on white and on the dark greys of editors
_STYLES = {
    "plain": "",
    "dim": "opacity:.7",
    "good": "color:#2e8b57;font-weight:bold",
    "bad": "color:#d64545;font-weight:bold",
    "warning": "color:#b07400",
    "error": "color:#d64545",
    "place": "color:#3a86c8",
    "added": "color:#2e8b57;background:rgba(46,139,87,.12)",
    "removed": "color:#d64545;background:rgba(214,69,69,.12)",
    "hunk": "color:#3a86c8",
}
_BOX = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;line-height:1.45;margin:2px 0"
_EDGE = {
    "output": "rgba(128,128,128,.5)",
    "report": "#d64545",
    "value": "#3a86c8",
    "change": "#2e8b57",
}
_PRE = "margin:0;padding:2px 8px;white-space:pre-wrap;overflow-wrap:anywhere;background:transparent;color:inherit"

#: lines of a change that are open at first
OPEN_LINES = 20


def html_of(sections: Iterable[Section], images: Iterable[tuple[str, str, bytes]] = ()) -> str:
    """The sections as one ``div``, then images (title, media type, content) as data addresses."""
    parts = [_section(section) for section in sections]
    parts += [_image(*image) for image in images]
    return f'<div class="goccia-run" style="{_BOX}">{"".join(parts)}</div>'


def _section(section: Section) -> str:
    lines = "".join(_line(line.style, line.text) for line in section.lines)
    if section.role in ("verdict", "note"):
        return f'<div style="padding:2px 0">{lines}</div>'
    body = f'<pre style="{_PRE};border-left:3px solid {_EDGE[section.role]}">{lines}</pre>' if lines else ""
    title = escape(section.title)
    if section.role == "change" and body:
        state = " open" if len(section.lines) <= OPEN_LINES else ""
        return f'<details{state} style="margin:4px 0"><summary style="cursor:pointer">{title}</summary>{body}</details>'
    return f'<div style="margin:4px 0"><div style="opacity:.7">{title}</div>{body}</div>'


def _line(style: str, text: str) -> str:
    css = _STYLES[style]
    return f'<span style="{css}">{escape(text)}</span>\n' if css else f"{escape(text)}\n"


def _image(title: str, media_type: str, content: bytes) -> str:
    # as the source of an image, SVG runs no script and loads nothing
    source = f"data:{media_type};base64,{b64encode(content).decode()}"
    name = escape(title)
    return (
        f'<figure style="margin:4px 0"><figcaption style="opacity:.7">{name}</figcaption>'
        f'<img src="{source}" alt="{name}" style="max-width:100%;background:#fff"></figure>'
    )
