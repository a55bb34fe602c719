"""Turning tasks into results on all cores, in threads, or on a cluster.

    for task, result in run(factory, settings, tasks):      each thread: work = factory(settings)
        ...                                                 result = work(task)

The engine's loops run without Python's interpreter lock, so threads use all cores, and nothing is copied between them.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from g2c.corpus.cluster import Cluster, connected_cluster

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
        workers: number of threads; None means one for each core.
        cluster: the address of a Dask scheduler whose workers do the work, instead of threads on this machine.
        notify: called with a message for the user when a cluster keeps the caller waiting.

    Raises:
        whatever the work raises; ValueError if both `workers` and `cluster` are given; CourseError as in
        `g2c.corpus.cluster.connected_cluster`.
    """
    if cluster is not None and workers is not None:
        raise ValueError(
            f"workers={workers} sets the number of threads on this machine, but with cluster={os.fspath(cluster)!r} "
            "the cluster's workers do the work. Leave out one of the two."
        )
    workers = cores() if workers is None else workers
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one thread is needed.")
    opened: AbstractContextManager[_Threads | Cluster] = (
        _threads(factory, settings, workers)
        if cluster is None
        else connected_cluster(cluster, factory, settings, notify)
    )
    with opened as pool:
        pending: deque[tuple[Any, Any]] = deque()
        for task in tasks:
            pending.append((task, pool.submit(task)))
            while pending and pool.is_full(len(pending)):
                task, future = pending.popleft()
                yield task, pool.result(task, future)
        while pending:
            task, future = pending.popleft()
            yield task, pool.result(task, future)


class _Threads:
    """Threads of this process. A `Cluster` has the same methods."""

    def __init__(self, factory: _Factory, settings: Any, count: int, executor: ThreadPoolExecutor) -> None:
        self._factory, self._settings, self._count, self._executor = factory, settings, count, executor
        self._of_this_thread = threading.local()

    def submit(self, task: Any) -> Future[Any]:
        """Begin a task as soon as a thread is free."""
        return self._executor.submit(self._work, task)

    def result(self, task: Any, future: Future[Any]) -> Any:
        """Wait for the result of a task. Raises what the work raises."""
        return future.result()

    def is_full(self, pending: int) -> bool:
        """Whether each thread has a task, and another one is waiting for it."""
        return pending >= 2 * self._count

    def _work(self, task: Any) -> Any:
        # Encoders are not thread-safe: each thread has its own.
        if not hasattr(self._of_this_thread, "work"):
            self._of_this_thread.work = self._factory(self._settings)
        return self._of_this_thread.work(task)


@contextmanager
def _threads(factory: _Factory, settings: Any, count: int) -> Iterator[_Threads]:
    executor = ThreadPoolExecutor(count)
    try:
        yield _Threads(factory, settings, count, executor)
    finally:
        # After an error or Ctrl-C the tasks that have not begun are abandoned.
        executor.shutdown(cancel_futures=True)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
