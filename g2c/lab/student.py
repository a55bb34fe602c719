"""Runs the student's code for the lab, under the limits of the tests. Needs only the standard library.

A question is a function with its details as arguments. The page itself computes everything that follows from a
tokenizer's table, so an answer contains what the student's code returns. A student's error, a TODO or an endless loop
becomes {"problem": {"title": …, "report": …}}, with "todo": true for a TODO.

A new question needs a function here, a line in `QUESTIONS` of process.py, and an `ask` in page/source.js.
"""

import math
import sys
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from importlib import import_module
from numbers import Integral
from typing import Any

from g2c.course.exercise_file import problem_of
from g2c.course.exercises import modules
from g2c.course.teaching import call, under_limits
from g2c.course.testing.comparison import show
from g2c.course.testing.limits import Limits, OverLimit
from g2c.course.testing.observation import StudentFailure
from g2c.course.testing.student_code import first_todo
from g2c.lab.pages import HANDOUT_SCORES
from g2c.tokenizer.base import BOUNDARY, BPEBase

LAB_LIMITS = replace(Limits(), seconds=2.0)
"""The limits of the tests, but shorter, because somebody is waiting in front of the page."""

NEXT_SHOWN = 15
"""How many tokens the Predict view lists."""

Json = dict[str, Any]


class Problem(Exception):
    """Says why a question has no answer; the page shows the title and the report.

    `todo` is True if the question needs an exercise that is not written yet.
    """

    def __init__(self, title: str, report: str = "", *, todo: bool = False) -> None:
        super().__init__(title)
        self.shown = {"title": title, "report": report, "todo": todo}


# --- the questions ----------------------------------------------------------------------------------------------------


def encode(tokenizer: BPEBase, texts: list[str]) -> Json:
    """Encode texts with the student's `encode` and the merges of a tokenizer."""
    own = _students_own(tokenizer)
    return {"ids": _watched(lambda: [_formed("encode", _called(own.encode, text), _integers) for text in texts])}


