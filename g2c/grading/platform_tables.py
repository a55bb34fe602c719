"""Tables that learning platforms import: the points, under the IDs that their own downloads have.

moodle      The grading worksheet of an assignment. Its importer needs three of these columns, under these names: the
            identifier, the grade and the date of the last change. https://github.com/moodle/moodle,
            mod/assign/feedback/offline/importgradeslib.php
canvas      The gradebook. Its importer needs "Student", "ID" and "Section" in these places; a column after them is an
            assignment, found by its title or else created. https://github.com/instructure/canvas-lms,
            lib/gradebook_importer.rb
gradescope  For joining, by SID or email, with its own export of an assignment's grades. That has these columns, among
            others, and the status "Graded" for a submission with points. Gradescope's source is not public; the source
            is headers of such exports in programs that read them. It takes an autograder's points from results.json.
"""

from collections.abc import Iterable

from g2c.grading.marks import Grade
from g2c.grading.spreadsheets import write_csv
from g2c.grading.submissions import Submission

MOODLE = ("Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
GRADESCOPE = ("Name", "SID", "Email", "Total Score", "Max Points", "Status", "Submission Time")


def platform_tables(marked: Iterable[tuple[Grade, Submission]], title: str) -> dict[str, str]:
    """File name -> CSV, for each platform that a submission comes from. A group's points go to each member.

    Args:
        marked: each student's grade and submission.
        title: the column of the points in Canvas, the name of the assignment.
    """
    rows: dict[str, list[list[object]]] = {}
    for grade, submission in marked:
        points, possible = round(float(grade.score), 2), round(float(grade.possible), 2)
        for person in submission.people:
            rows.setdefault(submission.platform, []).append(
                {
                    "moodle": [f"Participant {person.student_id}", person.name, person.email, points, possible, "-"],
                    "canvas": [person.name, person.student_id, "", "", "", points],
                    "gradescope": [
                        person.name,
                        person.student_id,
                        person.email,
                        points,
                        possible,
                        "Graded",
                        submission.submitted_at,
                    ],
                }.get(submission.platform, [])
            )
    headers = {"moodle": MOODLE, "canvas": (*CANVAS, title), "gradescope": GRADESCOPE}
    return {
        f"{platform}.csv": write_csv([headers[platform], *rows[platform]]) for platform in headers if platform in rows
    }
