"""Makes exercise notebooks from solution notebooks, and runs both.

The solution notebook is the source. An answer in a code cell becomes a TODO; docs/instructors.md shows its marks. A
text cell tagged `answer` becomes a place for the student's own words. One tagged `folded`, a model answer or an
explanation, is hidden until it is clicked. In a code cell tagged `prediction`, values become `...`. A cell tagged
`solution-only` is left out. In an exercise whose heading says "(optional)", a cell that fails does not end a run of all
cells.

    python -m coach.notebooks              write the exercise notebooks
    python -m coach.notebooks --execute    run the solution notebooks first and store their outputs
"""

import argparse
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from coach.common.answer_key import VARIABLE
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.paths import display_path
from coach.exercises import chosen_modules, modules
from coach.plain import print_line, reports_errors

ANSWER = re.compile(
    r"^(?P<indent> *)### BEGIN ANSWER (?P<name>\w+)\n(?P<code>(?:(?!.*### ).*\n)*) *### END ANSWER$",
    re.MULTILINE,
)
TODO = """\
{indent}# TODO: your code here, in place of the next line.
{indent}raise NotImplementedError("TODO: {name}")"""
PLACE_FOR_WORDS = "*Your answer (double-click to write):*"
PREDICTED = re.compile(r'^( +".*?": ).*?,(  #.*)?$', re.MULTILINE)
"""An entry of a prediction: its name, the value, and a comment on possible values."""
WITHOUT_COURSE = """\
# Says what to run where the course is not installed.
try:
    import coach.notebook_answers
except ModuleNotFoundError as error:
    __import__("sys").modules.pop("coach", None)
    raise SystemExit(
        f"{error}: this notebook's kernel lacks the course.\\n\\n"
        "On your own computer, open the notebook with ./noteboosh.sh and the module's number. Elsewhere, such as on\\n"
        "Colab, run these lines in a new cell, with the course's address, and then this cell again:\\n\\n"
        "    !git clone ADDRESS NAME\\n    %cd NAME\\n    %pip install -q -e .[course]\\n\\n"
        "docs/elsewhere.md, a file of the clone, has more ways."
    ) from None""".replace("NAME", PROGRAM)
"""The first code cell of an exercise notebook, whose source is hidden."""
MODEL_ANSWER = """\
<details>
<summary>{summary}</summary>

{answer}

</details>"""

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SECONDS_PER_CELL = 600

# nbformat has type annotations in some modules and none in others.
_nbformat: Any = nbformat
_v4: Any = nbformat.v4


# --- from solution to exercise ----------------------------------------------------------------------------------------


def exercise_from_solution(solution: NotebookNode) -> NotebookNode:
    """Make the exercise notebook of a solution notebook: no outputs, and no answers but folded ones.

    Links to files of the course are changed for the folder above. CourseError: the marks of an answer do not match.
    """
    cells: list[NotebookNode] = []
    is_optional = False
    for cell in solution.cells:
        tags = cell.metadata.get("tags", [])
        if "solution-only" in tags:
            continue
        if cell.cell_type == "code":
            source = without_answers(cell.source, where=cell.id)
            if "prediction" in tags:
                source, found = PREDICTED.subn(r"\1...,\2", source)
                if not found:
                    raise CourseError(f"Cell {cell.id}: write each entry of the prediction on a line, with a comma.")
            if all(before.cell_type != "code" for before in cells):
                hidden = {"jupyter": {"source_hidden": True}}
                cells.append(_v4.new_code_cell(WITHOUT_COURSE, id="course", metadata=hidden))
            metadata = {"tags": ["raises-exception"]} if is_optional else {}
            cells.append(_v4.new_code_cell(source, id=cell.id, metadata=metadata))
            continue
        if cell.source.startswith("## "):
            is_optional = "(optional)" in cell.source.partition("\n")[0]
        if "answer" in tags or "folded" not in tags:
            source = PLACE_FOR_WORDS if "answer" in tags else cell.source.replace("](../../", "](../")
            cells.append(_v4.new_markdown_cell(source, id=cell.id))
        if "folded" in tags:
            summary = "A model answer, to compare with yours once it is written" if "answer" in tags else "Why"
            model = MODEL_ANSWER.format(summary=summary, answer=cell.source.removeprefix("*Answer.* "))
            cells.append(_v4.new_markdown_cell(model, id=f"{cell.id}-model"))
    return _new_notebook(cells)


def without_answers(source: str, *, where: str) -> str:
    """Replace each answer in the source of a cell with a TODO. CourseError: the marks do not match."""
    exercise = ANSWER.sub(lambda answer: TODO.format(**answer.groupdict()), source)
    if mark := re.search(r"###.*ANSWER.*", exercise):
        raise CourseError(
            f"Cell {where}: {mark[0]!r} is not a mark of an answer, or its other mark is missing. An answer is between "
            "### BEGIN ANSWER name and ### END ANSWER, each on a line of its own."
        )
    return exercise


# --- running ----------------------------------------------------------------------------------------------------------


def run(
    notebook: NotebookNode, *, folder: Path, environment: Mapping[str, str] | None = None, **further: Any
) -> NotebookNode:
    """Execute all cells in a new kernel, started in `folder`, store their outputs in the notebook, and return it.

    `environment` has the kernel's variables, by default those of this process; `further` are options of nbclient's
    NotebookClient. nbclient's CellExecutionError: a cell raised an error.
    """
    from nbclient import NotebookClient

    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
        # A kernel that is stopped in another way prints errors of its own.
        shutdown_kernel="immediate",
        **further,
    )
    try:
        return client.execute(env=dict(os.environ if environment is None else environment))
    except BaseException:
        # At Ctrl-C, nbclient stops the kernel, and then fails with one of several errors.
        if hasattr(client, "_async_cleanup_kernel_future"):
            raise KeyboardInterrupt from None
        raise


# --- files ------------------------------------------------------------------------------------------------------------


def read_notebook(path: Path) -> NotebookNode:
    try:
        notebook: NotebookNode = _nbformat.read(path, as_version=4)
        return notebook
    except Exception as error:
        raise CourseError(f"{path.name} is not a valid notebook: {error}") from None


def _new_notebook(cells: list[NotebookNode]) -> NotebookNode:
    notebook: NotebookNode = _v4.new_notebook(cells=cells, metadata=NOTEBOOK_METADATA)
    return notebook


def notebook_text(notebook: NotebookNode) -> str:
    return str(_nbformat.writes(notebook, version=4)) + "\n"


def write_notebook(notebook: NotebookNode, path: Path) -> None:
    nbformat.validate(notebook)
    write_file(path, [notebook_text(notebook).encode("utf-8")])


@reports_errors
def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m coach.notebooks", description="Make the exercise notebooks from the solution notebooks."
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="module IDs, such as 04; default: all")
    parser.add_argument(
        "--execute", action="store_true", help="run the solution notebooks first, and keep their outputs"
    )
    options = parser.parse_args(arguments)
    for module in chosen_modules(options.modules or modules()):
        path = module.solution_file
        if options.execute:
            print_line(f"Running {display_path(path)} …")
            environment = {**os.environ, VARIABLE: module.keys}
            notebook = run(read_notebook(path), folder=path.parent, environment=environment)
            notebook.metadata = _nbformat.from_dict(NOTEBOOK_METADATA)
            write_notebook(notebook, path)
        write_notebook(exercise_from_solution(read_notebook(path)), module.notebook_file)
        print_line(f"Wrote {module.notebook}")
    return 0
