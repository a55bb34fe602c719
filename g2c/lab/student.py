"""The process in which the lab runs the student's code, under the limits of the tests.

    python -m g2c.lab.student

Each line on standard input is a question, each line on standard output its answer, both JSON. A question is a function
of this file with its arguments, listed in `ANSWERS`. The answers have the shapes that g2c/lab/page/source-local.js
computes for the exported page; a student's error, a TODO or an endless loop becomes
{"problem": {"title": …, "report": …}}, with "todo": true for a TODO. The process ends when standard input does.

A new question is a function here, and one of the object `source` in page/source-server.js and page/source-local.js.
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
from g2c.common.errors import VocabularyNotReached
from g2c.course.exercises import modules
from g2c.course.limits import Limits
from g2c.course.student_code import first_todo
from g2c.course.teaching import Stopped, StudentFailure, call, under_limits
from g2c.course.terminal import problem_of_file
from g2c.lab.pages import HANDOUT_SCORES
from g2c.lab.tokenizers import YOURS, counts_of, described, missing_tables, names, token_of, tokenizer_named
from g2c.lab.traces import encoding_steps
from g2c.tokenizer.base import BOUNDARY, BPEBase

LIMITS = replace(Limits(), seconds=2.0)
"""Those of the tests, except that somebody waits in front of the page."""
MAX_CANDIDATES = 12
MAX_UNUSED = 200
LEARNED_TOKENS = 20
"""How many tokens of several characters the lattice's vocabulary has when it is learned from a text."""

Answer = dict[str, Any]


class Problem(Exception):
    """A question that has no answer. The page shows the title and the report."""

    def __init__(self, title: str, report: str = "") -> None:
        super().__init__(title)
        self.title, self.report = title, report

    def shown(self) -> Answer:
        return {"title": self.title, "report": self.report, "todo": isinstance(self, Todo)}


class Todo(Problem):
    """A question that needs an exercise that is not written yet."""


# --- the questions ----------------------------------------------------------------------------------------------------


def list_tokenizers() -> Answer:
    return {"tokenizers": [described(name) for name in names()], "missing": missing_tables()}


def encode(*, tokenizer: str, texts: list[str], ordinary: bool = False) -> Answer:
    """The token IDs of texts: by the engine, or by the student's `encode` if the tokenizer is the student's.

    Special tokens in the texts are plain text if `ordinary`. `expected` has the IDs that the student's should be.
    """
    loaded = tokenizer_named(tokenizer)
    answer: Answer = {}
    if isinstance(loaded, tokenizers.Tokenizer):
        ids = [loaded.encode(text, add_special_tokens=False).ids for text in texts]
    else:
        ids = list(map(loaded.encode_ordinary_fast if ordinary else loaded.encode_fast, texts))
    if tokenizer == YOURS:
        own = _students_own(loaded)
        function = own.encode_ordinary if ordinary else own.encode
        answer["expected"] = ids
        ids = _watched(lambda: [_ids(_called(function, text)) for text in texts])
    return answer | {"ids": ids, "tokens": _tokens(loaded, {token_id for one in ids for token_id in one})}


def token(*, tokenizer: str, id: int) -> Answer:
    """The merges that made a token, down to single bytes, and how often the corpus has it."""
    loaded = tokenizer_named(tokenizer)
    made: dict[int, tuple[int, int]] = {}
    number = None
    if isinstance(loaded, BPEBase):
        makers = {new_id: (place, pair) for place, (pair, new_id) in enumerate(loaded.merges.items(), start=1)}
        number = makers[id][0] if id in makers else None
        parts = [id]
        for part in parts:
            if part in makers and part not in made:
                made[part] = makers[part][1]
                parts.extend(made[part])
    counts = counts_of(tokenizer)
    return {
        "made": made,
        "tokens": _tokens(loaded, {id, *(part for pair in made.values() for part in pair)}),
        "merge": number,
        "corpus": counts and counts.corpus,
        "count": counts and counts.of(id),
    }


def rounds(*, tokenizer: str, text: str) -> Answer:
    """Every round of encoding a text, from the merges, and what the student's `encode` makes of it."""
    loaded: BPEBase = tokenizer_named(tokenizer)
    shown: list[Answer] = [
        {"ids": step.ids, "candidates": [(*pair, loaded.merges[pair]) for pair in step.candidates]}
        for step in encoding_steps(loaded, text)
    ]
    answer: Answer = {"rounds": shown}
    seen = {token_id for one in shown for token_id in one["ids"]}
    seen |= {token_id for one in shown for candidate in one["candidates"] for token_id in candidate}
    try:
        own = _students_own(loaded)
        answer["result"] = _watched(lambda: _ids(_called(own.encode, text)))
        seen.update(answer["result"])
    except Problem as problem:
        answer["failure"] = problem.shown()
    return answer | {"tokens": _tokens(loaded, seen)}


