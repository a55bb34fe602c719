"""Mutants of the answer key that are made alike for every exercise: each wraps the exercise's function in one fault."""

import inspect
from collections.abc import Iterator

from coach.exercises import Exercise, all_exercises

WITHOUT_STATE = ("_get_pair_counts", "_merge", "pair_scores", "_split", "_join", "count_continuations")
"""Methods whose results depend on their arguments alone; in this respect no result of theirs can be out of date."""

LEARNS = ("train_step", "learn_merge", "learn_piece", "build_vocab")
"""Methods that change their object."""

FAULTS = {
    "a result remembered by lengths": """
    known = vars(owner).setdefault("_known", {}) if owner is not None else kept
    key = repr([len(value) if hasattr(value, "__len__") else value for value in (*values, *options.values())])
    if key not in known:
        known[key] = function(*arguments, **options)
    return deepcopy(known[key])
""",
    "a result remembered although the object has changed": """
    known = vars(owner).setdefault("_known", {})
    key = repr((values, options))
    if key not in known:
        known[key] = function(*arguments, **options)
    return deepcopy(known[key])
""",
    "the caller's list changed": """
    result = deepcopy(function(*arguments, **options))
    for value in values:
        if isinstance(value, list):
            (value[0] if value and isinstance(value[0], list) else value)[1:] = []
        elif isinstance(value, dict) and value:
            value.pop(next(iter(value)))
    return result
""",
    "an earlier option stays": """
    bound = signature(function).bind(*arguments, **options)
    for name, default in DEFAULTS.items():
        value = bound.arguments.get(name, default)
        if value == default and name in kept:
            bound.arguments[name] = kept[name]
        elif value != default:
            kept[name] = value
    return function(*bound.args, **bound.kwargs)
""",
    "the call leaves something in the object": """
    result = deepcopy(function(*arguments, **options))
    for table in (value for name, value in vars(owner).items() if isinstance(value, dict) and value):
        table.pop(next(reversed(table)))
    return result
""",
}

IGNORED = """
    bound = signature(function).bind(*arguments, **options)
    bound.arguments.pop({name!r}, None)
    return function(*bound.args, **bound.kwargs)
"""

WRAPPED = """

from copy import deepcopy
from inspect import signature


def _with_fault(function, kept={{}}):
    def wrong(*arguments, **options):
        owner, values = {owner}
{body}
    wrong.__name__, wrong.__qualname__ = function.__name__, function.__qualname__
    return wrong


DEFAULTS = {defaults}
{name} = _with_fault({name})
"""


def mutants() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each mutant's name, "04 merge: the caller's list changed", and the fields of a `Mutant`."""
    for exercise in all_exercises():
        # One test makes the calls that show the other faults for each exercise.
        faults = {kind: (body, "-k independent") for kind, body in FAULTS.items() if _can_show(exercise, kind)}
        faults |= {f"{name} ignored": (IGNORED.format(name=name), "") for name in _defaults(exercise)}
        for kind, (body, chosen) in faults.items():
            text = exercise.module.key_file.read_text(encoding="utf-8")
            owner = "arguments[0], arguments[1:]" if exercise.class_name else "None, arguments"
            indented = body.strip("\n").replace("\n", "\n    ")
            added = WRAPPED.format(
                owner=owner, body=f"    {indented}", defaults=_defaults(exercise), name=exercise.qualified_name
            )
            groups = " ".join([chosen, *(f"{exercise.module.suite}::{each}" for each in exercise.groups)])
            path = exercise.module.key_import_name.replace(".", "/") + ".py"
            fields = {"kind": kind, "file": path, "old": text, "new": text + added, "caught_by": groups}
            yield f"{exercise.module_id}:{exercise.name}: {kind}", fields


def _defaults(exercise: Exercise) -> dict[str, object]:
    parameters = inspect.signature(eval(f"lambda {exercise.parameters}: 0")).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def _can_show(exercise: Exercise, kind: str) -> bool:
    names = [name for name in exercise.parameters.split(", ") if name not in ("", "self")]
    return {
        "a result remembered by lengths": True,
        "a result remembered although the object has changed": bool(exercise.class_name)
        and exercise.name not in WITHOUT_STATE,
        "the caller's list changed": exercise.name != "apply_merge" and not {"text", "word", "token_id"} & set(names),
        "an earlier option stays": bool(_defaults(exercise)),
        "the call leaves something in the object": bool(exercise.class_name) and exercise.name not in LEARNS,
    }[kind] and bool(names)
