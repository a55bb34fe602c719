"""The process in which the lab runs the student's code, under the limits of the tests.

    python -m g2c.lab.student

Each line on standard input is a question, each line on standard output its answer, both JSON. The answers have the
shapes that g2c/lab/page/source-local.js computes for the exported page; a student's error, a TODO or an endless loop
becomes {"problem": {"title": …, "report": …}}, with "todo": true for a TODO. The process ends when standard input does.
"""

import contextlib
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from typing import Any

import tokenizers

import g2c.tokenizer
from g2c.common.errors import CourseError, VocabularyNotReached
from g2c.course.exercises import modules
from g2c.course.limits import Limits
from g2c.course.student_code import first_todo
from g2c.course.teaching import Stopped, StudentFailure, call, under_limits
from g2c.course.terminal import problem_of_file
from g2c.lab.questions import HANDOUT_SCORES, MAX_LATTICE_TEXT
from g2c.lab.tokenizers import YOURS, counts_of, described, missing_tables, names, token_of, tokenizer_named
from g2c.lab.traces import encoding_steps
from g2c.tokenizer.base import BOUNDARY, BPEBase, check_text

LIMITS = replace(Limits(), seconds=2.0)
"""Those of the tests, except that somebody waits in front of the page."""
MAX_CANDIDATES = 12
MAX_STEPS = 60
MAX_CHARACTERS = {"train": 1_000, "rounds": 300, "encode": 50_000, "lattice": MAX_LATTICE_TEXT}
"""Question -> characters that its texts may have in total."""
MAX_UNUSED = 200
LEARNED_TOKENS = 20
"""How many tokens of several characters the lattice's vocabulary has when it is learned from a text."""

_ANOTHER_FORM = "A method returned something of another form than its docstring says."

Answer = dict[str, Any]


class Problem(Exception):
    """A question that has no answer. The page shows the title and the report."""

    def __init__(self, title: str, report: str = "") -> None:
        super().__init__(title)
        self.title, self.report = title, report

    def shown(self) -> dict[str, Any]:
        return {"title": self.title, "report": self.report, "todo": isinstance(self, Todo)}


class Todo(Problem):
    """A question that needs an exercise that is not written yet."""


# --- the questions ----------------------------------------------------------------------------------------------------


def list_tokenizers(details: Answer) -> Answer:
    return {"tokenizers": [described(name) for name in names()], "missing": missing_tables()}


def encode(details: Answer) -> Answer:
    """The token IDs of texts: by the engine, or by the student's `encode` if the tokenizer is the student's.

    Special tokens in the texts are plain text if the question says so.
    """
    texts = [_text(text) for text in details["texts"]]
    _check_length("encode", texts)
    tokenizer = tokenizer_named(details["tokenizer"])
    if isinstance(tokenizer, tokenizers.Tokenizer):
        ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    elif details["tokenizer"] == YOURS:
        own = _students_own(tokenizer)
        function = own.encode_ordinary if details.get("ordinary") else own.encode
        ids = _watched(lambda: [_reported(function, text) for text in texts])
        ids = [_checked_ids(one) for one in ids]
    else:
        function = tokenizer.encode_ordinary_fast if details.get("ordinary") else tokenizer.encode_fast
        ids = [function(text) for text in texts]
    return {"ids": ids, "tokens": _tokens(tokenizer, {token_id for one in ids for token_id in one})}


def token(details: Answer) -> Answer:
    """The merges that made a token, down to single bytes, and how often the corpus has it."""
    tokenizer, token_id = tokenizer_named(details["tokenizer"]), int(details["id"])
    made: dict[int, tuple[int, int]] = {}
    number = None
    if isinstance(tokenizer, BPEBase):
        makers = {new_id: (place, pair) for place, (pair, new_id) in enumerate(tokenizer.merges.items(), start=1)}
        number = makers[token_id][0] if token_id in makers else None
        parts = [token_id]
        for part in parts:
            if part in makers and part not in made:
                made[part] = makers[part][1]
                parts.extend(made[part])
    counts = counts_of(details["tokenizer"])
    return {
        "made": made,
        "tokens": _tokens(tokenizer, {token_id, *(part for pair in made.values() for part in pair)}),
        "merge": number,
        "corpus": counts and counts.corpus,
        "count": counts and counts.of(token_id),
    }