def train(*, text: str, steps: int, pattern: str | None = None) -> Json:
    """Train on a text, step by step, with the student's `_get_pair_counts` and `train_step`.

    Returns:
        states: the IDs and the size of `vocab` before each step, and then the results of the two methods:
            counts: (left, right, count) in the order of the student's dictionary
            chosen: the pair that `train_step` returned, in the same form; None if it returned None or was not called
            stored: its entries in `merges` for this pair and in `vocab` for the new ID, and the size of both
            changed: the methods that changed the list of IDs that they were given
            stopped: the problem that ended the training
    """
    tokenizer = _students("BPETokenizer")(pattern=pattern)
    states: list[Json] = []

    def observed(name: str, form: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        given = list(states[-1]["ids"])
        value = call(getattr(tokenizer, name), given, *args, **kwargs).value
        if given != states[-1]["ids"]:
            states[-1]["changed"].append(name)
        return _formed(name, value, form)

    def step_by_step() -> None:
        ids = tokenizer._training_ids(text)
        for new_id in range(256, 257 + steps):
            states.append({"ids": ids, "size": len(tokenizer.vocab), "chosen": None, "changed": []})
            states[-1]["counts"] = observed("_get_pair_counts", _counts, barrier_ids={BOUNDARY})
            step = observed("train_step", _step, new_id) if new_id < 256 + steps else None
            if step is None:
                return
            states[-1]["stored"] = _stored(tokenizer, step[1][:2], new_id)
            ids, states[-1]["chosen"] = step

    try:
        _watched(step_by_step)
    except Problem as problem:
        if problem.shown["todo"] or not states:
            raise
        states[-1]["stopped"] = problem.shown
    return {"states": states}


def lattice(*, text: str) -> Json:
    """Find the best path through the lattice of a text, and its loss, with the student's UnigramTokenizer."""
    tokenizer = _students("UnigramTokenizer")(HANDOUT_SCORES)

    def search() -> Json:
        tokens = _formed("best_path", _called(tokenizer.best_path, text), _listed)
        known = {*tokenizer.scores, tokenizer.unk_token}
        # For any other token it must raise an error, which would hide that best_path is wrong.
        has_loss = all(isinstance(token, str) and token in known for token in tokens)
        loss = _called(tokenizer.segmentation_loss, tokens) if has_loss else 0
        return {"tokens": tokens, "loss": _formed("segmentation_loss", loss, _finite)}

    answer: Json = _watched(search)
    return answer


_models: dict[tuple[str, int], Any] = {}
"""(name of the tokenizer, n) -> the trained model, until an exercise file is saved."""


def forget() -> None:
    """Forget the models of a file that has changed."""
    _models.clear()


def predict(name: str, tokenizer: BPEBase, corpus: list[int], ids: list[int], n: int) -> Json:
    """List the tokens that the student's `NGramModel`, trained on a corpus, finds most probable after some tokens.

    Returns:
        next: (token ID, probability), the most probable first
        total: the sum of the probabilities of all tokens
    """
    if (name, n) not in _models:
        model = _students("NGramModel").for_tokenizer(tokenizer, n)
        _watched(lambda: _called(model.train, corpus), replace(LAB_LIMITS, seconds=20.0))
        _models.clear()  # Each takes a hundred megabytes.
        _models[name, n] = model
    model = _models[name, n]
    values = _watched(lambda: _called(model.distribution, model.context_of(ids)))
    probabilities = _formed("probability", values, lambda found: [_finite(one) for one in found])
    best = sorted(range(len(probabilities)), key=lambda token_id: -probabilities[token_id])[:NEXT_SHOWN]
    return {"next": [(token_id, probabilities[token_id]) for token_id in best], "total": math.fsum(probabilities)}


# --- running student code ---------------------------------------------------------------------------------------------


def _students(name: str) -> Any:
    """Return one of the student's classes. Problem: its file cannot be imported."""
    module = next(module for module in modules().values() if name in module.public_names)
    try:
        return getattr(import_module(module.package), name)
    except (SyntaxError, ImportError, NameError, AttributeError) as error:
        report = str(problem_of(module) or f"{type(error).__name__}: {error}")
        raise Problem(f"{module.exercise_path} cannot be imported.", report) from None


def _students_own(tokenizer: BPEBase) -> Any:
    """Copy a tokenizer, with the student's methods, and with tables that these may change."""
    own = copy(tokenizer)
    own.__class__ = _students("BPETokenizer")
    own.merges, own.vocab = dict(own.merges), dict(own.vocab)
    return own


def _called(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call student code. Any error but a TODO becomes a StudentFailure, with the report of a failing test."""
    try:
        return function(*args, **kwargs)
    except NotImplementedError:
        raise
    except Exception:
        # Called again to record it. Recording every call would be slow, because it copies the vocabulary.
        return call(function, *args, **kwargs).value


def _formed(name: str, value: Any, form: Callable[[Any], Any]) -> Any:
    """Return a method's result in the form that its docstring promises. Problem: the result has another form."""
    try:
        return form(value)
    except (TypeError, ValueError, AttributeError, LookupError):
        raise Problem(f"{name} does not return what its docstring says.", f"It returned {show(value, 200)}") from None


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _integers(ids: Any) -> list[int]:
    return [token_id.__index__() for token_id in _listed(ids)]


def _counts(counts: Any) -> list[tuple[int, int, int]]:
    return [(left.__index__(), right.__index__(), counts[left, right].__index__()) for left, right in counts]


def _step(step: Any) -> tuple[list[int], tuple[int, ...]] | None:
    if step is None:
        return None
    ids, pair, count = step
    left, right = pair
    if not isinstance(step, tuple) or not isinstance(pair, tuple):
        raise TypeError
    return _integers(ids), tuple(number.__index__() for number in (left, right, count))


def _stored(tokenizer: Any, pair: tuple[int, ...], new_id: int) -> Json:
    """Return a step's entries in `merges` and `vocab`, as Python writes them, and the token's bytes in hexadecimal."""
    merges, vocab = tokenizer.merges, tokenizer.vocab
    if not isinstance(merges, dict) or not isinstance(vocab, dict):
        tables = f"merges is {show(merges, 60)}\nvocab is {show(vocab, 60)}"
        raise Problem("train_step has replaced merges or vocab with something other than a dictionary.", tables)
    merge, token = merges.get(pair), vocab.get(new_id)
    return {
        "merge": str(int(merge)) if isinstance(merge, Integral) else show(merge, 60) if pair in merges else "nothing",
        "bytes": token.hex() if isinstance(token, bytes) else None,
        "token": show(token, 60) if new_id in vocab else "nothing",
        "merges": len(merges),
        "vocab": len(vocab),
    }


def _finite(value: Any) -> float:
    if not math.isfinite(value):
        raise ValueError
    return float(value)


def _watched(run: Callable[[], Any], limits: Limits = LAB_LIMITS) -> Any:
    """Call a function that calls student code, under the limits of a test. Problem: anything that goes wrong."""
    try:
        return under_limits(run, limits=limits, crash_report=sys.stderr)
    except NotImplementedError as error:
        raise Problem(f"{first_todo(error)}.", todo=True) from None
    except StudentFailure as failure:
        over = failure.observation.error
        title = f"{over.function} was stopped." if isinstance(over, OverLimit) else "Your code raised an error."
        raise Problem(title, str(failure)) from None


def answered(questions: Mapping[str, Callable[..., Json]], question: str, details: Json) -> Json:
    """Answer one of these questions, or return {"problem": …}."""
    try:
        return questions[question](**details)
    except Problem as problem:
        return {"problem": problem.shown}
    except Exception as error:  # A tokenizer's files are damaged, or the page has no such question.
        return {"problem": {"title": "The lab cannot answer this.", "report": str(error)}}
