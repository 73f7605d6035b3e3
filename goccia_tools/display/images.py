"""Images that a program wrote and a person wants to see."""

from __future__ import annotations

from dataclasses import dataclass

from .text import printable

#: images over this size are named, not shown
MAX_IMAGE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Image:
    """A file to show: its title, its media type and its bytes."""

    title: str
    media_type: str
    content: bytes


def image_of(path: str, content: bytes) -> Image | str:
    """The image in a file of the sandbox, or a sentence that says why it cannot be shown."""
    shown = printable(path)
    if len(content) > MAX_IMAGE_BYTES:
        return f"{shown} is not shown: it has {len(content)} bytes, more than {MAX_IMAGE_BYTES}"
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        media_type = "image/png"
    elif content.startswith(b"\xff\xd8\xff"):
        media_type = "image/jpeg"
    elif content.startswith((b"GIF87a", b"GIF89a")):
        media_type = "image/gif"
    elif b"<svg" in content[:1024]:
        media_type = "image/svg+xml"
    else:
        return f"{shown} is not shown: it is no PNG, JPEG, GIF or SVG image"
    return Image(f"{shown}, {len(content)} bytes", media_type, content)
