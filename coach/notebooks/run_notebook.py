"""Executes a notebook without a browser, for `noteboosh.sh --run`.

    python -m coach.notebooks.run_notebook NOTEBOOK EXECUTED

NOTEBOOK does not change; EXECUTED becomes a copy with the outputs of its cells.
"""

import os
import sys
import time
from pathlib import Path

from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from coach.common.answer_key import VARIABLE
from coach.common.errors import CourseError
from coach.common.paths import artifacts_folder
from coach.notebooks.make import SECONDS_PER_CELL, read_notebook, run, write_notebook
from coach.plain import print_line, reports_errors


@reports_errors
def main(arguments: list[str]) -> int:
    path, executed = (Path(argument).absolute() for argument in arguments)
    started, key = time.time(), os.environ.get(VARIABLE)
    print_line(f"Running {path.name} with {f'the answer key ({VARIABLE}={key})' if key else 'your own code'}.")
    failed = run_copy(path, executed)
    for file in sorted(artifacts_folder().glob("*/*")):
        if file.is_file() and file.stat().st_mtime >= started - 1:
            print(f"Written: {file} ({file.stat().st_size:,} bytes)")
    print_line(f"The executed notebook: {executed}")
    how = f"to its end, but {failed} cells of optional exercises failed," if failed else "without an error"
    print_line(f"{path.name} ran {how} in {time.time() - started:.0f} s.")
    return 0


def run_copy(path: Path, executed: Path) -> int:
    """Execute a notebook in the folder of `executed`, and write it there with its outputs.

    Returns how many cells of optional exercises failed. CourseError: another cell failed; the message names it.
    """
    notebook = read_notebook(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    place = "The notebook"

    def note(cell: NotebookNode, cell_index: int) -> None:
        nonlocal place
        place = f"Code cell {cells.index(cell) + 1} of {len(cells)}"

    executed.parent.mkdir(parents=True, exist_ok=True)
    try:
        run(notebook, folder=executed.parent, on_cell_execute=note)
    except CellTimeoutError:
        raise CourseError(f"{place} took longer than {SECONDS_PER_CELL} s and was stopped.") from None
    except CellExecutionError as error:
        raise CourseError(f"{place} failed:\n{error.ename}: {error.evalue}") from None
    except DeadKernelError:
        raise CourseError(f"{place}: the kernel died; most likely it ran out of memory.") from None
    finally:
        write_notebook(notebook, executed)
    return sum(output.output_type == "error" for cell in cells for output in cell.outputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
