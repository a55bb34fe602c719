"""Turning tasks into results on all cores, in threads.

The engine's loops run without Python's interpreter lock, so threads use all cores, and nothing is copied between them.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from coach.common.cores import cores

_Work = TypeVar("_Work")
_Result = TypeVar("_Result")


def run(
    work: Callable[[_Work], _Result], tasks: Iterable[_Work], workers: int | None = None
) -> Generator[tuple[_Work, _Result], None, None]:
    """Yield each task and `work(task)`, in order, by `workers` threads, or one for each core. A task is taken shortly
    before a thread is idle. Raises whatever the work raises."""
    workers = cores() if workers is None else workers
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one thread is needed.")
    executor = ThreadPoolExecutor(workers)
    pending: deque[tuple[_Work, Future[_Result]]] = deque()
    try:
        for task in tasks:
            pending.append((task, executor.submit(work, task)))
            # Each thread has a task, and another task is waiting for it.
            if len(pending) == 2 * workers:
                task, future = pending.popleft()
                yield task, future.result()
        for task, future in pending:
            yield task, future.result()
    finally:
        # After an error or Ctrl-C, tasks that have not begun are abandoned.
        executor.shutdown(cancel_futures=True)
