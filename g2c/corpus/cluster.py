"""The work of `workers.py`, done by a cluster of Dask distributed: the same tasks, the same results, the same order.

    this process                    scheduler                   workers, on any machines
    factory, settings  --once-->    for each worker, late       work = factory(settings), in each thread
                                    ones too        --once-->
    task               -------->    who is free?    -------->   result = work(task)
    result             <--------                    <--------

When a worker dies, the scheduler gives its tasks to others. Everything else stays as it was.
"""

import hashlib
import json
import logging
import os
import pickle
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

if TYPE_CHECKING:
    import distributed

CONNECT_SECONDS = 10
"""How long the scheduler may take to answer."""

WAIT_SECONDS = 60
"""How long a cluster may have no worker at all: some systems start them one after the other, or restart them."""

MOST_BYTES = 512 << 20
"""The most that all tasks on their way may take up, in bytes: this process and the scheduler hold them in memory."""

_POLL_SECONDS = 1


def run_on_cluster(
    address: str | os.PathLike[str],
    factory: Callable[[Any], Callable[[Any], Any]],
    settings: Any,
    tasks: Iterable[Any],
    note: Callable[[str], None],
) -> Iterator[tuple[Any, Any]]:
    """Work on tasks, many at a time; yield each task and its result, in the order of the tasks.

    Args:
        address: of the scheduler, such as "tcp://10.0.0.5:8786"; or a file ending in .json that `dask scheduler
            --scheduler-file` has written.
        factory, settings: as for `g2c.corpus.workers.run`; the factory's module must be importable on all machines.
        tasks: taken one by one, so that each thread of the cluster has one to do and another one ready. Memory holds
            those on their way only, whatever becomes of them.
        note: takes a sentence for the person waiting, when there is something to wait for.

    Raises:
        whatever the work raises; and CourseError when Dask is not installed, when there is no scheduler or no worker,
        when a worker has other code or packages, or when a task kills worker after worker.
    """
    if find_spec("distributed") is None:
        raise CourseError(
            "Working on a cluster needs Dask distributed. Install it on all machines with: "
            "pip install -c constraints.txt -e '.[cluster]'"
        )
    with _connected(address) as client:
        cluster = _Cluster(client, os.fspath(address), note)
        waiting: deque[_Waiting] = deque()
        with cluster.set_up(factory, settings) as setup_name:
            for task in tasks:
                data = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
                waiting.append(_Waiting(task, len(data), cluster.submit(setup_name, data)))
                while waiting and (waiting[0].future.done() or _are_enough(waiting, cluster)):
                    yield _first_result(cluster, waiting)
            while waiting:
                yield _first_result(cluster, waiting)


class _Waiting(NamedTuple):
    """A task on its way, and how many bytes it takes up."""

    task: Any
    size: int
    future: "distributed.Future"


def _are_enough(waiting: deque[_Waiting], cluster: "_Cluster") -> bool:
    return len(waiting) >= 2 * cluster.threads() or sum(each.size for each in waiting) > MOST_BYTES


def _first_result(cluster: "_Cluster", waiting: deque[_Waiting]) -> tuple[Any, Any]:
    task, _, future = waiting.popleft()
    result = cluster.result(future, task)
    # The cluster need not keep it any longer.
    future.release()
    return task, result


@contextmanager
def _connected(address: str | os.PathLike[str]) -> Iterator["distributed.Client"]:
    # Imported for the first cluster: Dask takes half a second, and most runs need none of it.
    import distributed

    try:
        client = distributed.Client(_scheduler(address), timeout=CONNECT_SECONDS, set_as_default=False, name="g2c")
    except (OSError, ValueError, KeyError) as error:
        raise CourseError(
            f"There is no Dask scheduler at {os.fspath(address)} ({_first_line(error)}). Start one with "
            "`dask scheduler`; it prints its address."
        ) from None
    # When the scheduler goes away, Dask logs a traceback; the CourseError says the same.
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield client
    finally:
        client.close(timeout=CONNECT_SECONDS)
        logger.setLevel(level)


def _scheduler(address: str | os.PathLike[str]) -> str:
    """The address itself, or what a scheduler file says, which the scheduler may be just about to write."""
    text = os.fspath(address)
    if not text.endswith(".json"):
        return text
    end = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            return json.loads(Path(text).read_bytes())["address"]
        except (OSError, ValueError, KeyError):
            if time.monotonic() > end:
                raise
        time.sleep(0.1)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


