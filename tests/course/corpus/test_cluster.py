"""On a cluster: the files that one process gives, after any death of a worker; a sentence for whatever goes wrong."""

import hashlib
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import CorpusError, CourseError
from g2c.common.packages import install_command
from g2c.common.paths import REPOSITORY
from g2c.corpus import cluster as cluster_module
from g2c.corpus import encoding
from g2c.corpus.cluster import environment, run_on_cluster
from g2c.corpus.encoding import JOURNAL, encode_corpus
from g2c.corpus.shard_encoder import Settings
from g2c.corpus.shards import file_shards
from g2c.corpus.training import count_words, train_exact_corpus
from g2c.corpus.workers import run
from g2c.course.cli import main
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact
from support.worker_tasks import encoder_elsewhere, logging_encoder, measuring, multiplying, naming

distributed = pytest.importorskip("distributed", reason="needs Dask distributed: pip install -e '.[cluster]'")

END = "<|endoftext|>"
TEXT = "\n\n".join(topics[name] for name in sorted(topics))
SHARD = 20_000
"""Bytes of a shard: some thirty shards for `TEXT`."""

TASKS = str(Path(__file__).resolve().parents[1])
"""The folder with worker_tasks.py."""


# --- clusters ---------------------------------------------------------------------------------------------------------


@contextmanager
def scheduler() -> Iterator["distributed.LocalCluster"]:
    """A scheduler in this process, without workers."""
    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=0, **here, silence_logs=logging.CRITICAL) as cluster:
        yield cluster


@contextmanager
def scheduler_process(folder: Path, *path: str | Path) -> Iterator[tuple[subprocess.Popen, str]]:
    """A scheduler in a process of its own, which looks for modules in the folders of `path` first; and its address."""
    place = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    command += ["--scheduler-file", str(place), "--dashboard-address", "127.0.0.1:0"]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, TASKS]))}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=variables, cwd=folder, stdout=quiet, stderr=quiet) as process:
        try:
            yield process, cluster_module._scheduler(place)
        finally:
            process.kill()


