"""What the source of a submission tells the instructor: what is worth a look, and what is compared with other students.

The student's process reads the source (sources.py), and the test runner writes what it found as a record.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from g2c.course.exercises import Module
from g2c.grading.sources import Function, read_exercise_file
from g2c.grading.suspicions import suspicions


@dataclass(frozen=True)
class Source:
    """What a file says. Nothing where it is not valid Python."""

    suspicions: tuple[str, ...] = ()
    """Sentences about code that is worth an instructor's look."""
    functions: Mapping[str, Function] = field(default_factory=dict)
    """The exercises' functions that are written, by qualified name, as they are compared with those of others."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Qualified name -> the lines of code in a function, without signature, docstring, comments and empty lines."""
    problem: str = ""
    """Why the file was not read, as the end of a sentence; "" where it was."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Source":
        return cls(
            tuple(record.get("suspicions", ())),
            {name: Function(*fields) for name, fields in record.get("functions", {}).items()},
            {name: tuple(lines) for name, lines in record.get("lines", {}).items()},
            record.get("problem", ""),
        )


def record_of_exercise_file(module: Module, found: Mapping[str, Any]) -> dict[str, Any]:
    """A record for a module's exercise file.

    Args:
        module: the module.
        found: what `read_exercise_file` returned, or {"problem": why it was not read}.
    """
    names = {exercise.qualified_name for exercise in module.exercises}
    return {
        "source": module.file,
        "suspicions": suspicions(f"{module.file}.py", found.get("uses", ())),
        "functions": {name: fields for name, fields in found.get("functions", {}).items() if name in names},
        "lines": found.get("lines", {}),
        "problem": found.get("problem", ""),
    }


def source_of(module: Module, content: bytes) -> Source:
    """What one of the course's own files for a module says. It is read here and without limits."""
    return Source.from_record(record_of_exercise_file(module, read_exercise_file(content)))
