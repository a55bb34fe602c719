"""Take the pictures of `g2c watch` and of a notebook that README shows, from the programs themselves.

    python docs/figures/screens.py

It needs the group `check`. The terminal, which is that of the tests, is an emulated one of 80 columns and 40 rows, in a
copy of the course whose first exercise has a common mistake. The notebook is the solution of module 04, exported as a
page; `chromium` draws it. After a change of either, run this again and look at the pictures.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path

import pyte
from nbconvert import HTMLExporter
from nbformat.v4 import new_notebook
from PIL import Image, ImageChops
from rich.console import Console
from rich.padding import Padding
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
from rich.text import Text

from coach.notebooks.make import read_notebook

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "screens"
COLUMNS, ROWS = 80, 40
TODO = '        raise NotImplementedError("TODO: _get_pair_counts")\n'
MISTAKE = """\
        counts = {}
        for i in range(len(ids)):
            pair = (ids[i], ids[(i + 1) % len(ids)])
            counts[pair] = counts.get(pair, 0) + 1
        return counts
"""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{terminal_width}" height="{terminal_height}"
 viewBox="0 0 {terminal_width} {terminal_height}">
<style>.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; white-space: pre }} {styles}</style>
<defs>{lines}</defs>
<rect width="{terminal_width}" height="{terminal_height}" rx="8" fill="BACKGROUND" stroke="#808080"/>
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g>
</svg>
"""
CELL = "trace(small"
"""What the cell contains that the picture of the notebook shows, with the text above it."""


def watch_screen(folder: Path) -> pyte.Screen:
    """The screen of `g2c watch` in a copy of the course, once it waits for a change."""
    sys.path.append(str(REPOSITORY / "tests" / "course"))
    from support.terminals import Terminal

    names = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    for name in names.stdout.splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, folder / name)
    exercise = folder / "g2c" / "tokenizer" / "bpe.py"
    exercise.write_text(exercise.read_text(encoding="utf-8").replace(TODO, MISTAKE), encoding="utf-8")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("G2C_")}
    command = [sys.executable, "-m", "g2c", "watch"]
    terminal = Terminal(command, folder, variables | {"PYTHONPATH": str(folder)}, ROWS, COLUMNS)
    terminal.wait_for(r"next: fix (.*\n)*.*q quit$")
    terminal.close()
    return terminal.screen


def styled(screen: pyte.Screen) -> Text:
    """The rows of a screen as far down as they are used, with their colors."""
    rows = [Text() for _ in range(ROWS)]
    for number, row in enumerate(rows):
        cells = (screen.buffer[number][column] for column in range(COLUMNS))
        for (color, bold, reverse), run in groupby(cells, key=lambda cell: (cell.fg, cell.bold, cell.reverse)):
            color = None if color == "default" else color.replace("brown", "yellow")
            row.append("".join(cell.data for cell in run), Style(color=color, bold=bold, reverse=reverse))
        row.rstrip()
    while rows and not rows[-1].plain:
        rows.pop()
    return Text("\n").join(rows)


def draw_watch(text: Text, path: Path, theme, background: str) -> None:
    console = Console(record=True, width=COLUMNS + 4, file=io.StringIO(), force_terminal=True)
    console.print(Padding(text, (1, 2)))
    template = SVG.replace("BACKGROUND", background)
    drawing = console.export_svg(theme=theme, code_format=template, unique_id="watch")
    path.write_text(drawing, encoding="utf-8")


def draw_notebook(path: Path, folder: Path, theme: str) -> None:
    """A part of the notebook as JupyterLab's own style shows it."""
    notebook = read_notebook(REPOSITORY / "notebooks" / "solutions" / "04-tokenizer.ipynb")
    place = next(place for place, cell in enumerate(notebook.cells) if CELL in cell.source)
    cells = notebook.cells[place - 1 : place + 1]
    part = new_notebook(cells=cells, metadata=notebook.metadata)
    page, _ = HTMLExporter(template_name="lab", theme=theme).from_notebook_node(part)
    # Offline, and with the slider moved: what a student sees after some steps.
    page = page.replace("slider.value = 0", "slider.value = 4")
    source, shot = folder / f"{theme}.html", folder / f"{theme}.png"
    source.write_text(page, encoding="utf-8")
    size = ["--window-size=860,1200", "--hide-scrollbars", f"--screenshot={shot}", "--virtual-time-budget=3000"]
    subprocess.run(["chromium", "--headless", "--no-sandbox", *size, source.as_uri()], check=True, capture_output=True)
    with Image.open(shot) as picture:
        colors = picture.convert("RGB")
        empty = Image.new("RGB", picture.size, colors.getpixel((0, 0)))
        bottom = ImageChops.difference(colors, empty).getbbox()[3]
        colors.crop((0, 0, picture.width, bottom + 24)).quantize(64).save(path, optimize=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        text = styled(watch_screen(Path(temporary) / "course"))
        draw_watch(text, FOLDER / "watch.svg", DEFAULT_TERMINAL_THEME, "#ffffff")
        draw_watch(text, FOLDER / "watch-dark.svg", SVG_EXPORT_THEME, "#0d1117")
        draw_notebook(FOLDER / "notebook.png", Path(temporary), "light")
        draw_notebook(FOLDER / "notebook-dark.png", Path(temporary), "dark")
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.relative_to(REPOSITORY)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
