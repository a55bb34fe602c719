"""The same as workers.py on a Dask distributed cluster: the same tasks, the same results, the same order.

    this process                    scheduler                   workers, on any machines
    factory, settings  --once-->    to each worker, now   -->   work = factory(settings), in each thread
                                    or when it joins
    task               -------->    to a free worker  ------>   result = work(task)
    result             <--------                      <------

When a worker dies, the scheduler gives its tasks to others.
"""

import hashlib
import json
import logging
import os
import pickle
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import numpy
import tokenizers

import g2c.tokenizer
from g2c.common.errors import CourseError
from g2c.common.packages import install_command

if TYPE_CHECKING:
    import distributed

_Factory = Callable[[Any], Callable[[Any], Any]]
_Future = Any
"""A `distributed.Future`, which has no type annotations."""

CONNECT_SECONDS = 10
"""Timeout for connecting to the scheduler."""

WAIT_SECONDS = 60
"""How long to wait while a cluster has no workers: some systems start them one by one, or restart them."""

MAX_PENDING_BYTES = 512 << 20
"""Limit for the total size of pending tasks: this process and the scheduler hold them in memory."""

_POLL_SECONDS = 1


def run_on_cluster(
    address: str | os.PathLike[str],
    factory: Callable[[Any], Callable[[Any], Any]],
    settings: Any,
    tasks: Iterable[Any],
    notify: Callable[[str], None],
) -> Iterator[tuple[Any, Any]]:
    """Process tasks in parallel; yield each task and its result, in the order of the tasks.

    Args:
        address: the scheduler's address, such as "tcp://10.0.0.5:8786"; or a .json file written by `dask scheduler
            --scheduler-file`.
        factory, settings: as for `g2c.corpus.workers.run`; the factory's module must be importable on all machines.
        tasks: consumed one at a time, so that each thread of the cluster has one to do and another one waiting. Only
            pending tasks are held in memory.
        notify: called with a message for the user when the cluster has no workers.

    Raises:
        whatever the work raises; and CourseError if Dask is not installed, if there is no scheduler or no worker, if a
        worker has other code or packages, or if a task kills several workers.
    """
    if find_spec("distributed") is None:
        raise CourseError(
            "Working on a cluster needs Dask distributed. Install it on all machines with: "
            f"{install_command('distributed')}"
        )
    with _connected(address) as client:
        cluster = _Cluster(client, os.fspath(address), notify)
        pending: deque[_PendingTask] = deque()
        with cluster.set_up(factory, settings) as setup_name:
            for task in tasks:
                data = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
                pending.append(_PendingTask(task, len(data), cluster.submit(setup_name, data)))
                while pending and (pending[0].future.done() or _has_enough(cluster, pending)):
                    yield _first_result(cluster, pending)
            while pending:
                yield _first_result(cluster, pending)


class _PendingTask(NamedTuple):
    """A submitted task, and its size in bytes."""

    task: Any
    size: int
    future: "_Future"


def _has_enough(cluster: "_Cluster", pending: deque[_PendingTask]) -> bool:
    """Whether to wait for a result before submitting more tasks."""
    return len(pending) >= 2 * cluster.threads() or sum(task.size for task in pending) > MAX_PENDING_BYTES


def _first_result(cluster: "_Cluster", pending: deque[_PendingTask]) -> tuple[Any, Any]:
    task, _, future = pending.popleft()
    result = cluster.result(future, task)
    # Frees the result's memory on the cluster.
    future.release()
    return task, result


@contextmanager
def _connected(address: str | os.PathLike[str]) -> Iterator["distributed.Client"]:
    # Imported on first use: importing Dask takes half a second, and most runs do not need it.
    import distributed

    client_class: Any = distributed.Client  # partly untyped
    try:
        client = client_class(_scheduler(address), timeout=CONNECT_SECONDS, set_as_default=False, name="g2c")
    except (OSError, ValueError, KeyError) as error:
        raise CourseError(
            f"There is no Dask scheduler at {os.fspath(address)} ({_first_line(error)}). Start one with "
            "`dask scheduler`; it prints its address."
        ) from None
    # When the scheduler disappears, Dask logs a traceback; the CourseError says the same.
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield client
    finally:
        client.close(timeout=CONNECT_SECONDS)
        logger.setLevel(level)


def _scheduler(address: str | os.PathLike[str]) -> str:
    """The address itself, or the address in a scheduler file.

    Raises:
        CourseError: it is neither.
        OSError, ValueError, KeyError: the file cannot be read, or contains no address.
    """
    text = os.fspath(address)
    if text.endswith(".json"):
        return str(json.loads(Path(text).read_bytes())["address"])
    if not re.fullmatch(r"(tcp://|inproc://)?[^/\s]+:\d+|inproc://\S+", text):
        raise CourseError(
            f"{text!r} is not the address of a Dask scheduler. An address is like tcp://10.0.0.5:8786, without "
            "encryption; or give the path of the scheduler's .json file."
        )
    return text


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


