"""The commands that the workflow of GitHub Classroom runs.

    python -m g2c.grading.classroom grade [--notebook-points N] SUBMISSION RESULTS MODULE...
    python -m g2c.grading.classroom points RESULTS MODULE EXERCISE

The first grades and writes the points of every exercise to a file, and of every notebook. The second prints those of
one exercise or notebook as a step output, `result=…`, in the format that GitHub Classroom's reporter adds up: base64 of
JSON.
"""

import argparse
import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.grading.reports import rounded
from g2c.grading.session import Session
from g2c.grading.submissions import one_submission


def grade(*arguments: str) -> int:
    parser = argparse.ArgumentParser("grade")
    parser.add_argument("--notebook-points", type=int, default=0)
    parser.add_argument("submission", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("modules", nargs="+")
    asked = parser.parse_args(arguments)
    notebooks = asked.modules if asked.notebook_points else []
    with Session(asked.modules, jobs=1, notebooks=notebooks, notebook_points=asked.notebook_points) as session:
        found = session.grade(one_submission(asked.submission))
    rows = []
    for (module_id, title), (points, possible) in found.by_title().items():
        groups = [mark for mark in found.groups if (mark.group.module_id, mark.group.title) == (module_id, title)]
        messages = [f"{node}\n{message}" for mark in groups for node, message in mark.failures[:1]]
        rows.append(
            {
                "module": module_id,
                "title": title,
                "points": rounded(points),
                "possible": rounded(possible),
                "message": "\n\n".join(messages)[:2000],
            }
        )
        print(f"{module_id} {title}: {rounded(points):g} of {rounded(possible):g} points")
    print("\n".join(found.notes))
    asked.target.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return 0


def points(source: str, module_id: str, title: str) -> int:
    rows = json.loads(Path(source).read_text(encoding="utf-8"))
    row = next(row for row in rows if (row["module"], row["title"]) == (module_id, title))
    status = "pass" if row["points"] == row["possible"] else "fail"
    test = {"name": f"{module_id} {title}", "status": status, "score": row["points"], "message": row["message"]}
    report = {"version": 1, "status": status, "max_score": row["possible"], "tests": [test]}
    print(f"result={base64.b64encode(json.dumps(report).encode()).decode()}")
    return 0


if __name__ == "__main__":
    commands: dict[str, Callable[..., int]] = {"grade": grade, "points": points}
    try:
        sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
    except CourseError as error:
        sys.exit(f"g2c: {error}")
