"""Run encode_corpus or train_and_encode, with a fault at a step of it. Run by test_working_folder.py.

    python faulty_runs.py encode|train FOLDER

Reads a line of JSON for each run: the number of a step, or null, and a fault: "kill", or a change as for `change`. The
run is a child process with two seconds of a processor and 500 MB of data. A step is whatever changes or opens a file.
FOLDER has the corpus, corpus.txt; the artifact is FOLDER/out. Prints a line of JSON for each run:

    ["done", ""], ["refused", the sentence], ["killed", ""], or ["failed", why]
"""

import json
import os
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.corpus import own_tokenizers
from g2c.corpus.encoding import encode_corpus
from g2c.solutions.bpe import BPETokenizer

SECONDS, MEMORY = 2, 500 << 20
SHARD = 400
EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}


def files_of(folder: Path) -> list[Path]:
    """The files of unfinished work, except for one that is in the artifact already."""
    return [path for path in sorted(folder.glob(".out.encoding/*")) if path.stat().st_nlink == 1]


def change(folder: Path, fault: list) -> None:
    """Change a file of unfinished work, if there is one.

    Args:
        fault: which file, as a number; what happens to it: "remove", "cut", "flip", "zeros", "insert" or "repeat"; the
            place in it, as a share; and a number from 1 to 255: the bits to flip, or how many bytes.
    """
    number, kind, share, value = fault
    if not (files := files_of(folder)):
        return
    path = files[number % len(files)]
    try:
        data = bytearray(path.read_bytes())
        place = int(share * len(data))
        if kind == "remove":
            path.unlink()
            return
        if kind == "cut":
            del data[place:]
        elif kind == "flip" and data:
            data[place] ^= value
        elif kind == "zeros":
            data[place : place + value] = bytes(len(data[place : place + value]))
        elif kind == "insert":
            data[place:place] = bytes(range(value))
        elif kind == "repeat":
            data[place:place] = data[place : place + value]
        # In place, as other programs do it, and not within the same tick of the clock of the file system.
        time.sleep(0.01)
        with path.open("r+b") as file:
            file.write(data)
            file.truncate()
    except FileNotFoundError:
        pass  # the run has just removed it


def provoke_at(step: int, fault: str | list, folder: Path) -> None:
    """Make a fault happen in this process before the step of this number."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1
        if steps != step:
            return
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        change(folder, fault)

    flush = os.fsync
    os.fsync = lambda descriptor: (count(), flush(descriptor))[1]
    sys.addaudithook(lambda event, _: count() if event in EVENTS else None)


def run(task: str, folder: Path, *, resume: bool = True) -> None:
    corpus, out = folder / "corpus.txt", folder / "out"
    if task == "encode":
        encode_corpus(TOKENIZER, corpus, out, workers=1, shard_bytes=SHARD, resume=resume, progress=False)
    else:
        own_tokenizers.train_and_encode(corpus, out, 280, pattern="gpt4", workers=1, resume=resume, progress=False)


def in_small_shards(*arguments, **options) -> Path:
    return encode_corpus(*arguments, **options, shard_bytes=SHARD)


own_tokenizers.encode_corpus = in_small_shards
TOKENIZER = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
TOKENIZER.train_exact("the cat sat on the hat, and the hat was on the cat", 270, progress=False)


def answer(task: str, folder: Path, step: int | None, fault: str | list, resume: bool) -> list[str]:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    # Data is limited, not addresses, of which the libraries alone take 450 MB.
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    if step is not None:
        provoke_at(step, fault, folder)
    try:
        run(task, folder, resume=resume)
    except CourseError as error:
        return ["refused", str(error)]
    return ["done", ""]


def main(task: str, folder: Path) -> None:
    # Machine code is made, or loaded, before the runs whose time is limited.
    run(task, folder)
    shutil.rmtree(folder / "out")
    print("ready", flush=True)
    for line in sys.stdin:
        step, fault, resume = json.loads(line)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                result = answer(task, folder, step, fault, resume)
            except BaseException as error:
                result = ["failed", f"{type(error).__name__}: {error}"[:2000]]
            os.write(writer, json.dumps(result).encode())
            os._exit(0)
        os.close(writer)
        with open(reader, "rb") as pipe:
            result = pipe.read().decode()
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and fault == "kill"
        print(result or json.dumps(["killed", ""] if killed else ["failed", f"status {status}"]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
