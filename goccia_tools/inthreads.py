"""in_threads: run many things at once on a few threads, results as they come, nothing left when it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(run: Callable[[Item, int], Result], items: Iterable[Item], jobs: int) -> Iterator[tuple[int, Result]]:
    """Yield ``(index, run(item, stop))`` in the order of completion, at most ``jobs`` at a time.

    Items are taken from the iterable only when a thread is free. ``stop`` is a descriptor that becomes readable when
    the caller is done early (it closes the generator, or an exception such as KeyboardInterrupt goes through here);
    then every ``run`` must return or raise soon, and this waits for them.
    """
    stop, stopping = os.pipe()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="goccia-run")
    try:
        waiting = enumerate(items)
        under_way: dict[Future[Result], int] = {}

        def start_next() -> None:
            for index, item in waiting:
                under_way[pool.submit(run, item, stop)] = index
                return

        for _ in range(jobs):
            start_next()
        while under_way:
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                index = under_way.pop(future)
                start_next()
                yield index, future.result()
    finally:
        os.close(stopping)
        pool.shutdown(cancel_futures=True)
        os.close(stop)
