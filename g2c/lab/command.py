"""`g2c lab`: show the student's tokenizer at work on a page in the browser, or write the page as a file."""

import argparse
import asyncio
import contextlib
import webbrowser
from importlib import import_module
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.lab.pages import MODULES
from g2c.lab.server import Lab, start


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="the port to listen on (default: 8804, or the next one that is free)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument("--export", metavar="FOLDER", help="write the page as FOLDER/index.html, for a saved tokenizer")
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        default="ShakespeareTokenizer",
        help="with --export: shakespeare, story, g2c, another artifact, or a path to tokenizer.json",
    )


def run(arguments: argparse.Namespace) -> int:
    if not MODULES:
        raise CourseError(
            "The lab shows what you write in modules 04 and 04g, and this copy of the course has neither."
        )
    if arguments.export is not None:
        # Imported here because its compiled loops would delay the start of the server.
        path = import_module("g2c.lab.export").export(arguments.tokenizer, Path(arguments.export))
        print(f"Written: {path} ({path.stat().st_size:,} bytes). Open it in any browser; it needs no network.")
        return 0
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(_serve(arguments))
    return 0


async def _serve(arguments: argparse.Namespace) -> None:
    lab = Lab()
    server = await start(lab, arguments.port)
    print(f"The lab is at {lab.url}", flush=True)
    print("It shows what your code does, and notices when you save it. Ctrl-C ends it.", flush=True)
    if not arguments.no_browser:
        webbrowser.open(lab.url)
    try:
        await asyncio.Event().wait()
    finally:
        server.stop()
        lab.student.close()
