"""Elapsed: tells the person at a notebook that a cell still runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Event, Thread
from time import monotonic

#: a cell that runs longer is seen to run
FIRST_S = 1.0


@contextmanager
def telling(show: Callable[[str], None], clear: Callable[[], None], what: str) -> Iterator[None]:
    """While the block runs, ``show`` a line with the seconds gone, from the first one on; at the end ``clear`` it.

    ``show`` is called on a thread of its own, in the context of the caller, by which kernels know where output goes.
    """
    done = Event()
    shown = Event()
    started = monotonic()

    def tell() -> None:
        wait = FIRST_S
        while not done.wait(wait):
            shown.set()
            show(f"{what} is running: {monotonic() - started:.0f} s")
            wait = 1.0

    thread = Thread(target=copy_context().run, args=(tell,), name="goccia-elapsed", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if shown.is_set():
            clear()
