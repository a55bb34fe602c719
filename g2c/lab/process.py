"""The process in which the lab runs the student's code, and reads the tables of tokenizers.

    python -m g2c.lab.process

Each line on standard input is a question, each line on standard output its answer, both JSON. A question is one of the
functions in `QUESTIONS`, with its arguments. The process ends when standard input does.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable

from g2c.lab import student
from g2c.lab.student import Json, answered
from g2c.lab.tokenizers import (
    corpus_ids,
    corpus_of,
    described,
    missing_tables,
    names,
    parts_of,
    table_of,
    tokenizer_named,
)


def list_tokenizers() -> Json:
    listed = [described(name) for name in names()]
    return {"tokenizers": listed, "missing": missing_tables()}


def table(*, tokenizer: str) -> Json:
    return table_of(tokenizer_named(tokenizer))


def parts(*, tokenizer: str, texts: list[str], ordinary: bool = False) -> Json:
    loaded = tokenizer_named(tokenizer)
    return {"parts": [parts_of(loaded, text, ordinary=ordinary) for text in texts]}


def corpus(*, tokenizer: str) -> Json:
    return {"corpus": corpus_of(tokenizer)}


def encode(*, tokenizer: str, texts: list[str]) -> Json:
    return student.encode(tokenizer_named(tokenizer), texts)


def predict(*, tokenizer: str, ids: list[int], n: int) -> Json:
    return student.predict(tokenizer, tokenizer_named(tokenizer), corpus_ids(tokenizer), ids=ids, n=n)


QUESTIONS: dict[str, Callable[..., Json]] = {
    "tokenizers": list_tokenizers,
    "table": table,
    "parts": parts,
    "corpus": corpus,
    "encode": encode,
    "train": student.train,
    "lattice": student.lattice,
    "predict": predict,
}


_STARTING = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
"""Events of Python that stand for the start of a process."""


def answer_to(question: str, details: Json) -> Json:
    """The answer to a question, or {"problem": …}."""
    return answered(QUESTIONS, question, details)


def _refuse_processes(event: str, _: object) -> None:
    """End a call of student code that starts a process, which would read the next questions, and answer them."""
    if event in _STARTING:
        raise RuntimeError("In the lab, code cannot start another process.")


def main() -> None:
    sys.addaudithook(_refuse_processes)
    # What the student's code prints is not part of an answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            asked = json.loads(line)
            answers.write(json.dumps(answer_to(asked["question"], asked["details"])) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
