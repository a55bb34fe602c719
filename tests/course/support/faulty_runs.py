"""Encode a corpus again and again, with faults at random steps, and look at what is left: for test_working_folder.py.

    python faulty_runs.py FOLDER SEQUENCES

A run is killed before a step, which is whatever changes or opens a file. Between two runs a file of unfinished work may
change: bytes are removed, inserted, repeated or changed, or the file is removed. Each run is a child process with two
seconds of a processor and 500 MB of data, and continues the work of those before it.

After each run the artifact is not there, or is the right one; and a run ends with success only if it is there. A run
may refuse to continue in one sentence. At the end of a sequence, starting again makes the right artifact.
"""

import os
import random
import resource
import shutil
import signal
import sys
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.corpus.encoding import encode_corpus
from g2c.solutions.bpe import BPETokenizer

SECONDS, MEMORY = 2, 500 << 20
STEPS = 90
"""About as many steps as a run has."""

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}
TEXT = "".join(f"The cat number {n} sat on {n % 7} hats, and each hat was {n * n} years old.\n" for n in range(60))
TOKENIZER = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
TOKENIZER.train_exact("the cat sat on the hat, and the hat was on the cat", 270, progress=False)

chance = random.Random(4)


def encode(folder: Path, *, resume: bool = True) -> None:
    encode_corpus(
        TOKENIZER, folder / "corpus.txt", folder / "out", workers=1, shard_bytes=400, resume=resume, progress=False
    )


def artifact(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "out").glob("*")}


def change_a_file(folder: Path) -> None:
    """Change a file of unfinished work, if there is one that is not in the artifact already."""
    files = [path for path in sorted(folder.glob(".out.encoding/*")) if path.stat().st_nlink == 1]
    if not files:
        return
    path = chance.choice(files)
    data = path.read_bytes()
    begin = chance.randint(0, len(data))
    end = begin + chance.choice([0, 1, 20, len(data)])
    new = chance.choice([b"", bytes(len(data[begin:end])), chance.randbytes(3), 2 * data[begin:end]])
    if chance.random() < 0.1:
        path.unlink()
        return
    path.write_bytes(data[:begin] + new + data[end:])


def die_at(step: int) -> None:
    """Make this process kill itself before the step of this number."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1
        if steps == step:
            os.kill(os.getpid(), signal.SIGKILL)

    flush = os.fsync
    os.fsync = lambda descriptor: (count(), flush(descriptor))[1]
    sys.addaudithook(lambda event, _: count() if event in EVENTS else None)


def run_in_a_child(folder: Path, *, is_killed: bool = False, resume: bool = True) -> str:
    """Returns "done", "killed", or the sentence of a refusal."""
    step = chance.randint(1, STEPS)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        # Data is limited, not addresses, of which the libraries alone take 450 MB.
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        if is_killed:
            die_at(step)
        try:
            encode(folder, resume=resume)
            os.write(writer, b"done")
        except CourseError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        answer = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and is_killed
    assert answer or was_killed, f"a run ended with the status {status}"
    return answer or "killed"


def main(folder: Path, sequences: int) -> None:
    (folder / "corpus.txt").write_text(TEXT)
    encode(folder)
    expected = artifact(folder)
    for _ in range(sequences):
        for path in folder.glob("*out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for is_killed in chance.choices([True, True, False], k=6):
            if chance.random() < 0.5:
                change_a_file(folder)
            outcome = run_in_a_child(folder, is_killed=is_killed)
            found = artifact(folder)
            assert found in ({}, expected), f"{outcome}, and the artifact is wrong"
            assert found or outcome != "done", "there is no artifact"
            is_sentence = "\n" not in outcome and str(folder) in outcome
            assert outcome in ("done", "killed") or is_sentence, f"not one sentence with a path: {outcome}"
        assert run_in_a_child(folder, resume=False) == "done", "starting again works after any fault"
        assert artifact(folder) == expected
        assert set(os.listdir(folder)) == {"corpus.txt", "out"}, "litter was left behind"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
