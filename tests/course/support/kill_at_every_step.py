"""Save again and again, killed one step later each time, and look at what is left. Run by test_files.py.

    python kill_at_every_step.py FOLDER SCENARIO exchange|rename

A step is whatever changes something on the disk: opening, half a write, a flush, making, renaming, exchange, removal.
With "rename" the file system is one that cannot exchange two folders in one step. Scenarios:

    replace     an artifact, where an older one is
    first       an artifact, where nothing is
    again       an artifact, where the save that was killed before left what it left
    ids         a file of token IDs, where an older one is
    encode      an artifact from a corpus, where nothing is: killed, continued and killed at another step, and continued

Prints a JSON object: how many saves were killed, and how often there was then nothing, the old content or the new.
"""

import json
import os
import random
import shutil
import signal
import sys
from functools import partial
from pathlib import Path

from g2c.common import files
from g2c.common.errors import MissingFileError
from g2c.corpus.encoding import encode_corpus
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.token_ids import load_token_ids, save_token_ids
from g2c.solutions.bpe import BPETokenizer

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}


def trained(text):
    tokenizer = BPETokenizer(["<|endoftext|>"])
    return tokenizer, tokenizer.train(text, 262, progress=False)


OLD, NEW = trained("the the the"), trained("bananas and bandanas")


class Artifacts:
    @staticmethod
    def save(content, path):
        save_artifact(content[0], path, content[1])

    @staticmethod
    def load(path):
        artifact = load_artifact(path, cls=BPETokenizer)
        return artifact.tokenizer.merges, artifact.ids.tolist()

    @staticmethod
    def expected(content):
        return content[0].merges, content[1]


class TokenIDs:
    @staticmethod
    def save(content, path):
        save_token_ids(content[1], path)

    @staticmethod
    def load(path):
        return load_token_ids(path).tolist()

    @staticmethod
    def expected(content):
        return content[1]


def die_at(last_step):
    """Make this process kill itself before the step of this number."""
    steps = 0

    def step():
        nonlocal steps
        steps += 1
        if steps == last_step:
            os.kill(os.getpid(), signal.SIGKILL)

    def stepping(function):
        def wrapper(*arguments):
            step()
            return function(*arguments)

        return wrapper

    class HalfwayFile:
        def __init__(self, *arguments, **options):
            self.file = open(*arguments, buffering=0, **options)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.file.close()

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            step()
            self.file.write(data[len(data) // 2 :])

    files.open = HalfwayFile
    os.fsync = stepping(os.fsync)
    files._exchange = stepping(files._exchange)
    sys.addaudithook(lambda event, _: step() if event in EVENTS else None)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run(save, step=None):
    """Save in a child process, which kills itself before the step of this number. Returns whether it was killed."""
    child = os.fork()
    if child == 0:
        if step:
            die_at(step)
        save()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0, f"the save that was not killed ended with {status}"
    return status != 0


def encode(path):
    tokenizer, chance, counts = NEW[0], random.Random(4), {"killed": 0, "nothing": 0, "old": 0, "new": 0}
    corpus = path.with_name("corpus.txt")
    corpus.write_text("".join(f"{number} bananas and {number**2} bandanas. " for number in range(60)))

    def save(folder=path):
        encode_corpus(tokenizer, corpus, folder, workers=1, shard_bytes=400, progress=False)

    def content(folder=path):
        return {file.name: file.read_bytes() for file in folder.glob("*")}

    save(path.with_name("expected"))
    expected = content(path.with_name("expected"))
    while run(save, counts["killed"] + 1):
        counts["killed"] += 1
        run(save, chance.randint(1, 50))
        found = content()
        assert found in ({}, expected), f"what is there is not the artifact: {found}"
        counts["new" if found else "nothing"] += 1
        assert not run(save) and content() == expected, "the work that was continued has other files"
        assert set(os.listdir(path.parent)) == {"corpus.txt", "expected", path.name}, os.listdir(path.parent)
        remove(path)
    print(json.dumps(counts))


def main(path, scenario):
    kind = TokenIDs if scenario == "ids" else Artifacts
    counts = {"killed": 0, "nothing": 0, "old": 0, "new": 0}
    kind.save(OLD, path)
    while True:
        if scenario == "first":
            remove(path)
        elif scenario != "again":
            kind.save(OLD, path)
            assert os.listdir(path.parent) == [path.name], f"a save left litter behind: {os.listdir(path.parent)}"
        # In "again" the two take turns, so that each save has something to change.
        content = OLD if scenario == "again" and counts["killed"] % 2 else NEW
        if not run(partial(kind.save, content, path), counts["killed"] + 1):
            break
        counts["killed"] += 1
        try:
            found = kind.load(path)
        except MissingFileError:
            counts["nothing"] += 1
            continue
        assert found in (kind.expected(OLD), kind.expected(NEW)), f"neither old nor new: {found}"
        counts["old" if found == kind.expected(OLD) else "new"] += 1
    assert kind.load(path) == kind.expected(content)
    assert os.listdir(path.parent) == [path.name], f"the last save left litter behind: {os.listdir(path.parent)}"
    print(json.dumps(counts))


if __name__ == "__main__":
    if sys.argv[3] == "rename":
        files._exchange = lambda one, other: False
    if sys.argv[2] == "encode":
        encode(Path(sys.argv[1]))
    else:
        main(Path(sys.argv[1]), sys.argv[2])