@contextmanager
def worker(address: str, scratch: Path, *path: str | Path) -> Iterator[subprocess.Popen]:
    """A worker: a process of one thread, which looks for modules in the folders of `path` first."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
    command += ["--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(scratch)]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, TASKS]))}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=variables, cwd=scratch, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator["distributed.LocalCluster"]:
    """A cluster of two worker processes."""
    scratch = tmp_path_factory.mktemp("scratch")
    with scheduler() as running, ExitStack() as workers:
        for _ in range(2):
            workers.enter_context(worker(running.scheduler_address, scratch))
        await_two_workers(running)
        yield running


def await_two_workers(running: "distributed.LocalCluster") -> None:
    deadline = time.monotonic() + 60
    while len(running.scheduler.workers) < 2:
        assert time.monotonic() < deadline, "two workers did not start within a minute"
        time.sleep(0.02)


@pytest.fixture
def address(cluster) -> str:
    return cluster.scheduler_address


@pytest.fixture
def short_waits(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(cluster_module, "WAIT_SECONDS", 1)


# --- corpora ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizers() -> dict[str | None, BPETokenizer]:
    trained = {}
    for pattern in ("gpt4", None):
        trained[pattern] = BPETokenizer([END], pattern=pattern)
        trained[pattern].train_exact(TEXT[:50_000], 700)
    return trained


@pytest.fixture
def tokenizer(tokenizers) -> BPETokenizer:
    return tokenizers["gpt4"]


@pytest.fixture
def corpus(tmp_path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


def encode(tokenizer, corpus, out, **options) -> Path:
    return encode_corpus(tokenizer, corpus, out, **{"shard_bytes": SHARD, "progress": False, **options})


def sha256(folder: Path) -> str:
    return hashlib.sha256((folder / "ids.uint32").read_bytes()).hexdigest()


@pytest.fixture
def expected(tokenizer, corpus, tmp_path) -> str:
    """The SHA-256 of the IDs of the corpus, encoded in one process."""
    return sha256(encode(tokenizer, corpus, tmp_path / "one", workers=1))


def work_folder(out: Path) -> Path:
    return out.with_name(f".{out.name}.encoding")


# --- the same files ---------------------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("pattern", ["gpt4", None])
def test_a_text_file_gives_the_files_that_one_process_gives(tokenizers, corpus, tmp_path, address, pattern):
    one = encode(tokenizers[pattern], corpus, tmp_path / "one", workers=1)
    many = encode(tokenizers[pattern], corpus, tmp_path / "many", cluster=address)
    assert sha256(many) == sha256(one), "the IDs depend on where they are computed"
    assert (many / "manifest.json").read_bytes() == (one / "manifest.json").read_bytes()
    assert tokenizers[pattern].decode(load_artifact(many).ids.tolist()) == TEXT


@pytest.mark.whole
def test_documents_with_separators_give_the_files_that_one_process_gives(tokenizer, tmp_path, address):
    documents = ["", *topics.values(), f"{END} as text"]
    one = encode(tokenizer, iter(documents), tmp_path / "one", workers=1)
    many = encode(tokenizer, iter(documents), tmp_path / "many", cluster=address)
    assert sha256(many) == sha256(one)
    assert load_artifact(many).ids.tolist().count(256) == len(documents)


@pytest.mark.whole
def test_relative_paths_mean_the_same_to_workers_in_other_folders(tokenizer, corpus, expected, address, monkeypatch):
    monkeypatch.chdir(corpus.parent)
    out = encode(tokenizer, Path("corpus.txt"), Path("here") / "out", cluster=address)
    assert sha256(corpus.parent / out) == expected


def test_words_and_merges_are_those_of_one_process(corpus, address):
    tokenizer, alone = BPETokenizer([END], pattern="gpt4"), BPETokenizer([END], pattern="gpt4")
    one = count_words(alone, corpus, workers=1, shard_bytes=50_000, progress=False)
    many = count_words(tokenizer, corpus, cluster=address, shard_bytes=50_000, progress=False)
    assert list(many.items()) == list(one.items()), "words, counts and their order must not depend on the workers"
    corpus.write_bytes(TEXT[:50_000].encode())
    train_exact_corpus(alone, corpus, 500, workers=1, progress=False)
    train_exact_corpus(tokenizer, corpus, 500, cluster=address, progress=False)
    assert list(tokenizer.merges.items()) == list(alone.merges.items())


def test_the_command_takes_a_scheduler_file(tokenizer, corpus, expected, tmp_path, address, capsys):
    save(tokenizer, tmp_path / "tokenizer.json")
    (tmp_path / "scheduler.json").write_text(f'{{"address": "{address}"}}')
    command = ["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(tmp_path / "out")]
    assert main([*command, "--cluster", str(tmp_path / "scheduler.json")]) == 0
    assert "bytes of corpus.txt are" in capsys.readouterr().out
    assert sha256(tmp_path / "out") == expected
    with pytest.raises(SystemExit):
        main([*command, "--cluster", address, "--workers", "2"])
    assert "not allowed with" in capsys.readouterr().err


# --- tasks ------------------------------------------------------------------------------------------------------------


def counting(taken: list[int], count: int = 20) -> Iterator[int]:
    for task in range(15, 15 + count):
        taken.append(task)
        yield task


def most_on_their_way(results: Iterator, taken: list[int]) -> int:
    most = 0
    for given, _ in enumerate(results):
        most = max(most, len(taken) - given)
    return most


@pytest.mark.whole
def test_results_come_in_the_order_of_the_tasks(address):
    tasks = range(15, 75)
    assert list(run(multiplying, 2, tasks, cluster=address)) == [(task, 2 * task) for task in tasks]


def test_two_tasks_for_each_thread_are_taken_and_no_more(address):
    taken: list[int] = []
    most = most_on_their_way(run(multiplying, 2, counting(taken), cluster=address), taken)
    assert len(taken) == 20
    assert 2 <= most <= 4, "two threads: each has a task, and another one is ready for it"


def test_large_tasks_do_not_fill_the_memory(address, monkeypatch):
    monkeypatch.setattr(cluster_module, "MAX_PENDING_BYTES", 1)
    taken: list[int] = []
    assert most_on_their_way(run(multiplying, 2, counting(taken), cluster=address), taken) == 1


def test_large_tasks_are_no_reason_for_a_warning(address):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (result,) = run(measuring, None, [b"x" * 11_000_000], cluster=address)
    assert result[1] == 11_000_000


def test_each_thread_makes_its_encoder_once():
    """Encoders are not made for several threads at once, and take a while to make."""
    here = {
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "protocol": "tcp",
        "silence_logs": logging.CRITICAL,
    }
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, **here) as running:
        results = run(naming, None, range(20), cluster=running.scheduler_address)
        pairs = {result for _, result in results}
    assert len(pairs) == len({thread for thread, _ in pairs}) == len({work for _, work in pairs}) == 2


def test_errors_of_the_work_come_through(address, tokenizer, corpus, tmp_path):
    with pytest.raises(CorpusError, match="fourteen"):
        list(run(multiplying, 2, [1, 14, 2], cluster=address))
    corpus.write_bytes(TEXT.encode()[:50_000] + b"\xff" + TEXT.encode()[50_000:])
    with pytest.raises(CorpusError, match=r"corpus.txt is not UTF-8 text: byte 50000 \(0xff\)"):
        encode(tokenizer, corpus, tmp_path / "out", cluster=address)


def test_nothing_stays_on_the_cluster(cluster, address):
    """Neither when all is done, nor when somebody stops halfway, nor after an error."""
    list(run(multiplying, 2, [1, 2, 3], cluster=address))
    stopped = run(multiplying, 2, range(15, 75), cluster=address)
    next(stopped)
    stopped.close()
    with pytest.raises(CorpusError):
        list(run(multiplying, 2, [1, 14, 2, 3, 4, 5, 6], cluster=address))
    deadline = time.monotonic() + 10
    while cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not cluster.scheduler.tasks, "tasks and results of work that is over are still kept"
    assert not [name for name in cluster.scheduler.worker_plugins if name.startswith("g2c")]


# --- deaths -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path, monkeypatch) -> Path:
    """Where the workers write down what they encode, in order."""
    path = tmp_path / "shards.log"
    monkeypatch.setattr(encoding, "shard_encoder", partial(logging_encoder, path))
    return path


def encoded(log: Path) -> list[tuple[int, str]]:
    lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
    return [(int(process), place) for process, place in lines]


def places(tokenizer, corpus) -> list[str]:
    cutter = Settings.of(tokenizer, special="allow").cutter()
    return [shard.location for shard in file_shards([corpus], cutter, SHARD)]


def test_a_shard_that_is_waited_for_is_named_again_and_again(monkeypatch):
    """As when its worker was stopped with SIGSTOP."""
    waits = [TimeoutError, TimeoutError]

    class Future:
        def exception(self, timeout: float) -> None:
            if waits:
                raise waits.pop()

    notes: list[str] = []
    connection = cluster_module._Cluster(None, "tcp://127.0.0.1:1", notes.append)
    monkeypatch.setattr(connection, "threads", lambda: 1)
    monkeypatch.setattr(cluster_module, "NOTIFY_SECONDS", -1)
    assert connection._error_of(Future(), "corpus.txt, bytes 0 to 9") is None
    assert notes == ["Waiting for corpus.txt, bytes 0 to 9 for 0 s: its worker may be busy or stopped."] * 2


@pytest.mark.whole
def test_a_killed_worker_costs_only_its_shards(tokenizer, corpus, expected, tmp_path, log):
    log.with_suffix(".kill").touch()
    with scheduler() as running, worker(running.scheduler_address, tmp_path) as first:
        with worker(running.scheduler_address, tmp_path) as second:
            await_two_workers(running)
            out = encode(tokenizer, corpus, tmp_path / "out", cluster=running.scheduler_address)
            killed = [process.pid for process in (first, second) if process.poll() == -signal.SIGKILL]
    assert len(killed) == 1, "the test was to kill one of two workers"
    assert sha256(out) == expected
    shards, done = places(tokenizer, corpus), encoded(log)
    again = [entry for number, entry in enumerate(done) if entry[1] in {place for _, place in done[:number]}]
    twice = {place for _, place in again}
    assert {place for _, place in done} == set(shards)
    assert 1 <= len(again) <= 4, f"at most four shards were on their way, but {len(again)} were encoded again"
    assert all((killed[0], place) in done for place in twice), "shards of the other worker were encoded again"


@pytest.mark.whole
def test_a_worker_that_comes_later_gets_everything_too(tokenizer, corpus, expected, tmp_path, log):
    log.with_suffix(".kill").touch()
    with scheduler() as running, ExitStack() as workers:
        first = workers.enter_context(worker(running.scheduler_address, tmp_path))

        def replace() -> None:
            first.wait()
            workers.enter_context(worker(running.scheduler_address, tmp_path))

        replacing = threading.Thread(target=replace)
        replacing.start()
        out = encode(tokenizer, corpus, tmp_path / "out", cluster=running.scheduler_address)
        replacing.join()
    assert sha256(out) == expected
    processes = [process for process, _ in encoded(log)]
    assert len(set(processes)) == 2 and processes[0] != processes[-1]


@pytest.mark.whole
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_here_it_goes_on_without_the_cluster(tokenizer, corpus, expected, tmp_path, address, log, how):
    out, journal = tmp_path / "out", work_folder(tmp_path / "out") / JOURNAL
    save(tokenizer, tmp_path / "tokenizer.json")
    log.with_suffix(".slow").touch()
    code = f"""