class _Cluster:
    """A connection to a scheduler, with clear errors."""

    def __init__(self, client: "distributed.Client", address: str, note: Callable[[str], None]) -> None:
        self._client, self._address, self._note = client, address, note
        self._threads, self._counted_at = 0, float("-inf")

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """Around everything for which the scheduler has to answer."""
        try:
            yield
        except (OSError, CancelledError):
            raise CourseError(
                f"The Dask scheduler at {self._address} is gone, or the network to it is down. "
                "Start it and its workers again, then do the same again."
            ) from None

    def _wrong_environment(self, error: Exception) -> CourseError:
        return CourseError(
            f"A machine of the cluster at {self._address} cannot import what it needs: {_first_line(error)}. The "
            "scheduler and all workers need the environment of this machine: the course with its group `cluster`."
        )

    @contextmanager
    def set_up(self, factory: Callable, settings: Any) -> Iterator[str]:
        """Give every worker the factory and its settings, those that join later too, and take them away at the end."""
        name = f"g2c-{uuid4().hex}"
        self.threads()
        setup = _setup(factory, settings, environment())
        try:
            with self._talking():
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

    def submit(self, setup_name: str, data: bytes) -> "distributed.Future":
        import dask

        # Text that comes through this process has to travel with its task: Dask would lose it with a worker otherwise.
        with self._talking(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            return self._client.submit(_work, setup_name, data, pure=False)

    def threads(self) -> int:
        """How many threads all workers have together, now or a second ago. Waits while there are none.

        Raises:
            CourseError: no worker has come for a long time.
        """
        if time.monotonic() > self._counted_at + _POLL_SECONDS:
            self._threads = self._count_threads()
            if self._threads == 0:
                self._note(f"The cluster at {self._address} has no workers; waiting for one.")
                self._threads = self._wait_for_threads()
            self._counted_at = time.monotonic()
        return self._threads

    def _count_threads(self) -> int:
        with self._talking():
            return sum(self._client.nthreads().values())

    def _wait_for_threads(self) -> int:
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            time.sleep(0.2)
            if threads := self._count_threads():
                return threads
        raise CourseError(
            f"The cluster at {self._address} has had no worker for {WAIT_SECONDS} s. Start some with `dask worker`, "
            "then do the same again."
        )

    def result(self, future: "distributed.Future", task: Any) -> Any:
        """What became of a task. Waits for it, and raises what the work has raised."""
        with self._talking():
            error = self._error_of(future)
            if error is None:
                return pickle.loads(future.result())
        if isinstance(error, ModuleNotFoundError) or "deserialization of the task graph" in str(error):
            raise self._wrong_environment(error) from None
        if type(error).__name__ == "KilledWorker":
            raise CourseError(
                f"{getattr(task, 'place', 'One task')}: worker after worker died over it, the last one was "
                f"{error.last_worker.address}. Perhaps their memory was full: give each more, or fewer threads."
            ) from None
        raise error

    def _error_of(self, future: "distributed.Future") -> BaseException | None:
        """Wait until a task is done, or has failed: with what."""
        while True:
            try:
                return future.exception(timeout=_POLL_SECONDS)
            except TimeoutError:
                self.threads()


# --- on the workers ---------------------------------------------------------------------------------------------------


def _setup(factory: Callable, settings: Any, expected: dict[str, str]) -> Any:
    """What a worker needs for all tasks. Dask sends it to each worker once, also to those that join later."""
    return _setup_class()(factory, settings, expected)


@cache
def _setup_class() -> type:
    from distributed.diagnostics.plugin import WorkerPlugin

    class Setup(WorkerPlugin):
        def __init__(self, factory: Callable, settings: Any, expected: dict[str, str]) -> None:
            self._factory, self._settings, self._expected = factory, settings, expected

        def __reduce__(self) -> tuple:
            return _setup, (self._factory, self._settings, self._expected)

        def setup(self, worker: Any) -> None:
            self._of_this_thread = threading.local()

        def work(self, task: Any) -> Any:
            # Encoders are not made for several threads at once: each has its own.
            if not hasattr(self._of_this_thread, "work"):
                check_environment(self._expected)
                self._of_this_thread.work = self._factory(self._settings)
            return self._of_this_thread.work(task)

    return Setup


def _work(setup_name: str, task: bytes) -> bytes:
    import distributed

    # As bytes, Dask takes what goes and comes as it is. Lists it would look through, item by item.
    result = distributed.get_worker().plugins[setup_name].work(pickle.loads(task))
    return pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)


def check_environment(expected: dict[str, str]) -> None:
    """Raise CourseError when this worker could compute something else than the machine that asks for it."""
    import distributed

    for name, version in environment().items():
        if version != expected[name]:
            raise CourseError(
                f"The worker {distributed.get_worker().address} has {name} {version}, but this machine has "
                f"{expected[name]}. Use the same environment and the same version of the course on all machines."
            )


def environment() -> dict[str, str]:
    """What results depend on, each with its version; of g2c also a checksum of the code, without the exercises."""
    package = Path(g2c.tokenizer.__file__).parent
    exercises = {package / f"{file}.py" for file, _ in g2c.tokenizer.EXERCISES.values()}
    digest = hashlib.sha256()
    for room in ("common", "tokenizer", "engine", "formats", "corpus"):
        for path in sorted({*(package.parent / room).glob("*.py")} - exercises):
            digest.update(path.read_bytes())
    return {
        "g2c": f"with checksum {digest.hexdigest()[:12]}",
        "numpy": numpy.__version__,
        "tokenizers": tokenizers.__version__,
    }
