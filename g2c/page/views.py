"""Runs the student's code for the page's Merge and Encode views, under the limits of a terminal's tests, and trains it.

A view's answer contains what the code returned. If it returned nothing, "todo" is a sentence on the exercise that is
not written yet, or "stopped" has the title and the report of what happened.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import g2c.tokenizer
from coach.exercise_file import problem_of
from coach.exercises import modules
from coach.teaching import call, under_limits
from coach.testing.observation import StudentFailure
from coach.testing.student_code import first_todo
from g2c.lab.pages import table_of
from g2c.tokenizer.base import BOUNDARY


def answer(do: str, asked: dict[str, Any], post: Callable[[dict[str, Any]], None]) -> None:
    """Answer a message of the page, with what it asks beside its kind (scripts/course.js).

    {"do": "merge", "text": …, …} and {"do": "encode", …} get {"answer": …}; {"do": "train", "size": 512} gets
    {"progress": …} several times, and at last {"trained": …} or {"problem": …}.
    """
    if do == "train":
        train(**asked, post=post)
    else:
        post({"answer": merge(**asked) if do == "merge" else encode(**asked)})


def merge(text: str, pattern: str | None, steps: int) -> dict[str, Any]:
    """Train on a text, step by step, with the student's `_get_pair_counts` and `train_step`.

    Returns:
        "states": the IDs and the size of `vocab` before each step; its "counts", (left, right, count) in the order of
        the student's dictionary; and "chosen", the pair that `train_step` returned, in the same form, or None
    """
    states: list[dict[str, Any]] = []

    def step_by_step() -> None:
        tokenizer = g2c.tokenizer.BPETokenizer(pattern=pattern)
        ids = tokenizer._training_ids(text)
        for new_id in range(256, 257 + steps):
            counts = call(tokenizer._get_pair_counts, list(ids), barrier_ids={BOUNDARY}).value
            pairs = [(int(left), int(right), int(count)) for (left, right), count in counts.items()]
            states.append({"ids": ids, "counts": pairs, "chosen": None, "size": len(tokenizer.vocab)})
            step = call(tokenizer.train_step, list(ids), new_id).value if new_id < 256 + steps else None
            if step is None:
                return
            new_ids, (left, right), count = step
            ids = [int(token_id) for token_id in new_ids]
            states[-1]["chosen"] = (int(left), int(right), int(count))

    ended = _ended_by(step_by_step)
    return ended | {"states": states} if states else ended


def encode(text: str, table: dict[str, Any]) -> dict[str, Any]:
    """Encode a text by the student's `encode`, with the merges of a table (g2c.lab.pages). Returns its "ids"."""
    answer: dict[str, Any] = {}

    def once() -> None:
        tokenizer = g2c.tokenizer.BPETokenizer(list(table["special"]), pattern=table["pattern"])
        merges = table["merges"]
        for left, right, new_id in zip(merges[::3], merges[1::3], merges[2::3]):
            tokenizer.merges[left, right] = new_id
            tokenizer.vocab[new_id] = tokenizer.vocab[left] + tokenizer.vocab[right]
        answer["ids"] = [int(token_id) for token_id in call(tokenizer.encode, text).value]

    return _ended_by(once) | answer


def _ended_by(run: Callable[[], None]) -> dict[str, Any]:
    """Run a function that calls student code, and say what ended it; {} if it came to its end."""
    try:
        under_limits(run)
    except NotImplementedError as error:
        return {"todo": f"{first_todo(error)}."}
    except StudentFailure as failure:
        return {"stopped": {"title": "Your code was stopped, or raised an error.", "report": str(failure)}}
    except Exception:
        # The file cannot be imported, or its results have another form.
        report = (
            problem_of(modules()["04"]) or "It does not return what the docstring says: see the report of the tests."
        )
        return {"stopped": {"title": "Your code gives no result.", "report": str(report)}}
    return {}


def train(size: int, post: Callable[[dict[str, Any]], None]) -> None:
    """Train the student's tokenizer on the page's corpus, and post its tokenizer.json and its table."""
    text = Path("corpus.txt").read_text(encoding="utf-8")
    tokenizer = g2c.tokenizer.BPETokenizer.with_course_special_tokens()
    began = time.perf_counter()

    def report(progress: Any) -> None:
        seconds = time.perf_counter() - began
        newest = repr(progress.newest.decode(errors="replace"))
        post({"progress": {"done": progress.done, "total": progress.total, "newest": newest, "seconds": seconds}})

    try:
        tokenizer.train(text, size, progress=report)
        post({"trained": {"file": tokenizer_json(tokenizer), "table": table_of(tokenizer)}})
    except Exception as error:
        post({"problem": {"title": f"Your code raised {type(error).__name__}: {error}"}})


def tokenizer_json(tokenizer: g2c.tokenizer.BPETokenizer) -> str:
    """Write the tokenizer.json of a trained tokenizer: fill its tokens and merges into an untrained one's."""
    content = json.loads(Path("untrained.json").read_text(encoding="utf-8"))
    spelled = {token_id: token for token, token_id in content["model"]["vocab"].items()}
    for (left, right), new_id in tokenizer.merges.items():
        spelled[new_id] = "".join(spelled[byte] for byte in tokenizer.vocab[new_id])
        content["model"]["merges"].append([spelled[left], spelled[right]])
    content["model"]["vocab"] = {token: token_id for token_id, token in spelled.items()}
    return json.dumps(content, indent=2, ensure_ascii=False)