class _Cluster:
    """A connection to a scheduler, with clear errors."""

    def __init__(self, client: "distributed.Client", address: str, notify: Callable[[str], None]) -> None:
        # Dask distributed has incomplete type annotations.
        self._client: Any = client
        self._address, self._notify = address, notify
        self._threads, self._counted_at = 0, float("-inf")

    @contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Turn a lost connection to the scheduler into a CourseError."""
        try:
            yield
        except (OSError, CancelledError):
            raise CourseError(
                f"The Dask scheduler at {self._address} has stopped, or the network to it is down. "
                "Start it and its workers again, then repeat the command."
            ) from None

    def _wrong_environment(self, error: BaseException) -> CourseError:
        return CourseError(
            f"A machine of the cluster at {self._address} lacks a package: {_first_line(error)}. The scheduler and all "
            "workers need the same environment as this machine: the course with its group `cluster`."
        )

    @contextmanager
    def set_up(self, factory: _Factory, settings: Any) -> Iterator[str]:
        """Send the factory and its settings to every worker, also to those that join later; remove them at the end."""
        name = f"g2c-{uuid4().hex}"
        self.threads()
        setup = _setup(factory, settings, environment())
        try:
            with self._scheduler_errors():
                self._register(setup, name)
            yield name
        finally:
            if self._client.status == "running":
                with suppress(Exception):
                    self._client.unregister_worker_plugin(name)

    def _register(self, setup: Any, name: str) -> None:
        try:
            self._client.register_plugin(setup, name=name)
        except (OSError, CancelledError):
            raise
        except Exception as error:
            raise self._wrong_environment(error) from None

    def submit(self, setup_name: str, data: bytes) -> "_Future":
        import dask

        # The text is part of the task: Dask would lose data stored on a worker when that worker dies.
        with self._scheduler_errors(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return self._client.submit(_work, setup_name, data, pure=False)

    def threads(self) -> int:
        """The number of threads of all workers, at most a second old. Waits while there are none.

        Raises:
            CourseError: there has been no worker for `WAIT_SECONDS`.
        """
        if time.monotonic() > self._counted_at + _POLL_SECONDS:
            with self._scheduler_errors():
                if not self._client.nthreads():
                    self._notify(f"The cluster at {self._address} has no workers; waiting for one.")
                    self._wait_for_a_worker()
                self._threads = sum(self._client.nthreads().values())
            self._counted_at = time.monotonic()
        return self._threads

    def _wait_for_a_worker(self) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while not self._client.nthreads():
            if time.monotonic() > end:
                raise CourseError(
                    f"The cluster at {self._address} has had no worker for {WAIT_SECONDS} s. Start some with "
                    "`dask worker`, then repeat the command."
                )
            time.sleep(0.2)

    def result(self, future: "_Future", task: Any) -> Any:
        """Wait for the result of a task, or raise the error that the work raised."""
        with self._scheduler_errors():
            error = self._error_of(future)
            if error is None:
                return pickle.loads(future.result())
        if isinstance(error, ModuleNotFoundError) or "deserialization of the task graph" in str(error):
            raise self._wrong_environment(error) from None
        if type(error).__name__ == "KilledWorker":
            killed: Any = error
            raise CourseError(
                f"{getattr(task, 'location', 'One task')}: several workers died while processing it, the last one was "
                f"{killed.last_worker.address}. Perhaps they ran out of memory: give each more, or fewer threads."
            ) from None
        raise error

    def _error_of(self, future: "_Future") -> BaseException | None:
        """Wait until a task is done, as long as there are workers. Returns its error, None if it succeeded."""
        while True:
            try:
                error: BaseException | None = future.exception(timeout=_POLL_SECONDS)
                return error
            except TimeoutError:
                self.threads()


# --- on the workers ---------------------------------------------------------------------------------------------------


def _setup(factory: _Factory, settings: Any, expected: dict[str, str]) -> Any:
    """The plugin with all that a worker needs. Dask sends it to each worker once, also to those that join later."""
    return _setup_class()(factory, settings, expected)


@cache
def _setup_class() -> Any:
    from distributed.diagnostics.plugin import WorkerPlugin

    class Setup(WorkerPlugin):
        def __init__(self, factory: _Factory, settings: Any, expected: dict[str, str]) -> None:
            self._factory, self._settings, self._expected = factory, settings, expected

        def __reduce__(self) -> tuple[Any, ...]:
            return _setup, (self._factory, self._settings, self._expected)

        def setup(self, worker: Any) -> None:
            self._of_this_thread = threading.local()

        def work(self, task: Any) -> Any:
            # Encoders are not thread-safe: each thread has its own.
            if not hasattr(self._of_this_thread, "work"):
                check_environment(self._expected)
                self._of_this_thread.work = self._factory(self._settings)
            return self._of_this_thread.work(task)

    return Setup


def _work(setup_name: str, task: bytes) -> bytes:
    import distributed

    # Task and result are bytes, which Dask passes on unchanged. It would traverse lists item by item.
    setup: Any = distributed.get_worker().plugins[setup_name]
    result = setup.work(pickle.loads(task))
    return pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)


def check_environment(expected: dict[str, str]) -> None:
    """Raise CourseError if this worker has other versions than `expected`, so that results might differ."""
    import distributed

    for name, version in environment().items():
        if version != expected[name]:
            raise CourseError(
                f"The worker {distributed.get_worker().address} has {name} {version}, but this machine has "
                f"{expected[name]}. Use the same environment and the same version of the course on all machines."
            )


def environment() -> dict[str, str]:
    """The versions of the packages that results depend on; for g2c a checksum of its code without the exercises."""
    package = Path(g2c.tokenizer.__file__).parent
    exercises = {package / f"{file}.py" for file, _ in g2c.tokenizer.EXERCISES.values()}
    digest = hashlib.sha256()
    for room in ("common", "tokenizer", "engine", "formats", "corpus"):
        for path in sorted({*(package.parent / room).glob("*.py")} - exercises):
            digest.update(path.read_bytes())
    return {
        "g2c": f"checksum {digest.hexdigest()[:12]}",
        "numpy": numpy.__version__,
        "tokenizers": tokenizers.__version__,
    }
