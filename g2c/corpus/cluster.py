"""The workers of a Dask distributed cluster, in place of the threads of workers.py: same tasks, results and order.

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
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy
import tokenizers

import g2c.tokenizer
from g2c.common.errors import CourseError
from g2c.common.packages import install_command

_Factory = Callable[[Any], Callable[[Any], Any]]

CONNECT_SECONDS = 10
"""Timeout for connecting to the scheduler."""

WAIT_SECONDS = 60
"""How long to wait for the first worker: some systems start them one by one."""

MAX_PENDING_BYTES = 512 << 20
"""Limit for the total size of pending tasks: this process and the scheduler hold them in memory."""


@contextmanager
def connected_cluster(
    address: str | os.PathLike[str], factory: _Factory, settings: Any, notify: Callable[[str], None]
) -> Iterator["Cluster"]:
    """Connect to a cluster, and send the factory and its settings to its workers; in the end, remove them there.

    Args:
        address: the scheduler's address, such as "tcp://10.0.0.5:8786"; or a .json file written by `dask scheduler
            --scheduler-file`.
        factory, settings: as for `g2c.corpus.workers.run`; the factory's module must be importable on all machines.
        notify: called with a message for the user when the cluster has no workers yet.

    Raises:
        whatever the work raises; and CourseError if Dask is not installed, if there is no scheduler or no worker, if a
        worker has other code or packages, or if a task kills several workers.
    """
    if find_spec("distributed") is None:
        raise CourseError(
            "Working on a cluster needs Dask distributed. Install it on all machines with: "
            f"{install_command('distributed')}"
        )
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
    cluster = Cluster(client, os.fspath(address))
    try:
        cluster.wait_for_a_worker(notify)
        cluster.set_up(factory, settings)
        yield cluster
    finally:
        cluster.tear_down()
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


class Cluster:
    """The threads of all workers of a cluster. Methods as those of the threads in workers.py, with clear errors."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._name = f"g2c-{uuid4().hex}"
        self._pending_sizes: deque[int] = deque()

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

    def wait_for_a_worker(self, notify: Callable[[str], None]) -> None:
        """Raise CourseError if there is no worker for `WAIT_SECONDS`."""
        if not self._client.nthreads():
            notify(f"The cluster at {self._address} has no workers; waiting for one.")
            try:
                self._client.wait_for_workers(1, timeout=WAIT_SECONDS)
            except TimeoutError:
                raise CourseError(
                    f"The cluster at {self._address} has had no worker for {WAIT_SECONDS} s. Start some with "
                    "`dask worker`, then repeat the command."
                ) from None

    def set_up(self, factory: _Factory, settings: Any) -> None:
        """Send the factory and its settings to every worker, also to those that join later."""
        setup = _setup(factory, settings, environment())
        with self._scheduler_errors():
            try:
                self._client.register_plugin(setup, name=self._name)
            except (OSError, CancelledError):
                raise
            except Exception as error:
                raise self._wrong_environment(error) from None

    def tear_down(self) -> None:
        """Remove the factory and its settings from the workers."""
        if self._client.status == "running":
            with suppress(Exception):
                self._client.unregister_worker_plugin(self._name)

    def submit(self, task: Any) -> Any:
        """Begin a task as soon as a thread is free. Returns its future."""
        import dask

        data = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        self._pending_sizes.append(len(data))
        # The text is part of the task: Dask would lose data stored on a worker when that worker dies.
        with self._scheduler_errors(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return self._client.submit(_work, self._name, data, pure=False)

    def is_full(self, pending: int) -> bool:
        """Whether each thread has a task, and another one is waiting for it; or the tasks fill the memory."""
        if sum(self._pending_sizes) > MAX_PENDING_BYTES:
            return True
        with self._scheduler_errors():
            threads: int = sum(self._client.nthreads().values())
        return pending >= 2 * threads

    def result(self, task: Any, future: Any) -> Any:
        """Wait for the result of the oldest pending task. Raises what the work raises."""
        with self._scheduler_errors():
            error = future.exception()
            if error is None:
                data = future.result()
        # Frees the result's memory on the cluster.
        future.release()
        self._pending_sizes.popleft()
        if error is None:
            return pickle.loads(data)
        if isinstance(error, ModuleNotFoundError) or "deserialization of the task graph" in str(error):
            raise self._wrong_environment(error) from None
        if type(error).__name__ == "KilledWorker":
            raise CourseError(
                f"{getattr(task, 'location', 'One task')}: several workers died while processing it, the last one was "
                f"{error.last_worker.address}. Perhaps they ran out of memory: give each more, or fewer threads."
            ) from None
        raise error

    def _wrong_environment(self, error: BaseException) -> CourseError:
        return CourseError(
            f"A machine of the cluster at {self._address} lacks a package: {_first_line(error)}. The scheduler and all "
            "workers need the same environment as this machine: the course with its group `cluster`."
        )


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
