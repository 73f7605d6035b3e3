"""Bundle: what a notebook shows of a run, as text/plain and text/html that carry the same facts."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Facts
from .html import html_of
from .images import Image
from .sections import Limits, Section, sections


def bundle(
    facts: Facts, *, limits: Limits | None = None, with_report: bool = True, images: Sequence[Image] = ()
) -> dict[str, str]:
    """The MIME bundle of a run: ``text/plain`` and ``text/html``, the same for the same facts.

    ``with_report`` is false where the error report is shown as the traceback of an exception. ``images`` are files
    to show below, which the text names.
    """
    parts = list(sections(facts, limits or Limits(), with_report=with_report))
    pictures = [(image.title, image.media_type, image.content) for image in images]
    return {
        "text/plain": plain_of(parts, [image.title for image in images]),
        "text/html": html_of(parts, pictures),
    }


def plain_of(parts: Sequence[Section], images: Sequence[str] = ()) -> str:
    """Sections as text: titles flush left, their lines indented by two blanks."""
    lines: list[str] = []
    for part in parts:
        if part.title:
            lines.append(f"{part.title}:" if part.lines and part.role != "change" else part.title)
        indent = "  " if part.title else ""
        lines += [f"{indent}{line.text}".rstrip() for line in part.lines]
    lines += [f"image {title}" for title in images]
    return "\n".join(lines)
