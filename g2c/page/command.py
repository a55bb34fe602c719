"""`g2c page`: write the course as a page that runs in a browser."""

import argparse
from pathlib import Path

from g2c.course.commands.release import module_list
from g2c.course.exercises import chosen_modules
from g2c.page.build import offered_modules, write_page


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where to write it; files that are there are replaced")
    parser.add_argument(
        "--modules",
        metavar="LIST",
        type=module_list,
        help="module IDs, such as 04,04a; by default all that a page can run",
    )


def run(arguments: argparse.Namespace) -> int:
    offered = offered_modules()
    if arguments.modules:
        chosen = chosen_modules(arguments.modules)
        offered = [module for module in offered if module in chosen]
    print("Testing the wrong solutions of the mistake bank takes minutes the first time …", flush=True)
    write_page(arguments.folder, offered)
    size = sum(path.stat().st_size for path in arguments.folder.rglob("*") if path.is_file())
    names = ", ".join(module.id for module in offered)
    print(f"Wrote {arguments.folder} ({size / 1e6:.1f} MB), with module {names}. To try it:")
    print(f"    python -m http.server --directory {arguments.folder}")
    return 0
