"""Says whose code made a milestone, the artifact that a student makes with a finished module.

The engine trains it, which computes what right code computes, once the module's suite passes (own_code.py). The field
train.code of manifest.json records whose code passed it.
"""

import json
from collections.abc import Mapping
from typing import Any

from coach.common.errors import CourseError
from coach.common.paths import artifacts_folder
from coach.exercises import Milestone, Module, modules, modules_with_key

BY_STUDENT, BY_KEY = "student", "answer key"
"""The values of train.code in manifest.json."""

BESIDE = "-answer-key"
"""Added to the name of an artifact if the answer key would replace a student's."""


def _modules_with(artifact: str) -> list[Module]:
    return [one for one in modules().values() if one.milestone and one.milestone.artifact == artifact]


def module_of(artifact: str) -> Module:
    """Return the module whose milestone is this artifact. CourseError: it is no milestone."""
    found = _modules_with(artifact)
    if not found:
        names = [one.milestone.artifact for one in modules().values() if one.milestone and one.milestone.artifact]
        raise CourseError(f"There is no milestone {artifact}; there is {', '.join(names)}.")
    return found[0]


def milestone_of(artifact: str) -> Milestone | None:
    """Find the milestone with this artifact; None if there is none."""
    return next((module.milestone for module in _modules_with(artifact)), None)


def whose_code(artifact: str) -> str:
    """Return whose code is in use for the module with this milestone: `BY_STUDENT` or `BY_KEY`."""
    return BY_KEY if {module.id for module in _modules_with(artifact)} & modules_with_key() else BY_STUDENT


def made_by(artifact: str) -> str | None:
    """Return train.code of a saved artifact: "" if its manifest does not say; None if there is no such artifact."""
    try:
        manifest = json.loads((artifacts_folder() / artifact / "manifest.json").read_text(encoding="utf-8"))
        return str(manifest["train"].get("code") or "")
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def is_reached(milestone: Milestone) -> bool:
    return made_by(milestone.artifact) == whose_code(milestone.artifact)


def artifact_to_write(name: str) -> str:
    """Return the name under which the code in use may save an artifact: with `BESIDE` if the answer key would replace
    an artifact that it is not known to have made."""
    return name + BESIDE if whose_code(name) == BY_KEY and made_by(name) not in (None, BY_KEY) else name


def origin(name: str, train: Mapping[str, Any]) -> str:
    """Return a clause that says whose code made an artifact; "" if it is no milestone and its manifest does not say.

    `train` is the part "train" of its manifest.json.

    >>> origin("ShakespeareTokenizer", {"code": "answer key"})
    'made with the answer key in use'
    """
    clauses = {
        BY_STUDENT: "made once the exercises had passed their tests",
        BY_KEY: "made with the answer key in use",
    }
    unknown = "made with code that its manifest does not name" if milestone_of(name) else ""
    return clauses.get(str(train.get("code")), unknown)
