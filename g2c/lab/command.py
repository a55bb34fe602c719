"""`g2c lab`: a page on which the student's tokenizer works, or the same page as a file."""

import argparse
import asyncio
import contextlib
import webbrowser
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.files import write_file
from g2c.common.paths import artifacts_folder
from g2c.corpus.named_tokenizers import artifact_name
from g2c.formats.tokenizer_json import load
from g2c.lab.pages import export_page
from g2c.lab.server import Lab, start
from g2c.lab.tokenizers import counts_of, names
from g2c.tokenizer.base import BPEBase

DEFAULT = "ShakespeareTokenizer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="the port to listen on (default: 8804, or the next one that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--export", metavar="FOLDER", help="write the page as FOLDER/index.html, for a saved tokenizer")
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        default=DEFAULT,
        help="with --export: shakespeare, story, g2c, another artifact, or a path to tokenizer.json",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.export is not None:
        path = export(arguments.tokenizer, Path(arguments.export))
        print(f"Written: {path} ({path.stat().st_size:,} bytes). Open it in any browser; it needs no network.")
        return 0
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments.port, browser=not arguments.no_browser))
    return 0


def export(name: str, folder: Path) -> Path:
    """Write the page for a saved tokenizer as index.html in a folder, which is made if it is missing.

    Args:
        name: the name of an artifact, or the path of a tokenizer.json.
        folder: where to write.

    Returns:
        the path of the page.

    Raises:
        CourseError: there is no such tokenizer, the page cannot split text as it does, or the disk is full.
    """
    saved = artifact_name(name)
    path = Path(name) if Path(name).exists() else artifacts_folder() / saved
    tokenizer = load(path, BPEBase)
    counts = counts_of(saved) if saved in names() and not Path(name).exists() else None
    try:
        page = export_page(path.parent.name if path.is_file() else path.name, tokenizer, counts)
    except ValueError as error:
        raise CourseError(str(error)) from None
    write_file(folder / "index.html", [page.encode()])
    return folder / "index.html"


async def _serve(port: int | None, *, browser: bool) -> None:
    lab = Lab()
    server = await start(lab, port)
    print(f"The lab is at {lab.url()}", flush=True)
    print("It shows what your code does, and notices when you save it. Ctrl-C ends it.", flush=True)
    if browser:
        webbrowser.open(lab.url())
    try:
        await lab.watch()
    finally:
        server.stop()
