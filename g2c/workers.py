"""Worker processes that turn tasks into results, on as many cores as there are.

    parent                                    worker (a process of its own)
    for result in run(factory, settings, …)   work = factory(settings)
        task    ------ pipe ------>           result = work(task)
        result  <----- pipe -------

Unlike `multiprocessing`, this starts fresh interpreters that do not import the caller's script again, so it works from
a script without `if __name__ == "__main__"`, from a notebook and from a terminal alike. A worker ends when its pipe is
closed: also when the parent was killed.
"""

import os
import pickle
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from typing import Any, BinaryIO

from g2c.errors import CourseError

_ENVIRONMENT = {
    # glibc gives large arrays back to the system at once and has to fetch and clear the memory again for the next one.
    # Keeping it makes numpy on blocks of text almost twice as fast. Other systems ignore these two.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    # There is one worker for each core already.
    "TOKENIZERS_PARALLELISM": "false",
    "OPENBLAS_NUM_THREADS": "1",
}

_START = "import sys; sys.path[:] = {path!r}; from g2c.workers import serve; serve()"


def run(
    factory: Callable[[Any], Callable[[Any], Any]], settings: Any, tasks: Iterable[Any], workers: int | None = None
) -> Iterator[tuple[Any, Any]]:
    """Work on tasks, several at a time; yield each task and its result, in the order of the tasks.

    Args:
        factory: a function at the top level of a module; called once in each worker with `settings`, it returns the
            function that turns a task into a result. All that goes from process to process is pickled.
        tasks: taken one by one, when a worker has nothing to do.
        workers: number of processes; None: one for each core. With 1, or when there is but one task, the work is done
            in this process.

    Raises:
        whatever the work raises; and CourseError when a worker is killed.
    """
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers={workers} is too small: at least one process has to do the work.")
    tasks = iter(tasks)
    first_two = list(islice(tasks, 2))
    if workers == 1 or len(first_two) < 2:
        work = factory(settings)
        for task in (*first_two, *tasks):
            yield task, work(task)
        return
    with _Pool(factory, settings, workers) as pool:
        yield from pool.run(chain(first_two, tasks))


class _Pool:
    def __init__(self, factory: Callable, settings: Any, workers: int) -> None:
        code = _START.format(path=[os.path.abspath(entry) for entry in sys.path])
        environment = {**os.environ, **_ENVIRONMENT}
        self._processes: list[subprocess.Popen] = []
        self._selector = selectors.DefaultSelector()
        try:
            for _ in range(workers):
                process = subprocess.Popen(
                    [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
                )
                self._processes.append(process)
                self._selector.register(process.stdout, selectors.EVENT_READ, process)
                _tell(process, (factory.__module__, factory.__qualname__, settings))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "_Pool":
        return self

    def __exit__(self, *_: Any) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            process.stdout.close()
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
        self._selector.close()

    def run(self, tasks: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
        idle = list(self._processes)
        # Results that wait for those before them must not pile up.
        most_unreturned = 2 * len(idle)
        unreturned: deque[_Work] = deque()
        running: dict[subprocess.Popen, _Work] = {}
        while True:
            while unreturned and unreturned[0].is_done:
                work = unreturned.popleft()
                yield work.task, work.result
            while idle and len(unreturned) < most_unreturned and (task := next(tasks, None)) is not None:
                process = idle.pop()
                running[process] = _Work(task)
                unreturned.append(running[process])
                _tell(process, task)
            if not running:
                return
            for key, _ in self._selector.select():
                work = running.pop(key.data)
                work.result, work.is_done = _answer(key.data), True
                idle.append(key.data)


@dataclass(eq=False)
class _Work:
    task: Any
    result: Any = None
    is_done: bool = False


def _tell(process: subprocess.Popen, message: Any) -> None:
    try:
        _write(process.stdin, message)
    except BrokenPipeError:
        raise _died(process) from None


def _answer(process: subprocess.Popen) -> Any:
    try:
        result, error = _read(process.stdout)
    except EOFError:
        raise _died(process) from None
    if error is not None:
        raise error
    return result


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
    return pickle.loads(data)


def serve() -> None:
    """What a worker does: take tasks from standard input until it is closed, and write results to standard output."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Whatever else is printed must not get between the results.
    os.dup2(2, 1)
    try:
        module, name, settings = _read(tasks)
        work = None
        while True:
            task = _read(tasks)
            try:
                work = work or getattr(import_module(module), name)(settings)
                message = work(task), None
            except Exception as error:
                message = None, error
            _write(results, message)
    except (EOFError, BrokenPipeError):
        os._exit(0)
