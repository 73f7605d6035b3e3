"""The addresses of a name: one lookup, which a slow name server cannot stretch beyond the time that is left."""

from __future__ import annotations

import socket
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_MAX_ADDRESSES: Final = 16


class FetchError(Exception):
    """A fetch was refused or failed; the message is for the guest."""


def resolve(host: str, limit_s: float | None) -> list[str]:
    """The numeric addresses of a name, without duplicates, in the system's order; a numeric one is its own.

    Raises:
        FetchError: there are none.
        TimeoutError: the name server did not answer within ``limit_s``.
    """
    found: list[str] = []
    failures: list[OSError] = []

    def look_up() -> None:
        try:
            answers = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
        except OSError as error:
            failures.append(error)
        else:
            found.extend(dict.fromkeys(str(answer[4][0]) for answer in answers))

    worker = threading.Thread(target=look_up, daemon=True)
    worker.start()
    worker.join(limit_s)
    if worker.is_alive():
        raise TimeoutError(f"the lookup of {host} took too long")
    if failures or not found:
        raise FetchError(f"Failed to resolve host: {host}")
    return found[:_MAX_ADDRESSES]
