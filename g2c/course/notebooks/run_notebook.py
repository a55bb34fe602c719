"""Executes a notebook without a browser, with its progress cell by cell, for `noteboosh.sh --run`.

    python -m g2c.course.notebooks.run_notebook NOTEBOOK EXECUTED

NOTEBOOK does not change; EXECUTED becomes a copy with the outputs of its cells.
"""

import os
import re
import sys
import time
from pathlib import Path

from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import artifacts_folder
from g2c.course.exercises import modules
from g2c.course.notebooks.make import SECONDS_PER_CELL, read_cells, run, write_notebook
from g2c.course.plain import print_line, reports_errors, width_of
from g2c.course.testing.report import cut


@reports_errors
def main(arguments: list[str]) -> int:
    path, executed = (Path(argument).absolute() for argument in arguments)
    started = time.time()
    key = os.environ.get(VARIABLE)
    print_line(f"Running {path.name} with {f'the answer key ({VARIABLE}={key})' if key else 'your own code'}.")
    failed = run_in_view(path, executed)
    print_artifacts(since=started)
    print_line(f"The executed notebook: {executed}")
    how = f"to its end, but {failed} cells of optional exercises failed," if failed else "without an error"
    print_line(f"{path.name} ran {how} in {time.time() - started:.0f} s.")
    return 0


def run_in_view(path: Path, executed: Path) -> int:
    """Execute a notebook in the folder of `executed`, print a line for each code cell, and write it with its outputs.

    Returns how many cells of optional exercises failed. CourseError: another cell failed; the message names it.
    """
    notebook = read_cells(path)
    code_cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    place, title = "The notebook", ""

    def show(cell: NotebookNode, cell_index: int) -> None:
        nonlocal place, title
        number = f"{code_cells.index(cell_index) + 1}/{len(code_cells)}"
        place, title = f"Code cell {number.replace('/', ' of ')}", _title(cell)
        print_line(f"  [{number}] {title}")

    executed.parent.mkdir(parents=True, exist_ok=True)
    try:
        run(notebook, folder=executed.parent, on_cell_execute=show)
    except CellTimeoutError:
        raise CourseError(f"{place} took longer than {SECONDS_PER_CELL} s and was stopped.") from None
    except CellExecutionError as error:
        # The lines of a report stay aligned below each other.
        separator = "\n" if "\n" in str(error.evalue) else " "
        todo = re.fullmatch(r"TODO: (\w+)", str(error.evalue))
        hint = f"g2c hint {_name_for_hint(path, todo[1])}" if todo else ""
        following = f"\nNext:       write {todo[1]}; for a hint: {hint}" if todo else ""
        raise CourseError(f"{place} failed: {title}\n{error.ename}:{separator}{error.evalue}{following}") from None
    except DeadKernelError:
        raise CourseError(f"{place}: the kernel died; most likely it ran out of memory.") from None
    finally:
        write_notebook(notebook, executed)
    return sum(output.output_type == "error" for index in code_cells for output in notebook.cells[index].outputs)


def _name_for_hint(path: Path, todo: str) -> str:
    """Return the name for `g2c hint` of a TODO in a notebook: with its class if several exercises have the name."""
    own = [module for module in modules().values() if module.notebook_file.name == path.name]
    needed = [modules()[module_id] for module in own for module_id in module.needs]
    exercises = (exercise for module in own + needed for exercise in module.exercises)
    return next((exercise.short_name for exercise in exercises if exercise.name == todo), todo)


def _title(cell: NotebookNode) -> str:
    lines = (line.strip() for line in cell.source.splitlines() if line.strip() and not line.startswith("%"))
    # The cell's number takes the rest of the line.
    return cut(next(lines, "(empty)"), (width_of(sys.stdout) or 94) - 24)


def print_artifacts(since: float) -> None:
    """Print the artifact files that were written since a time, with folder and size."""
    for folder in sorted(artifacts_folder().glob("*/")):
        files = sorted(path for path in folder.iterdir() if path.is_file() and path.stat().st_mtime >= since - 1)
        lines = [f"    {file.name:24} {file.stat().st_size:>10,} bytes" for file in files]
        for line in [f"Written to {folder}:", *lines] if lines else []:
            print(line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
