"""Answers the lab's questions, in the process that runs the student's code.

    python -m g2c.lab.process

Each line on standard input is a question, each line on standard output its answer, both JSON. The process ends when
standard input does.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable
from functools import partial

from g2c.lab import student
from g2c.lab.tokenizers import PUBLISHED, corpus_ids, corpus_of, described, is_here, names, parts_of, table_of
from g2c.lab.tokenizers import tokenizer_named as named

QUESTIONS: dict[str, Callable[..., student.Json]] = {
    "tokenizers": lambda: {
        "tokenizers": [*map(described, names())],
        "missing": [name for name in PUBLISHED if not is_here(name)],
    },
    "table": lambda tokenizer: table_of(named(tokenizer)),
    "parts": lambda tokenizer, texts, ordinary=False: {"parts": parts_of(named(tokenizer), texts, ordinary=ordinary)},
    "corpus": lambda tokenizer: {"corpus": corpus_of(tokenizer)},
    "encode": lambda tokenizer, texts: student.encode(named(tokenizer), texts),
    "train": student.train,
    "lattice": student.lattice,
    "predict": lambda tokenizer, ids, n: student.predict(tokenizer, named(tokenizer), corpus_ids(tokenizer), ids, n),
}
"""Question -> the function that answers it, from the details that the page sends."""

answer_to = partial(student.answered, QUESTIONS)

_STARTING = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
"""Events by which Python announces the start of a process."""


def _refuse_processes(event: str, _: object) -> None:
    """End a call of student code that starts a process, which would read and answer the next questions."""
    if event in _STARTING:
        raise RuntimeError("In the lab, code cannot start another process.")


def main() -> None:
    sys.addaudithook(_refuse_processes)
    # Keep what the student's code prints out of the answers.
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