from functools import partial
from pathlib import Path
from g2c.corpus import encoding
from g2c.tokenizer import load
from support.worker_tasks import logging_encoder
encoding.shard_encoder = partial(logging_encoder, Path({str(log)!r}))
tokenizer, corpus, out = load({str(tmp_path / "tokenizer.json")!r}), {str(corpus)!r}, {str(out)!r}
encoding.encode_corpus(tokenizer, corpus, out, cluster={address!r}, shard_bytes={SHARD}, progress=False)
"""
    variables = {**os.environ, "PYTHONPATH": TASKS}
    with subprocess.Popen([sys.executable, "-c", code], env=variables, stderr=subprocess.PIPE) as process:
        while process.poll() is None and (not journal.exists() or len(journal.read_bytes().splitlines()) < 6):
            time.sleep(0.001)
        process.send_signal(how)
        errors = process.stderr.read().decode()
    assert process.returncode in (-how, 1, 130) and (how == signal.SIGKILL or "KeyboardInterrupt" in errors), errors
    finished = len(journal.read_bytes().splitlines()) - 1
    assert 5 <= finished < len(places(tokenizer, corpus)), "it was to be stopped in the middle"

    before = len(encoded(log))
    finished_out = encode(tokenizer, corpus, out, workers=1)
    mine = [place for process_id, place in encoded(log)[before:] if process_id == os.getpid()]
    assert sha256(finished_out) == expected
    assert mine == places(tokenizer, corpus)[finished:], "what was finished was encoded again, or not all of the rest"


# --- what can be wrong ------------------------------------------------------------------------------------------------


def test_workers_and_cluster_together_are_refused(tokenizer, corpus, tmp_path, address):
    message = "workers=2 sets the number of threads on this machine, but .* Leave out one of the two"
    with pytest.raises(ValueError, match=message):
        encode(tokenizer, corpus, tmp_path / "out", workers=2, cluster=address)
    with pytest.raises(ValueError, match=message):
        count_words(tokenizer, corpus, workers=2, cluster=address, progress=False)


@pytest.mark.parametrize("wrong", ["foo", "tls://127.0.0.1:8786", "127.0.0.1", "http://127.0.0.1:8786"])
def test_what_is_not_an_address_is_refused_at_once(wrong):
    with pytest.raises(CourseError, match=f"'{wrong}' is not the address of a Dask scheduler"):
        list(run(multiplying, 2, [1], cluster=wrong))


def test_without_dask_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(cluster_module, "find_spec", lambda name: None)
    command = re.escape(install_command("distributed"))
    with pytest.raises(CourseError, match=f"needs Dask distributed. Install it on all machines with: {command}"):
        list(run(multiplying, 2, [1], cluster="tcp://127.0.0.1:1"))


def test_the_course_works_without_dask():
    """Dask is an extra: what is not for a cluster must not import it."""
    code = (
        "import sys; sys.modules['distributed'] = sys.modules['dask'] = None;"
        "import g2c.corpus.cluster, g2c.corpus.encoding"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize("place", ["tcp://127.0.0.1:1", "nowhere.json", "broken.json"])
def test_no_scheduler(place, tokenizer, corpus, tmp_path, monkeypatch, short_waits):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.json").write_text("{}")
    started = time.monotonic()
    with pytest.raises(CourseError, match=f"There is no Dask scheduler at {place} .*Start one with `dask scheduler`"):
        encode(tokenizer, corpus, tmp_path / "out", cluster=place)
    assert time.monotonic() - started < 4, "nobody should wait long for what is not there"


def test_no_workers(short_waits):
    notes: list[str] = []
    with scheduler() as running:
        with pytest.raises(CourseError, match="has had no worker for 1 s. Start some with `dask worker`"):
            list(run_on_cluster(running.scheduler_address, multiplying, 2, [1], notes.append))
    assert notes == [f"The cluster at {running.scheduler_address} has no workers; waiting for one."]


@pytest.fixture
def without_course(tmp_path) -> Path:
    """A folder in which the course is found, but cannot be imported."""
    (tmp_path / "without" / "g2c").mkdir(parents=True)
    error = "raise ModuleNotFoundError(\"No module named 'g2c'\", name='g2c')"
    (tmp_path / "without" / "g2c" / "__init__.py").write_text(error)
    return tmp_path / "without"


CANNOT_IMPORT = "A machine of the cluster at tcp://.* lacks a package: .*need the same environment as this machine"


@pytest.mark.whole
def test_a_worker_that_cannot_import_the_course(tmp_path, without_course):
    with scheduler() as running, worker(running.scheduler_address, tmp_path, without_course):
        with pytest.raises(CourseError, match=CANNOT_IMPORT):
            list(run(multiplying, 2, [1], cluster=running.scheduler_address))
        assert not [name for name in running.scheduler.worker_plugins if name.startswith("g2c")]


@pytest.mark.whole
def test_a_scheduler_that_cannot_import_the_course(tmp_path, without_course):
    with scheduler_process(tmp_path, without_course) as (_, address), worker(address, tmp_path):
        with pytest.raises(CourseError, match=CANNOT_IMPORT):
            list(run(multiplying, 2, [1], cluster=address))


@pytest.mark.whole
def test_a_worker_with_other_code(tmp_path):
    shutil.copytree(REPOSITORY / "g2c", tmp_path / "g2c", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "g2c" / "engine" / "splitting.py").open("a") as file:
        file.write("# another version\n")
    with scheduler() as running, worker(running.scheduler_address, tmp_path, tmp_path):
        with pytest.raises(CourseError, match="The worker tcp://.* has g2c checksum .*, but this machine has"):
            list(run(multiplying, 2, [1], cluster=running.scheduler_address))


@pytest.mark.parametrize("package", ["numpy", "tokenizers"])
def test_a_worker_with_other_packages(package, address, monkeypatch):
    mine = {**environment(), package: "0.1"}
    monkeypatch.setattr(cluster_module, "environment", lambda: mine)
    with pytest.raises(CourseError, match=f"has {package} .*, but this machine has 0.1. Use the same environment"):
        list(run(multiplying, 2, [1], cluster=address))


@pytest.mark.whole
def test_a_shard_that_kills_worker_after_worker(tmp_path, tokenizer):
    with scheduler() as running, worker(running.scheduler_address, tmp_path):
        running.scheduler.allowed_failures = 0
        with pytest.raises(
            CourseError, match="One task: several workers died while processing it.*they ran out of memory"
        ):
            list(run(multiplying, 2, [13], cluster=running.scheduler_address))


@pytest.mark.whole
def test_a_scheduler_that_goes_away_loses_nothing(tokenizer, corpus, expected, tmp_path, log):
    log.with_suffix(".slow").touch()
    journal = work_folder(tmp_path / "out") / JOURNAL

    def kill(process: subprocess.Popen) -> None:
        while not journal.exists() or len(journal.read_bytes().splitlines()) < 6:
            time.sleep(0.001)
        process.kill()

    with scheduler_process(tmp_path) as (process, address), worker(address, tmp_path):
        killing = threading.Thread(target=kill, args=[process], daemon=True)
        killing.start()
        with pytest.raises(CourseError, match="The Dask scheduler at tcp://.* has stopped"):
            encode(tokenizer, corpus, tmp_path / "out", cluster=address)
    finished = len(journal.read_bytes().splitlines()) - 1
    assert finished >= 5
    out = encode(tokenizer, corpus, tmp_path / "out", workers=1)
    assert sha256(out) == expected
    mine = [place for process_id, place in encoded(log) if process_id == os.getpid()]
    assert mine == places(tokenizer, corpus)[finished:]


@pytest.mark.whole
@pytest.mark.parametrize(
    "what, message",
    [
        ("no corpus", "There is no file nowhere on the machine .* do not share its folder"),
        (
            "another corpus",
            "The text of .* bytes 0 to .* is different here and on the worker that encoded it.*"
            "share the folder with the",
        ),
    ],
)
def test_folders_that_are_not_shared(what, message, tokenizer, corpus, expected, tmp_path, address):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(CourseError, match=message):
        patch.setattr(encoding, "shard_encoder", partial(encoder_elsewhere, what))
        encode(tokenizer, corpus, tmp_path / "out", cluster=address)
    assert not (tmp_path / "out").exists()
    assert sha256(encode(tokenizer, corpus, tmp_path / "out", cluster=address)) == expected