def train(*, text: str, steps: int, pattern: str | None = None) -> Answer:
    """The IDs of a text, and training on it, step by step, by the student's `train_step` and `_get_pair_counts`.

    From the IDs, the page computes the steps itself as long as these are not written, and checks them when they are.
    """
    tokenizer = _students("BPETokenizer")(pattern=pattern)
    start = tokenizer._training_ids(text)
    states: list[Answer] = []

    def step_by_step() -> None:
        ids = start
        for new_id in range(256, 257 + steps):
            counts = _called(tokenizer._get_pair_counts, ids, barrier_ids={BOUNDARY})
            step = _called(tokenizer.train_step, ids, new_id) if new_id < 256 + steps else None
            states.append(_training_state(ids, counts, step, new_id))
            if step is None:
                return
            ids = _ids(_formed("train_step", step, lambda step: step[0]), "train_step")

    try:
        _watched(step_by_step)
    except Todo as todo:
        return {"ids": start, "todo": todo.title}
    seen = set(tokenizer.vocab).union(*(state["ids"] for state in states))
    return {"ids": start, "states": states, "tokens": _tokens(tokenizer, seen - {BOUNDARY})}


def unused(*, tokenizer: str) -> Answer:
    """The learned tokens that the corpus of an artifact does not have."""
    loaded, counts = tokenizer_named(tokenizer), counts_of(tokenizer)
    if counts is None:
        return {"corpus": None}
    ids = [token_id for token_id in loaded.merges.values() if not counts.of(token_id)]
    shown = ids[:MAX_UNUSED]
    learned = len(loaded.merges)
    return {"corpus": counts.corpus, "ids": shown, "count": len(ids), "of": learned, "tokens": _tokens(loaded, shown)}


def lattice(*, text: str, corpus: str | None = None) -> Answer:
    """The lattice of a text and its best path, by the student's UnigramTokenizer.

    The vocabulary comes from the handout, or is learned from a text by the student's `em_step` and `removal_losses`. As
    long as these are not written, nothing but that: the page computes the lattice itself.
    """
    tokenizer = _students("UnigramTokenizer")(HANDOUT_SCORES)

    def learn_and_search() -> Answer:
        if corpus is None:
            return dict(_called(tokenizer.lattice_with_best_path, text))
        vocab_size = 1 + len(set("".join(tokenizer._words(corpus)))) + LEARNED_TOKENS
        with warnings.catch_warnings():
            # A short text has fewer tokens.
            warnings.simplefilter("ignore", VocabularyNotReached)
            _called(tokenizer.train, corpus, vocab_size)
        return dict(_called(tokenizer.lattice_with_best_path, "".join(tokenizer._words(text))))

    try:
        answer: Answer = _watched(learn_and_search)
    except Todo as todo:
        return {"todo": todo.title}
    answer["tokens"] = _formed("best_path", answer["tokens"], list)
    answer["loss"] = _formed("segmentation_loss", answer["loss"], _finite)
    return answer | {"vocabulary": tokenizer.vocab_size}


ANSWERS: dict[str, Callable[..., Answer]] = {
    "tokenizers": list_tokenizers,
    "encode": encode,
    "token": token,
    "rounds": rounds,
    "train": train,
    "unused": unused,
    "lattice": lattice,
}


def _training_state(ids: list[int], counts: Any, step: Any, new_id: int) -> Answer:
    # Sorting is stable: of equally frequent pairs, the one seen first stays first.
    pairs = _formed(
        "_get_pair_counts", counts, lambda counts: [(*map(int, pair), int(counts[pair])) for pair in counts]
    )
    # Sorting is stable: of equally frequent pairs, the one seen first stays first.
    ranked = sorted(pairs, key=lambda pair: pair[2], reverse=True)[:MAX_CANDIDATES]
    first = {pair: place for place, pair in reversed(list(enumerate(zip(ids, ids[1:]))))}
    shown = [(*pair, first.get(pair[:2], -1)) for pair in ranked]
    chosen = step and _formed("train_step", step, lambda step: (*map(int, step[1]), int(step[2]), new_id))
    return {"ids": ids, "candidates": shown, "pairs": len(pairs), "chosen": chosen}


def _tokens(tokenizer: Any, ids: Iterable[int]) -> dict[int, Answer]:
    found = {token_id: token_of(tokenizer, token_id) for token_id in ids}
    return {token_id: shown for token_id, shown in found.items() if shown is not None}


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


def _called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call student code. An error becomes a StudentFailure, whose text is the report of a failing test."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        raise
    except Exception:
        # A second time, recorded. Recording every call would be slow: it copies the vocabulary.
        return call(function, *args, **kwargs).value


def _formed(name: str, value: Any, form: Callable[[Any], Any]) -> Any:
    """What a method returned, in the form that its docstring says. Raises Problem if it has another one."""
    try:
        return form(value)
    except (TypeError, ValueError, AttributeError, LookupError):
        report = f"It returned {value!r:.200}"
        raise Problem(f"{name} does not return what its docstring says.", report) from None


def _ids(value: Any, name: str = "encode") -> list[int]:
    ids: list[int] = _formed(name, value, lambda ids: [token_id.__index__() for token_id in ids])
    return ids


def _finite(value: Any) -> float:
    if not math.isfinite(value):
        raise ValueError
    return float(value)


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
        return ANSWERS[question](**details)
    except Problem as problem:
        return {"problem": problem.shown()}
    except Exception as error:  # The files of a tokenizer are damaged, or the question is not one of the page's.
        return {"problem": {"title": "The lab cannot answer this.", "report": str(error)}}


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
