"""`g2c lab`: a page on which the student's tokenizer works, or the same page as a file."""

import argparse
import asyncio
import contextlib
import webbrowser
from importlib import import_module
from pathlib import Path

from g2c.lab.server import Lab, start

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
        # Imported when it is needed: its compiled loops would delay the start of the server.
        path = import_module("g2c.lab.export").export(arguments.tokenizer, Path(arguments.export))
        print(f"Written: {path} ({path.stat().st_size:,} bytes). Open it in any browser; it needs no network.")
        return 0
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments.port, browser=not arguments.no_browser))
    return 0


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
