"""The command that `run_autograder` runs: grade one submission and write Gradescope's results.json.

python -m g2c.grading.gradescope SOURCE SUBMISSION RESULTS
"""

import json
import sys
import traceback
from pathlib import Path
from typing import Any

from g2c.common.files import write_file
from g2c.grading.autograders import SETTINGS
from g2c.grading.reports import results
from g2c.grading.session import Session
from g2c.grading.submissions import one_submission


def grade(source: Path, submission: Path) -> dict[str, Any]:
    """The results of one submission, with the settings and hidden tests in `source`."""
    settings = json.loads((source / SETTINGS).read_text(encoding="utf-8"))
    hidden = source / "hidden" if settings["hidden"] else None
    module_ids, points = settings["modules"], settings["notebook_points"]
    notebooks = module_ids if points else []
    with Session(
        module_ids, hidden=hidden, private=[submission], jobs=1, notebooks=notebooks, notebook_points=points
    ) as session:
        return results(session.grade(one_submission(submission)))


def main(source: str, submission: str, target: str) -> int:
    try:
        found, code = grade(Path(source), Path(submission)), 0
    except Exception:
        # The student gets one sentence; the traceback is in the instructor's log.
        traceback.print_exc()
        found, code = (
            {"score": 0, "output": "This submission could not be graded. Tell your instructor.", "tests": []},
            1,
        )
    write_file(Path(target), [json.dumps(found, indent=2, ensure_ascii=False).encode("utf-8", errors="replace")])
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
