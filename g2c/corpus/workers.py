"""Worker processes that turn tasks into results, on as many cores as there are.

    parent                                    worker (a process of its own)
    for result in run(factory, settings, …)   work = factory(settings)
        task    ------ pipe ------>           result = work(task)
        result  <----- pipe -------

Unlike `multiprocessing`, this starts fresh interpreters that do not import the caller's script again, so it works from
a script without `if __name__ == "__main__"`, from a notebook and from a terminal alike. A worker ends when its pipe is
closed: also when the parent was killed.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from itertools import chain, islice
from queue import SimpleQueue
from typing import Any, BinaryIO

from g2c.common.errors import CourseError
from g2c.corpus.cluster import run_on_cluster

ENVIRONMENT = {
    # glibc gives large arrays back to the system at once and has to fetch and clear the memory again for the next one.
    # Keeping it makes numpy on blocks of text almost twice as fast. Other systems ignore these two.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # There is one worker for each core already.
    "TOKENIZERS_PARALLELISM": "false",
    "OPENBLAS_NUM_THREADS": "1",
}

_START = "import sys; sys.path[:] = {path!r}; from g2c.corpus.workers import serve; serve({module!r})"


def run(
    factory: Callable[[Any], Callable[[Any], Any]],
    settings: Any,
    tasks: Iterable[Any],
    workers: int | None = None,
    *,
    cluster: str | os.PathLike[str] | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[tuple[Any, Any]]:
    """Work on tasks, several at a time; yield each task and its result, in the order of the tasks.

    Args:
        factory: a function at the top level of a module; called once in each worker with `settings`, it returns the
            function that turns a task into a result. All that goes from process to process is pickled.
        tasks: taken one by one, when a worker has nothing to do.
        workers: number of processes; None: one for each core. With 1, or when there is but one task, the work is done
            in this process.
        cluster: the address of a Dask scheduler: its workers do the work, instead of processes here.
        note: takes a sentence for the person waiting, when a cluster has no workers yet.

    Raises:
        whatever the work raises; ValueError when both `workers` and `cluster` are given; and CourseError when a worker
        is killed, or for what `g2c.corpus.cluster.run_on_cluster` names.
    """
    if cluster is not None:
        if workers is not None:
            raise ValueError(
                f"workers={workers} counts processes on this machine, but with cluster={os.fspath(cluster)!r} the work "
                "is done there, by as many workers as the cluster has. Leave out one of the two."
            )
        yield from run_on_cluster(cluster, factory, settings, tasks, note)
        return
    if workers is None:
        workers = cores()
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one process has to do the work.")
    tasks = iter(tasks)
    first_two = list(islice(tasks, 2))
    if workers == 1 or len(first_two) < 2:
        work = factory(settings)
        for task in (*first_two, *tasks):
            yield task, work(task)
        return
    with _Pool(factory, settings, workers) as pool, ThreadPoolExecutor(workers) as threads:
        waiting: deque[tuple[Any, Future]] = deque()
        try:
            for task in chain(first_two, tasks):
                waiting.append((task, threads.submit(pool.work, task)))
                # Each worker has a task, and another one is ready for it.
                if len(waiting) == 2 * workers:
                    yield _first_result(waiting)
            while waiting:
                yield _first_result(waiting)
        finally:
            # After an error or Ctrl-C nobody wants the rest. Without its process, a thread ends too.
            threads.shutdown(wait=False, cancel_futures=True)
            pool.kill()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first_result(waiting: "deque[tuple[Any, Future]]") -> tuple[Any, Any]:
    task, future = waiting.popleft()
    return task, future.result()


class _Pool:
    """Processes, each of which does one task at a time."""

    def __init__(self, factory: Callable, settings: Any, workers: int) -> None:
        code = _START.format(path=[os.path.abspath(entry) for entry in sys.path], module=factory.__module__)
        self._processes: list[subprocess.Popen] = []
        self._idle: SimpleQueue[subprocess.Popen] = SimpleQueue()
        try:
            for _ in range(workers):
                process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, **ENVIRONMENT},
                )
                self._processes.append(process)
            # They are all started before the first is told anything: it does not listen until it has imported.
            for process in self._processes:
                _tell(process, (factory.__qualname__, settings))
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
            process.stdout.close()
            with suppress(BrokenPipeError):
                process.stdin.close()

    def work(self, task: Any) -> Any:
        """Let a worker do the task, and wait until it is done. Called in a thread for each worker."""
        process = self._idle.get()
        try:
            _tell(process, task)
            result, error = _read(process.stdout)
        except EOFError:
            raise _died(process) from None
        finally:
            self._idle.put(process)
        if error is not None:
            raise error
        return result


def _tell(process: subprocess.Popen, message: Any) -> None:
    try:
        _write(process.stdin, message)
    except BrokenPipeError:
        raise _died(process) from None


def _died(process: subprocess.Popen) -> CourseError:
    code = process.wait()
    reason = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return CourseError(
        f"A worker process {reason}. Perhaps the memory was full: use fewer workers. "
        "Started again, the work goes on where it stopped."
    )


def _write(pipe: BinaryIO, message: Any) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(8, "little"))
    pipe.write(data)
    pipe.flush()


def _read(pipe: BinaryIO) -> Any:
    size = pipe.read(8)
    if len(size) < 8:
        raise EOFError
    data = pipe.read(int.from_bytes(size, "little"))
    if len(data) < int.from_bytes(size, "little"):
        raise EOFError
    return pickle.loads(data)


def serve(module: str) -> None:
    """What a worker does: take tasks from standard input until it is closed, and write results to standard output.

    Args:
        module: where the factory is, whose name comes first, with the settings.
    """
    # A worker's objects do not point at each other in circles. To look for circles takes some percent of its time.
    gc.disable()
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whatever else is printed must not get between the results.
    os.dup2(2, 1)
    try:
        factories = import_module(module)
        name, settings = _read(tasks)
        work = None
        while True:
            task = _read(tasks)
            try:
                work = work or getattr(factories, name)(settings)
                message = work(task), None
            except Exception as error:
                message = None, error
            _write(results, message)
    except (EOFError, BrokenPipeError):
        os._exit(0)
