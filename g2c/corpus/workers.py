"""Turning tasks into results on all cores, in threads.

    for task, result in run(make_worker, tasks):      each thread: work = make_worker()
        ...                                           result = work(task)

The engine's loops run without Python's interpreter lock, so threads use all cores, and nothing is copied between them.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from g2c.common.cores import cores

_Work = TypeVar("_Work")
_Result = TypeVar("_Result")


def run(
    make_worker: Callable[[], Callable[[_Work], _Result]], tasks: Iterable[_Work], workers: int | None = None
) -> Generator[tuple[_Work, _Result], None, None]:
    """Process tasks in parallel; yield each task and its result, in the order of the tasks.

    `make_worker` is called once in each thread, and returns the function that turns a task into a result. It may own
    objects that are not thread-safe, such as an encoder. A task is taken shortly before a thread becomes idle. There
    are `workers` threads, or one for each core. Raises whatever the work raises.
    """
    workers = cores() if workers is None else workers
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one thread is needed.")
    of_this_thread = threading.local()

    def work(task: _Work) -> _Result:
        if not hasattr(of_this_thread, "work"):
            of_this_thread.work = make_worker()
        result: _Result = of_this_thread.work(task)
        return result

    executor = ThreadPoolExecutor(workers)
    try:
        pending: deque[tuple[_Work, Future[_Result]]] = deque()
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
