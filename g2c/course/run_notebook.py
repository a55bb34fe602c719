"""Execute a notebook without a browser and print its progress cell by cell: what `noteboosh.sh --run` does.

    python -m g2c.course.run_notebook NOTEBOOK EXECUTED

NOTEBOOK is unchanged; the outputs of its cells go into the new notebook EXECUTED.
"""

import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import artifacts_folder
from g2c.course.notebooks import SECONDS_PER_CELL, read_notebook, run, write_notebook
from g2c.course.plain import reports_errors
from g2c.course.report_text import cut

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_FRAME = re.compile(r"^Cell In\[(\d+)\], line (\d+)", re.MULTILINE)
"""How IPython begins a frame of the traceback that is in a cell: the cell's number of execution, and the line."""


@reports_errors
def main(arguments: list[str]) -> int:
    path, executed = (Path(argument).absolute() for argument in arguments)
    started = time.time()
    key = os.environ.get(VARIABLE)
    whose_code = f"the answer key ({VARIABLE}={key})" if key else "your own code"
    print(f"Running {path.name} with {whose_code}.", flush=True)
    try:
        run_in_view(path, executed)
    except CourseError:
        # The line of the cell that failed has no end.
        print(flush=True)
        raise
    print_artifacts(since=started)
    print(f"The executed notebook: {executed}")
    print(f"{path.name} ran without an error in {time.time() - started:.0f} s.", flush=True)
    return 0


def run_in_view(path: Path, executed: Path) -> None:
    """Execute the notebook `path`, printing each cell's title and how long it takes.

    Args:
        path: the notebook.
        executed: where to write the executed notebook, up to the failing cell if one fails. Its folder is the working
            folder of the cells.

    Raises:
        CourseError: the file is not a notebook, or a cell failed. The message gives cell, line and error.
    """
    notebook = read_notebook(path)
    view = _View(notebook)
    executed.parent.mkdir(parents=True, exist_ok=True)
    try:
        run(
            notebook,
            folder=executed.parent,
            on_cell_start=view.shows_heading,
            on_cell_execute=view.begins,
            on_cell_executed=view.ends,
        )
    except CellTimeoutError:
        raise CourseError(f"{view.place} took longer than {SECONDS_PER_CELL} s and was stopped.") from None
    except CellExecutionError as error:
        line = _place_of_error(view.cell, notebook) if view.cell else ""
        # A report of several lines stays aligned on lines of its own.
        separator = "\n" if "\n" in str(error.evalue) else " "
        todo = re.fullmatch(r"TODO: (\w+)", str(error.evalue))
        following = f"\nNext:       write {todo[1]}; for a hint: g2c hint {todo[1]}" if todo else ""
        raise CourseError(f"{view.place} failed{line}\n{error.ename}:{separator}{error.evalue}{following}") from None
    except DeadKernelError:
        raise CourseError(f"{view.place}: the kernel died; most likely it ran out of memory.") from None
    finally:
        write_notebook(notebook, executed)


class _View:
    """Prints the progress: the headings of the text, and for each code cell `[3/20] its first line ... 1.2 s`."""

    def __init__(self, notebook: NotebookNode) -> None:
        self.code_cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        self.cell: NotebookNode | None = None
        self.place = "The notebook"

    def shows_heading(self, cell: NotebookNode, cell_index: int) -> None:
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            print(cell.source.splitlines()[0].lstrip("# "))

    def begins(self, cell: NotebookNode, cell_index: int) -> None:
        number = self.code_cells.index(cell_index) + 1
        self.cell = cell
        self.place = f"Code cell {number} of {len(self.code_cells)}"
        self.started = time.monotonic()
        print(f"  [{number}/{len(self.code_cells)}] {_title(cell)} ... ", end="", flush=True)

    def ends(self, cell: NotebookNode, cell_index: int, execute_reply: dict[str, Any]) -> None:
        print(f"{time.monotonic() - self.started:.1f} s", flush=True)


def _title(cell: NotebookNode) -> str:
    lines = [line.strip() for line in cell.source.splitlines() if line.strip() and not line.startswith("%")]
    title = lines[0] if lines else "(empty)"
    # The number of the cell and its time are on the same line.
    limit = shutil.get_terminal_size().columns - 24 if sys.stdout.isatty() else 70
    return cut(title, limit)


def _place_of_error(cell: NotebookNode, notebook: NotebookNode) -> str:
    """The innermost line of the notebook in the kernel's traceback, with its source; it may be in an earlier cell."""
    traceback: list[str] = next((output.traceback for output in cell.outputs if output.output_type == "error"), [])
    frames = _FRAME.findall(_ANSI.sub("", "\n".join(traceback)))
    if not frames:
        # A report in place of a traceback, as for a wrong answer.
        return f": {_title(cell)}"
    count, number = map(int, frames[-1])
    other = next((one for one in notebook.cells if one.get("execution_count") == count), cell)
    where = "" if other is cell else f" of code cell {count}"
    source = other.source.splitlines()[number - 1 : number]
    return f" at line {number}{where}: {''.join(source).strip()}"


def print_artifacts(since: float) -> None:
    """Print the artifact files written since the time `since` (seconds since the epoch), with folder and size."""
    for folder in sorted(path for path in artifacts_folder().glob("*") if path.is_dir()):
        files = sorted(path for path in folder.iterdir() if path.is_file() and path.stat().st_mtime >= since - 1)
        if files:
            print(f"Written to {folder}:")
        for file in files:
            print(f"    {file.name:24} {file.stat().st_size:>10,} bytes")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