def rounds(details: Answer) -> Answer:
    """Every round of encoding a text, from the merges, and what the student's `encode` makes of it."""
    text = _text(details["text"])
    _check_length("rounds", [text])
    tokenizer = tokenizer_named(details["tokenizer"])
    if not isinstance(tokenizer, BPEBase):
        raise Problem("This tokenizer has no merges.", "BERT's WordPiece takes the longest token that matches.")
    shown: list[Answer] = [
        {"ids": step.ids, "candidates": [(*pair, tokenizer.merges[pair]) for pair in step.candidates]}
        for step in encoding_steps(tokenizer, text)
    ]
    answer: Answer = {"rounds": shown}
    seen = {token_id for one in shown for token_id in one["ids"]}
    seen |= {token_id for one in shown for candidate in one["candidates"] for token_id in candidate}
    try:
        own = _students_own(tokenizer)
        answer["result"] = _checked_ids(_watched(lambda: _reported(own.encode, text)))
        seen.update(answer["result"])
    except Problem as problem:
        answer["failure"] = problem.shown()
    return answer | {"tokens": _tokens(tokenizer, seen)}


def train(details: Answer) -> Answer:
    """Training on a text, step by step, by the student's `train_step` and `_get_pair_counts`.

    As long as these are not written, the IDs of the text, with which the page computes the steps itself.
    """
    text = _text(details["text"])
    _check_length("train", [text])
    pattern = details.get("pattern")
    if pattern not in (None, "gpt2", "gpt4"):
        raise ValueError("pattern")
    steps = min(int(details["steps"]), MAX_STEPS)
    tokenizer = _students("BPETokenizer")(pattern=pattern)
    states: list[Answer] = []

    def step_by_step() -> None:
        ids = tokenizer._training_ids(text)
        for new_id in range(256, 257 + steps):
            counts = _reported(tokenizer._get_pair_counts, ids, barrier_ids={BOUNDARY})
            step = _reported(tokenizer.train_step, ids, new_id) if new_id < 256 + steps else None
            states.append(_training_state(ids, counts, step, new_id))
            if step is None:
                return
            ids = _checked_ids(step[0])

    try:
        _watched(step_by_step)
    except Todo as todo:
        ids = tokenizer._training_ids(text)
        return {"ids": ids, "todo": todo.title, "tokens": _tokens(tokenizer, range(256))}
    seen = set(tokenizer.vocab).union(*(state["ids"] for state in states))
    return {"states": states, "tokens": _tokens(tokenizer, seen - {BOUNDARY})}


def unused(details: Answer) -> Answer:
    """The learned tokens that the corpus of an artifact does not have."""
    tokenizer, counts = tokenizer_named(details["tokenizer"]), counts_of(details["tokenizer"])
    if counts is None:
        return {"corpus": None}
    ids = [token_id for token_id in tokenizer.merges.values() if not counts.of(token_id)]
    return {
        "corpus": counts.corpus,
        "ids": ids[:MAX_UNUSED],
        "count": len(ids),
        "of": len(tokenizer.merges),
        "tokens": _tokens(tokenizer, ids[:MAX_UNUSED]),
    }


def lattice(details: Answer) -> Answer:
    """The lattice of a text and its best path, by the student's UnigramTokenizer.

    The vocabulary is that of the handout, or learned from a text by the student's `em_step` and `removal_losses`. As
    long as these are not written, nothing but that: the page computes the lattice itself.
    """
    text = _text(details["text"])
    _check_length("lattice", [text])
    corpus = None if details.get("corpus") is None else _text(details["corpus"])
    _check_length("train", [corpus or ""])
    tokenizer = _students("UnigramTokenizer")(HANDOUT_SCORES)

    def learn_and_search() -> Answer:
        if corpus is None:
            return dict(_reported(tokenizer.lattice_with_best_path, text))
        vocab_size = 1 + len(set("".join(tokenizer._words(corpus)))) + LEARNED_TOKENS
        with warnings.catch_warnings():
            # A short text has fewer tokens.
            warnings.simplefilter("ignore", VocabularyNotReached)
            _reported(tokenizer.train, corpus, vocab_size)
        return dict(_reported(tokenizer.lattice_with_best_path, "".join(tokenizer._words(text))))

    try:
        return _lattice_answer(_watched(learn_and_search)) | {"vocabulary": tokenizer.vocab_size}
    except Todo as todo:
        return {"todo": todo.title}


