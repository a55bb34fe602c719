"""Worker processes that turn tasks into results, on all cores.

    parent                                    worker (a separate process)
    for result in run(factory, settings, …)   work = factory(settings)
        task    ------ pipe ------>           result = work(task)
        result  <----- pipe -------

Unlike `multiprocessing`, this starts new interpreters that do not import the caller's script again. So it works from a
script without `if __name__ == "__main__"`, from a notebook and from a terminal. A worker ends when its pipe is closed,
which also happens when the parent is killed.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from itertools import chain, islice
from queue import SimpleQueue
from typing import IO, Any

from g2c.common.errors import CourseError
from g2c.common.framing import read_frame, write_frame
from g2c.corpus.cluster import run_on_cluster

ENVIRONMENT = {
    # By default glibc returns the memory of large arrays to the system at once, and has to request it again for the
    # next array. Keeping it makes numpy on blocks of text almost twice as fast. Other systems ignore these two
    # variables.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # There already is one worker for each core.
    "TOKENIZERS_PARALLELISM": "false",
    "OPENBLAS_NUM_THREADS": "1",
}

_Factory = Callable[[Any], Callable[[Any], Any]]
_Process = subprocess.Popen[bytes]

_START = "import sys; sys.path[:] = {path!r}; from g2c.corpus.workers import serve; serve({module!r})"


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
        factory: a function at the top level of a module. It is called once in each worker with `settings`, and returns
            the function that turns a task into a result. Everything passed between processes is pickled.
        tasks: consumed one at a time, when a worker is about to become idle.
        workers: number of processes; None means one for each core. With 1, or if there is only one task, the work is
            done in this process.
        cluster: the address of a Dask scheduler whose workers do the work, instead of processes on this machine.
        notify: called with a message for the user when a cluster has no workers yet.

    Raises:
        whatever the work raises; ValueError if both `workers` and `cluster` are given; CourseError if a worker is
        killed, or as in `g2c.corpus.cluster.run_on_cluster`.
    """
    if cluster is not None:
        if workers is not None:
            raise ValueError(
                f"workers={workers} sets the number of processes on this machine, but with "
                f"cluster={os.fspath(cluster)!r} the cluster's workers do the work. Leave out one of the two."
            )
        yield from run_on_cluster(cluster, factory, settings, tasks, notify)
        return
    if workers is None:
        workers = cores()
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one process is needed.")
    tasks = iter(tasks)
    first_two = list(islice(tasks, 2))
    if workers == 1 or len(first_two) < 2:
        work = factory(settings)
        for task in (*first_two, *tasks):
            yield task, work(task)
        return
    with _Pool(factory, settings, workers) as pool, ThreadPoolExecutor(workers) as threads:
        waiting: deque[tuple[Any, Future[Any]]] = deque()
        try:
            for task in chain(first_two, tasks):
                waiting.append((task, threads.submit(pool.work, task)))
                # Each worker has a task, and another one is waiting for it.
                if len(waiting) == 2 * workers:
                    yield _first_result(waiting)
            while waiting:
                yield _first_result(waiting)
        finally:
            # After an error or Ctrl-C the other tasks are abandoned. A thread ends when its process does.
            threads.shutdown(wait=False, cancel_futures=True)
            pool.kill()


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first_result(waiting: deque[tuple[Any, Future[Any]]]) -> tuple[Any, Any]:
    task, future = waiting.popleft()
    return task, future.result()


class _Pool:
    """Processes, each of which does one task at a time."""

    def __init__(self, factory: _Factory, settings: Any, workers: int) -> None:
        code = _START.format(path=[os.path.abspath(entry) for entry in sys.path], module=factory.__module__)
        self._processes: list[_Process] = []
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        try:
            for _ in range(workers):
                process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, **ENVIRONMENT},
                )
                self._processes.append(process)
            # All are started before anything is sent, because a process does not read until its imports are done.
            for process in self._processes:
                _send(process, (factory.__qualname__, settings))
                self._idle.put(process)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "_Pool":
        return self

    def kill(self) -> None:
        for process in self._processes:
            process.kill()

    def __exit__(self, *_: Any) -> None:
        self.kill()
        for process in self._processes:
            process.wait()
            _stdout(process).close()
            with suppress(BrokenPipeError):
                _stdin(process).close()

    def work(self, task: Any) -> Any:
        """Have a worker do the task, and wait for the result. Called in one thread for each worker."""
        process = self._idle.get()
        try:
            _send(process, task)
            result, error = _read_message(_stdout(process))
        except EOFError:
            raise _died(process) from None
        finally:
            self._idle.put(process)
        if error is not None:
            raise error
        return result


def _stdin(process: _Process) -> IO[bytes]:
    assert process.stdin is not None, "the process was started with a pipe"
    return process.stdin


def _stdout(process: _Process) -> IO[bytes]:
    assert process.stdout is not None, "the process was started with a pipe"
    return process.stdout


def _send(process: _Process, message: Any) -> None:
    try:
        _write_message(_stdin(process), message)
    except BrokenPipeError:
        raise _died(process) from None


def _died(process: _Process) -> CourseError:
    code = process.wait()
    reason = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return CourseError(
        f"A worker process {reason}. Perhaps it ran out of memory: use fewer workers. "
        "The same call continues where it stopped."
    )


def _write_message(pipe: IO[bytes], message: Any) -> None:
    write_frame(pipe, pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))


def _read_message(pipe: IO[bytes]) -> Any:
    return pickle.loads(read_frame(pipe))


def serve(module: str) -> None:
    """The main loop of a worker: read tasks from standard input until it is closed, write results to standard output.

    Args:
        module: the module of the factory. The first message has the factory's name and the settings.
    """
    # Workers disable cyclic garbage collection: they create no reference cycles, and it would take a few percent of
    # their time.
    gc.disable()
    # Ctrl-C reaches every process of a terminal; the parent handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Anything else that is printed goes to standard error, so that it does not mix with the results.
    os.dup2(2, 1)
    try:
        factories = import_module(module)
        name, settings = _read_message(tasks)
        work = None
        while True:
            task = _read_message(tasks)
            try:
                work = work or getattr(factories, name)(settings)
                message: tuple[Any, Exception | None] = work(task), None
            except Exception as error:
                message = None, error
            _write_message(results, message)
    except (EOFError, BrokenPipeError):
        os._exit(0)
