"""On a cluster: the files that one process gives, after any death of a worker; a sentence for whatever goes wrong."""

import hashlib
import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import CorpusError, CourseError
from g2c.common.packages import install_command
from g2c.corpus import cluster as cluster_module
from g2c.corpus import encoding
from g2c.corpus.cluster import environment
from g2c.corpus.encoding import JOURNAL, encode_corpus
from g2c.corpus.shard_encoder import Settings
from g2c.corpus.shards import file_shards
from g2c.corpus.training import count_words, train_exact_corpus
from g2c.corpus.workers import run
from g2c.course.cli import main
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from support.worker_tasks import encoder_elsewhere, logging_encoder, multiplying

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
            deadline = time.monotonic() + 60
            while not place.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
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
        deadline = time.monotonic() + 60
        while len(running.scheduler.workers) < 2:
            assert time.monotonic() < deadline, "two workers did not start within a minute"
            time.sleep(0.02)
        yield running


@pytest.fixture
def address(cluster) -> str:
    return cluster.scheduler_address


@pytest.fixture
def short_waits(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(cluster_module, "WAIT_SECONDS", 1)


# --- corpora ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer() -> BPETokenizer:
    trained = BPETokenizer([END], pattern="gpt4")
    trained.train_exact(TEXT[:50_000], 700)
    return trained


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


def test_the_command_gives_the_files_that_one_process_gives(tokenizer, corpus, tmp_path, address, capsys):
    one = encode_corpus(tokenizer, corpus, tmp_path / "one", workers=1, progress=False)
    save(tokenizer, tmp_path / "tokenizer.json")
    (tmp_path / "scheduler.json").write_text(f'{{"address": "{address}"}}')
    command = ["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(tmp_path / "out")]
    assert main([*command, "--cluster", str(tmp_path / "scheduler.json")]) == 0
    assert "bytes of corpus.txt are" in capsys.readouterr().out
    for name in ("ids.uint32", "manifest.json"):
        assert (tmp_path / "out" / name).read_bytes() == (one / name).read_bytes()


def test_documents_give_the_ids_that_one_process_gives(tokenizer, tmp_path, address):
    documents = ["", *topics.values(), f"{END} as text"]
    one = encode(tokenizer, iter(documents), tmp_path / "one", workers=1)
    assert sha256(encode(tokenizer, iter(documents), tmp_path / "many", cluster=address)) == sha256(one)


def test_words_and_merges_are_those_of_one_process(corpus, address):
    tokenizer, alone = BPETokenizer([END], pattern="gpt4"), BPETokenizer([END], pattern="gpt4")
    one = count_words(alone, corpus, workers=1, shard_bytes=50_000, progress=False)
    many = count_words(tokenizer, corpus, cluster=address, shard_bytes=50_000, progress=False)
    assert list(many.items()) == list(one.items()), "words, counts and their order must not depend on the workers"
    corpus.write_bytes(TEXT[:50_000].encode())
    train_exact_corpus(alone, corpus, 500, workers=1, progress=False)
    train_exact_corpus(tokenizer, corpus, 500, cluster=address, progress=False)
    assert list(tokenizer.merges.items()) == list(alone.merges.items())


# --- tasks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("max_bytes", "most"), [(1 << 20, 4), (1, 1)])
def test_only_a_few_tasks_are_pending(address, monkeypatch, max_bytes, most):
    """Two for each of two threads, or as many as the memory allows."""
    monkeypatch.setattr(cluster_module, "MAX_PENDING_BYTES", max_bytes)
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(15, 35):
            taken.append(task)
            yield task

    for number, result in enumerate(run(multiplying, 2, tasks(), cluster=address)):
        assert result == (15 + number, 2 * (15 + number))
        assert len(taken) - number <= most
    assert len(taken) == 20


def test_errors_come_through_and_nothing_stays_on_the_cluster(cluster, address, tokenizer, corpus, tmp_path):
    """Neither when somebody stops halfway, nor after an error."""
    stopped = run(multiplying, 2, range(15, 75), cluster=address)
    next(stopped)
    stopped.close()
    with pytest.raises(CorpusError, match="fourteen"):
        list(run(multiplying, 2, [1, 14, 2, 3, 4, 5, 6], cluster=address))
    corpus.write_bytes(TEXT.encode()[:50_000] + b"\xff" + TEXT.encode()[50_000:])
    with pytest.raises(CorpusError, match=r"corpus.txt is not UTF-8 text: byte 50000 \(0xff\)"):
        encode(tokenizer, corpus, tmp_path / "out", cluster=address)
    deadline = time.monotonic() + 60
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


@pytest.mark.whole
def test_a_worker_that_joins_takes_the_shards_of_a_killed_one(tokenizer, corpus, expected, tmp_path, log):
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
    done = [place for _, place in encoded(log)]
    assert set(done) == set(places(tokenizer, corpus))
    assert len({process for process, _ in encoded(log)}) == 2
    assert 1 <= len(done) - len(set(done)) <= 4, "at most four shards were pending"


# --- what can be wrong ------------------------------------------------------------------------------------------------


def test_what_cannot_be_a_cluster_is_refused(tokenizer, corpus, tmp_path, monkeypatch, short_waits):
    def refuses(error, match, **options):
        with pytest.raises(error, match=match):
            encode(tokenizer, corpus, tmp_path / "out", **options)

    refuses(ValueError, "workers=2 sets the number of threads on this machine, but", workers=2, cluster="tcp://a:1")
    for wrong in ("foo", "tls://127.0.0.1:8786", "http://127.0.0.1:8786"):
        refuses(CourseError, f"'{wrong}' is not the address of a Dask scheduler", cluster=wrong)
    monkeypatch.chdir(tmp_path)
    for place in ("tcp://127.0.0.1:1", "nowhere.json"):
        refuses(CourseError, f"There is no Dask scheduler at {place} .*Start one with `dask scheduler`", cluster=place)
    monkeypatch.setattr(cluster_module, "find_spec", lambda name: None)
    command = re.escape(install_command("distributed"))
    refuses(CourseError, f"needs Dask distributed. Install it on all machines with: {command}", cluster="tcp://a:1")


def test_no_workers(short_waits):
    notes: list[str] = []
    with scheduler() as running:
        with pytest.raises(CourseError, match="has had no worker for 1 s. Start some with `dask worker`"):
            list(run(multiplying, 2, [1], cluster=running.scheduler_address, notify=notes.append))
    assert notes == [f"The cluster at {running.scheduler_address} has no workers; waiting for one."]


def test_a_worker_that_cannot_import_the_course(tmp_path):
    (tmp_path / "without" / "g2c").mkdir(parents=True)
    error = "raise ModuleNotFoundError(\"No module named 'g2c'\", name='g2c')"
    (tmp_path / "without" / "g2c" / "__init__.py").write_text(error)
    with scheduler() as running, worker(running.scheduler_address, tmp_path, tmp_path / "without"):
        with pytest.raises(CourseError, match="A machine of the cluster .* lacks a package: .*same environment"):
            list(run(multiplying, 2, [1], cluster=running.scheduler_address))


def test_a_worker_with_another_version_is_refused(address, monkeypatch):
    mine = {**environment(), "numpy": "0.1"}
    monkeypatch.setattr(cluster_module, "environment", lambda: mine)
    with pytest.raises(CourseError, match="has numpy .*, but this machine has 0.1. Use the same environment"):
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