ANSWERS: dict[str, Callable[[Answer], Answer]] = {
    "tokenizers": list_tokenizers,
    "encode": encode,
    "token": token,
    "rounds": rounds,
    "train": train,
    "unused": unused,
    "lattice": lattice,
}


def _training_state(ids: list[int], counts: Any, step: Any, new_id: int) -> Answer:
    try:
        # Sorting is stable: of equally frequent pairs, the one seen first stays first.
        ranked = sorted(counts.items(), key=lambda item: item[1], reverse=True)
        first = {pair: place for place, pair in reversed(list(enumerate(zip(ids, ids[1:]))))}
        shown = [(*map(int, pair), int(count), first.get(pair, -1)) for pair, count in ranked[:MAX_CANDIDATES]]
        chosen = None if step is None else (*map(int, step[1]), int(step[2]), new_id)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise Problem(_ANOTHER_FORM, str(error)) from None
    return {"ids": ids, "candidates": shown, "pairs": len(counts), "chosen": chosen}


def _lattice_answer(data: Answer) -> Answer:
    tokens, loss = data["tokens"], data["loss"]
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise Problem(_ANOTHER_FORM, f"best_path returned {tokens!r:.200}, not a list of tokens.")
    try:
        loss = float(loss)
    except (TypeError, ValueError):
        loss = math.nan
    if not math.isfinite(loss):
        raise Problem(_ANOTHER_FORM, f"segmentation_loss returned {data['loss']!r:.200}, not a finite number.")
    return data | {"loss": loss}


def _tokens(tokenizer: Any, ids: Iterable[int]) -> dict[int, Answer]:
    found = {token_id: token_of(tokenizer, token_id) for token_id in ids}
    return {token_id: shown for token_id, shown in found.items() if shown is not None}


def _text(value: Any) -> str:
    check_text(value)
    return str(value)


def _check_length(question: str, texts: list[str]) -> None:
    if sum(map(len, texts)) > MAX_CHARACTERS[question]:
        raise ValueError(f"The text exceeds {MAX_CHARACTERS[question]:,} characters.")


def _checked_ids(value: Any) -> list[int]:
    """What the student's code returned as token IDs, as a list of int."""
    try:
        return [token_id.__index__() for token_id in value]
    except (TypeError, AttributeError):
        raise Problem("Your code did not return a list of token IDs.", f"It returned {value!r:.200}.") from None


# --- running student code ---------------------------------------------------------------------------------------------


def _students(name: str) -> Any:
    """A class of the student's. Raises Problem where its file cannot be imported."""
    try:
        return getattr(g2c.tokenizer, name)
    except (SyntaxError, ImportError, NameError, AttributeError) as error:
        module = modules()["04g" if name == "UnigramTokenizer" else "04"]
        report = problem_of_file(module.exercise_file) or f"{type(error).__name__}: {error}"
        raise Problem(f"{module.exercise_path} cannot be imported.", report) from None


def _students_own(tokenizer: BPEBase) -> Any:
    """The same tokenizer with the student's methods, and with tables of its own, which they may change."""
    own = copy(tokenizer)
    own.__class__ = _students("BPETokenizer")
    own.merges, own.vocab = dict(own.merges), dict(own.vocab)
    return own


def _reported(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call student code. An error becomes a StudentFailure, whose text is the report of a failing test."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        raise
    except Exception:
        # A second time, recorded. Recording every call would be slow: it copies the vocabulary.
        return call(function, *args, **kwargs).value


def _watched(run: Callable[[], Any]) -> Any:
    """Call a function that calls student code, under the limits of a test. Raises Problem for all that goes wrong."""
    try:
        return under_limits(run, limits=LIMITS, crash_report=sys.stderr)
    except NotImplementedError as error:
        raise Todo(f"{first_todo(error)}.") from None
    except Stopped as stopped:
        raise Problem(f"{stopped.function} was stopped.", str(stopped)) from None
    except StudentFailure as failure:
        raise Problem("Your code raised an error.", str(failure)) from None


def answer_to(question: str, details: Answer) -> Answer:
    """The answer to a question, or {"problem": …}."""
    try:
        return ANSWERS[question](details)
    except Problem as problem:
        return {"problem": problem.shown()}
    except CourseError as error:
        return {"problem": {"title": "A tokenizer cannot be loaded.", "report": str(error)}}
    except (KeyError, TypeError, ValueError) as error:
        return {"problem": {"title": "The lab does not understand this question.", "report": str(error)}}


def main() -> None:
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
