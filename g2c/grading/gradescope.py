"""The commands that Gradescope's scripts run.

python -m g2c.grading.gradescope SOURCE                         setup.sh: find what each test is worth
python -m g2c.grading.gradescope SOURCE SUBMISSION RESULTS      run_autograder: grade one, write results.json
"""

import json
import sys
import traceback
from pathlib import Path

from g2c.common.files import write_file
from g2c.grading.autograders import SETTINGS
from g2c.grading.reports import results
from g2c.grading.runs import RunStore
from g2c.grading.session import Session
from g2c.grading.submissions import one_submission


def session(source: Path) -> Session:
    """A session with the settings and hidden tests in `source`, where it keeps what each test is worth."""
    settings = json.loads((source / SETTINGS).read_text(encoding="utf-8"))
    points = settings["notebook_points"]
    return Session(
        settings["modules"],
        hidden=source / "hidden" if settings["hidden"] else None,
        private=[source],
        jobs=1,
        notebooks=settings["modules"] if points else [],
        notebook_points=points,
        store=RunStore(source),
    )


def main(source: str, submission: str = "", target: str = "") -> int:
    if not submission:
        with session(Path(source)):
            return 0
    try:
        with session(Path(source)) as opened:
            found, code = results(opened.grade(one_submission(Path(submission)))), 0
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
