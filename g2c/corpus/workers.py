"""Turning tasks into results on all cores, in threads, or on a cluster.

    for task, result in run(factory, settings, tasks):      each thread: work = factory(settings)
        ...                                                 result = work(task)

The engine's loops run without Python's interpreter lock, so threads use all cores, and nothing is copied between them.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any

from g2c.corpus.cluster import run_on_cluster

_Factory = Callable[[Any], Callable[[Any], Any]]


def run(
    factory: _Factory,
    settings: Any,
    tasks: Iterable[Any],
    workers: int | None = None,
    *,
    cluster: str | os.PathLike[str] | None = None,
    notify: Callable[[str], None] = lambda message: None,
) -> Generator[tuple[Any, Any], None, None]:
    """Process tasks in parallel; yield each task and its result, in the order of the tasks.

    Args:
        factory: called with `settings`, once in each thread; returns the function that turns a task into a result. For
            a cluster, a function at the top level of a module; everything that is sent is pickled.
        tasks: consumed one at a time, when a worker is about to become idle.
        workers: number of threads; None means one for each core. With 1, or if there is only one task, the work is
            done in the calling thread.
        cluster: the address of a Dask scheduler whose workers do the work, instead of threads on this machine.
        notify: called with a message for the user when a cluster keeps the caller waiting.

    Raises:
        whatever the work raises; ValueError if both `workers` and `cluster` are given; CourseError as in
        `g2c.corpus.cluster.run_on_cluster`.
    """
    if cluster is not None:
        if workers is not None:
            raise ValueError(
                f"workers={workers} sets the number of threads on this machine, but with "
                f"cluster={os.fspath(cluster)!r} the cluster's workers do the work. Leave out one of the two."
            )
        yield from run_on_cluster(cluster, factory, settings, tasks, notify)
        return
    if workers is None:
        workers = cores()
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one thread is needed.")
    tasks = iter(tasks)
    first_two = list(islice(tasks, 2))
    if workers == 1 or len(first_two) < 2:
        work = factory(settings)
        for task in (*first_two, *tasks):
            yield task, work(task)
        return
    of_this_thread = threading.local()

    def do(task: Any) -> Any:
        if not hasattr(of_this_thread, "work"):
            of_this_thread.work = factory(settings)
        return of_this_thread.work(task)

    with ThreadPoolExecutor(workers) as threads:
        waiting: deque[tuple[Any, Future[Any]]] = deque()
        try:
            for task in chain(first_two, tasks):
                waiting.append((task, threads.submit(do, task)))
                # Each thread has a task, and another one is waiting for it.
                if len(waiting) == 2 * workers:
                    yield _first_result(waiting)
            while waiting:
                yield _first_result(waiting)
        finally:
            # After an error or Ctrl-C the tasks that have not begun are abandoned.
            threads.shutdown(wait=False, cancel_futures=True)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first_result(waiting: deque[tuple[Any, Future[Any]]]) -> tuple[Any, Any]:
    task, future = waiting.popleft()
    return task, future.result()
