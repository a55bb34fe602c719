"""Save again and again, killed one step later each time, and look at what is left. Run by test_files.py.

    python kill_at_every_step.py PATH SCENARIO

A step is whatever changes something on the disk: opening, half a write, a flush, making, renaming, removal. Scenarios:

    replace     an artifact, where an older one is
    first       an artifact, where nothing is
    again       an artifact, where the save that was killed before left what it left
    ids         a file of token IDs, where an older one is

Prints a JSON object: how often there was nothing, the old content or the new after a kill. PATH is named ids if what is
saved are IDs.
"""

import io
import json
import os
import shutil
import signal
import sys
from collections import Counter
from functools import partial
from pathlib import Path

from g2c.common import files
from g2c.common.errors import MissingFileError
from g2c.formats.artifact import load_artifact, save_artifact
from g2c.formats.token_ids import load_token_ids, save_token_ids
from g2c.solutions.bpe import BPETokenizer

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}


def trained(text):
    tokenizer = BPETokenizer(["<|endoftext|>"])
    return tokenizer, tokenizer.train(text, 262, progress=False)


CONTENTS = {"old": trained("the the the"), "new": trained("bananas and bandanas")}


def save(name, path):
    tokenizer, ids = CONTENTS[name]
    if path.name == "ids":
        save_token_ids(ids, path)
    else:
        save_artifact(tokenizer, path, ids)


def found(path):
    """The bytes of what is there, once a reader has accepted it; None where nothing is."""
    try:
        load_token_ids(path) if path.name == "ids" else load_artifact(path, cls=BPETokenizer)
    except MissingFileError:
        return None
    return path.read_bytes() if path.is_file() else {file.name: file.read_bytes() for file in path.iterdir()}


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

    class HalfwayFile(io.FileIO):
        def write(self, data):
            super().write(data[: len(data) // 2])
            step()
            return super().write(data[len(data) // 2 :])

    files.open = HalfwayFile
    os.fsync = stepping(os.fsync)
    sys.addaudithook(lambda event, _: step() if event in EVENTS else None)


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


def replace(path, scenario):
    contents, counts = {}, Counter()
    for name in ("new", "old"):
        save(name, path)
        contents[name] = found(path)
    while True:
        if scenario == "first":
            shutil.rmtree(path, ignore_errors=True)
        elif scenario != "again":
            save("old", path)
            assert os.listdir(path.parent) == [path.name], f"a save left litter behind: {os.listdir(path.parent)}"
        # In "again" the two take turns, so that each save has something to change.
        name = "old" if scenario == "again" and counts.total() % 2 else "new"
        if not run(partial(save, name, path), counts.total() + 1):
            break
        there = found(path)
        before = ("nothing", None) if scenario == "first" else ("old", contents["old"])
        assert there in (before[1], contents["new"]), f"neither old nor new: {there}"
        counts["new" if there == contents["new"] else before[0]] += 1
    assert found(path) == contents[name]
    assert os.listdir(path.parent) == [path.name], f"the last save left litter behind: {os.listdir(path.parent)}"
    return counts


if __name__ == "__main__":
    path, scenario = Path(sys.argv[1]), sys.argv[2]
    print(json.dumps(replace(path, scenario)))
