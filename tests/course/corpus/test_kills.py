"""SIGKILL at random moments: encoding, training, exporting and fetching, again and again on what is left.

    G2C_KILLS=200 pytest --solutions tests/course/corpus/test_kills.py -s

Kills before each single step are in test_files.py and test_working_folder.py. These come at any time.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pydoc_data.topics import topics

import pytest

from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.tokenizer_json import save
from g2c.solutions.bpe import BPETokenizer
from support.misbehaving_server import Server

REPOSITORY = Path(__file__).resolve().parents[3]
KILLS = int(os.environ.get("G2C_KILLS", "3"))
TEXT = "\n\n".join(topics[name] for name in sorted(topics)) * 3

# Forks a process for each line of its input, prints the number of that process, and at its end the exit code. What the
# process itself prints goes to the errors.
PROCESSES = """
import os, sys
from g2c.corpus.corpora import CORPORA, Entry, RemoteFile
from g2c.corpus.encoding import encode_corpus
from g2c.course import cli, datasets
from g2c.tokenizer.base import BPEBase
from g2c.formats.tokenizer_json import load

def run(task, *arguments):
    if task == "encode":
        tokenizer, corpus, out = arguments
        encode_corpus(load(tokenizer, BPEBase), corpus, out, shard_bytes=100_000)
    elif task == "fetch":
        url, size, sha256 = arguments
        CORPORA["book"] = Entry("a book", (RemoteFile("book.txt", url, int(size), sha256),), "book")
        return datasets.main(["book"])
    else:
        return cli.main([task, *arguments])
    return 0

for line in sys.stdin:
    child = os.fork()
    if not child:
        os.setsid()
        os.dup2(2, 1)
        code = 1
        try:
            code = run(*sys.argv[1:])
        finally:
            os._exit(code)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


def slowly(request) -> None:
    data = request.start()
    for begin in range(0, len(data), 20_000):
        request.wfile.write(data[begin : begin + 20_000])
        time.sleep(0.005)


@contextmanager
def prepared(task: str, folder: Path) -> Iterator[list[str]]:
    """The arguments of a task, which makes `folder`/out."""
    corpus, out = folder / "corpus.txt", folder / "out"
    corpus.write_text(TEXT)
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    tokenizer.train_exact(TEXT[:100_000], 500, progress=False)
    if task == "encode":
        save(tokenizer, folder / "tokenizer.json")
        yield ["encode", str(folder / "tokenizer.json"), str(corpus), str(out)]
    elif task == "train":
        yield ["train", str(corpus), "--vocab-size", "500", "--output", str(out)]
    elif task == "export":
        save_artifact(tokenizer, folder / "artifact", tokenizer.encode_fast(TEXT))
        yield ["export", str(folder / "artifact"), "--format", "nanogpt", "--output", str(out)]
    else:
        data = TEXT.encode()
        with Server(data, *[slowly] * 100 * KILLS) as server:
            yield ["fetch", f"{server.url}/book.txt", str(len(data)), hashlib.sha256(data).hexdigest()]


def contents(out: Path) -> dict[str, bytes]:
    """The finished files."""
    return {
        path.name: path.read_bytes() for path in out.glob("*") if ".part" not in path.name and path.suffix != ".lock"
    }


@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.parametrize("task", ["encode", "train", "export", "fetch"])
def test_after_kills_at_random_moments_the_files_are_the_same(task, tmp_path):
    out = tmp_path / "out"
    chance = random.Random(task)
    with (
        prepared(task, tmp_path) as arguments,
        (tmp_path / "errors").open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-c", PROCESSES, *arguments],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "G2C_DATA": str(out)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as processes,
    ):

        def run(kill_after: float | None = None) -> int:
            """Returns the exit code, or minus the number of the signal."""
            processes.stdin.write("\n")
            processes.stdin.flush()
            number = int(processes.stdout.readline())
            if kill_after is not None:
                time.sleep(kill_after)
                try:
                    # Sometimes the process alone: those that it started have to notice.
                    (os.kill if chance.random() < 0.5 else os.killpg)(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it has ended
            return int(processes.stdout.readline())

        before = set(os.listdir(tmp_path))
        assert run() == 0, (tmp_path / "errors").read_text()
        shutil.rmtree(out)
        begun = time.monotonic()
        assert run() == 0
        seconds = time.monotonic() - begun
        expected = contents(out)
        shutil.rmtree(out)
        kills = done = 0
        while kills < KILLS:
            code = run(chance.random() * seconds)
            assert code in (0, -signal.SIGKILL), (tmp_path / "errors").read_text()
            kills += code != 0
            done += code == 0
            found = contents(out)
            assert found in ({}, expected), f"after {kills} kills, {task} left other files"
            assert found or code, f"{task} ended, but left nothing"
            if found:
                shutil.rmtree(out)
        assert run() == 0
        assert contents(out) == expected
        if task in ("encode", "train"):
            load_artifact(out)
        assert set(os.listdir(tmp_path)) == before | {"out"}, "litter was left behind"
        processes.stdin.close()
    print(f"\n{task}: {kills} kills, between them {done} runs that ended; one takes {seconds:.2f} s")
