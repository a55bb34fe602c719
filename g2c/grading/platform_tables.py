"""Tables that learning platforms import: the points, under the IDs that their own downloads have.

The columns are those that the importers require:

moodle      the grading worksheet: mod/assign/feedback/offline/importgradeslib.php in Moodle's source
canvas      the gradebook's export, which is also its import format
gradescope  the columns of its own export of grades, for joining by SID or email
"""

from collections.abc import Iterable

from g2c.grading.marks import Grade
from g2c.grading.spreadsheets import write_csv
from g2c.grading.submissions import Submission

MOODLE = ("Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
GRADESCOPE = ("Name", "SID", "Email", "Total Score", "Max Points", "Status")


def platform_tables(marked: Iterable[tuple[Grade, Submission]], title: str) -> dict[str, str]:
    """File name -> CSV, for each platform that a submission comes from. A group's points go to each member.

    Args:
        marked: each student's grade and submission.
        title: the column of the points in Canvas, the name of the assignment.
    """
    rows: dict[str, list[list[object]]] = {}
    for grade, submission in marked:
        points, possible = round(float(grade.score), 2), round(float(grade.possible), 2)
        late = "Late" if submission.is_late else "Graded"
        for person in submission.people:
            rows.setdefault(submission.platform, []).append(
                {
                    "moodle": [f"Participant {person.student_id}", person.name, person.email, points, possible, "-"],
                    "canvas": [person.name, person.student_id, "", person.email, "", points],
                    "gradescope": [person.name, person.student_id, person.email, points, possible, late],
                }.get(submission.platform, [])
            )
    headers = {"moodle": MOODLE, "canvas": (*CANVAS, title), "gradescope": GRADESCOPE}
    return {
        f"{platform}.csv": write_csv([headers[platform], *rows[platform]]) for platform in headers if platform in rows
    }
