"""Knows the milestones, artifacts that a student makes with a finished module, and whose code made them.

Before a milestone is saved, `g2c.course.own_code` compares the code in use with the engine. The field train.code of
manifest.json records whose code it was.
"""

from collections.abc import Mapping
from typing import Any

from g2c.common.errors import CourseError
from g2c.course.exercises import Milestone, modules, modules_with_key
from g2c.formats.artifact import load_artifact
from g2c.tokenizer.base import BPEBase

BY_STUDENT, BY_KEY = "student", "answer key"
"""The values of train.code in manifest.json."""

BESIDE = "-answer-key"
"""Added to the name of an artifact if the answer key would replace a student's."""


def whose_code() -> str:
    """Return whose `BPETokenizer` is in use: `BY_STUDENT` or `BY_KEY`."""
    with_key = modules_with_key()
    uses_key = any("BPETokenizer" in module.public_names and module.id in with_key for module in modules().values())
    return BY_KEY if uses_key else BY_STUDENT


def artifact_to_write(name: str) -> str:
    """Return the name under which the code in use may save an artifact: with `BESIDE` if the answer key would replace
    an artifact that it is not known to have made."""
    if whose_code() == BY_STUDENT or not milestone_of(name):
        return name
    try:
        made_by = load_artifact(name, mmap=True, cls=BPEBase).manifest["train"].get("code")
    except CourseError:
        return name
    return name if made_by == BY_KEY else name + BESIDE


def milestone_of(artifact: str) -> Milestone | None:
    """Find the milestone with this artifact; None if there is none."""
    milestones = (module.milestone for module in modules().values())
    return next((milestone for milestone in milestones if milestone and milestone.artifact == artifact), None)


def origin(name: str, train: Mapping[str, Any]) -> str:
    """Return a clause that says whose code made an artifact; "" if it is no milestone and its manifest does not say.

    Args:
        name: the artifact's name.
        train: the part "train" of its manifest.json.

    >>> origin("ShakespeareTokenizer", {"code": "answer key"})
    'made with the answer key in use'
    """
    clauses = {BY_STUDENT: "checked against the student's own code", BY_KEY: "made with the answer key in use"}
    unknown = "made with code that its manifest does not name" if milestone_of(name) else ""
    return clauses.get(str(train.get("code")), unknown)
