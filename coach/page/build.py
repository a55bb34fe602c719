"""Writes the course as a page in a folder that any static server can serve, at any path of a site: `g2c page FOLDER`.

    index.html, page.js, page.css, …    the page
    worker.js, pyodide/                 Python
    packages.zip, course.zip            what Python imports: the wheels; the course without key, bank and answers
    course.json                         modules and exercises, as the page shows them
    ace-builds/                         the editor
    docs/                               the handouts
    course.js, shims.js, …              what the course adds, by the hook `page_files`

A module runs in the page if its suite and its exercise file need only the standard library.
"""

import argparse
import ast
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Collection
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from shlex import quote
from typing import Any

from markdown_it import MarkdownIt

from coach.common.course_file import COURSE_FILE, PROGRAM, course_file, hook
from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.paths import REPOSITORY
from coach.diagnosis.table import FILE
from coach.exercises import BANK, Exercise, Module, course_packages, modules
from coach.page.packages import npm_files, wheel_files
from coach.release import exercise_file_of, without_instructors
from coach.source import functions

_PAGE_FILES = Path(__file__).with_name("files")
_NOT_HERE = ("commands", "grading", "setup")
"""Rooms of coach that do not run in the page."""
_SETTINGS: dict[str, Any] = course_file().get("page", {})
_FOR_PYTHON = "course/"
"""Where the hook `page_files` puts files of the worker's Python."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where to write it; files that are there are replaced")


def run(arguments: argparse.Namespace) -> int:
    offered = offered_modules()
    if not offered:
        raise CourseError("No page: each module needs a library.")
    write_page(arguments.folder, offered)
    names = ", ".join(module.id for module in offered)
    print(f"Wrote {arguments.folder}, with module {names}. To try it:")
    print(f"    python -m http.server --directory {quote(str(arguments.folder))}")
    return 0


def offered_modules() -> list[Module]:
    """Return the modules that run in a page."""
    offered: list[Module] = []
    for module in modules().values():
        imported = {name for file in (module.suite_file, module.exercise_file) for name in _imports(file)}
        installed = _SETTINGS.get("only_installed", ())
        is_here = not any(f"{name}.".startswith(f"{other}.") for name in imported for other in installed)
        if is_here and {*module.needs} <= {one.id for one in offered}:
            offered.append(module)
    return offered


def _imports(file: Path) -> list[str]:
    """Return the names of the modules that a file imports at its top."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    names = [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
    return names + [node.module or "" for node in body if isinstance(node, ast.ImportFrom)]


def write_page(folder: Path, offered: list[Module]) -> None:
    """Write the page into a folder; files that are there are replaced.

    Args:
        folder: created if it is missing.
        offered: the modules, from `offered_modules`.

    Raises:
        PackageError: Pyodide, the editor or the wheels cannot be fetched on this machine.
        CourseError: an exercise file contains an answer.
    """
    course = course_files(offered)  # First, because it refuses an answer.
    find_added = hook("page_files")
    added: dict[str, bytes] = find_added() if find_added else {}
    course |= {path[len(_FOR_PYTHON) :]: added.pop(path) for path in [*added] if path.startswith(_FOR_PYTHON)}
    pages = handouts(offered)
    pictures = {f"docs/{path}" for html in pages.values() for path in re.findall(r'="(figures/[^"]+)"', html)}
    files = {
        **npm_files(),
        "packages.zip": _zipped(dict(wheel_files())),
        "course.zip": _zipped(course),
        "course.json": json.dumps(described(offered)).encode(),
        **{Path(page).with_suffix(".html").as_posix(): html.encode() for page, html in pages.items()},
        **{picture: (REPOSITORY / picture).read_bytes() for picture in pictures},
        **{path.name: path.read_bytes() for path in (*_PAGE_FILES.iterdir(), REPOSITORY / "coach/common/elements.js")},
        **added,
    }
    # The lock file lists packages of Pyodide's distribution, which the page lacks.
    lock = json.loads(files["pyodide/pyodide-lock.json"])
    files["pyodide/pyodide-lock.json"] = json.dumps({**lock, "packages": {}}).encode()
    # A browser may keep files of an earlier version of the page, so this one's have other addresses.
    version = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:12].encode()
    texts = {b"VERSION": version, b"PROGRAM": PROGRAM.encode(), b"SUBTITLE": _SETTINGS.get("subtitle", "").encode()}
    files["index.html"] = re.sub(b"|".join(texts), lambda mark: texts[mark[0]], files["index.html"])
    for name in [name for name in files if re.fullmatch(r"\w+\.js", name)]:
        files[name] = re.sub(rb'(?<="\./)(\w+\.js)(?=")', rb"\1?v=" + version, files[name])
    for name, content in files.items():
        write_file(folder / name, [content])


def _zipped(files: dict[str, bytes]) -> bytes:
    """Make a zip archive. The same files always give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_DEFLATED)
    return made.getvalue()


# --- the course -------------------------------------------------------------------------------------------------------


def list_of(text: str, module_ids: Collection[str]) -> str:
    """Return the text of course.toml with only these modules, which all count."""
    head, *entries = text.split("[[module]]")
    kept = [entry for entry in entries if any(f'\nid = "{module_id}"\n' in entry for module_id in module_ids)]
    return "[[module]]".join([re.sub(r"^modules = \[[^]]*\]", "", head, flags=re.MULTILINE), *kept])


def course_files(offered: list[Module]) -> dict[str, bytes]:
    """Return path -> content of the course's files, as in a release without answers."""
    paths = [REPOSITORY / "pyproject.toml", *(REPOSITORY / package / "__init__.py" for package in course_packages())]
    paths += [path for path in (REPOSITORY / "coach").rglob("*.*") if path.parent.name not in _NOT_HERE]
    for name in [*_SETTINGS.get("files", ()), *(module.package.replace(".", "/") for module in offered)]:
        paths += [REPOSITORY / name, *(REPOSITORY / name).rglob("*.*")]
    paths = [path for path in paths if path.suffix in (".py", ".toml")]
    for module in offered:
        paths += [module.suite_file, REPOSITORY / module.handout, REPOSITORY / module.pitfalls]
        paths += [path for name in ("_describe.py", FILE) if (path := BANK / module.id / name).is_file()]
    files = {path.relative_to(REPOSITORY).as_posix(): path.read_bytes() for path in dict.fromkeys(paths)}
    for module in modules().values():
        files.pop(module.exercise_path, None)
    files |= {module.exercise_path: exercise_file_of(module).encode() for module in offered}
    module_ids = [module.id for module in offered]
    files[COURSE_FILE.name] = list_of(COURSE_FILE.read_text(encoding="utf-8"), module_ids).encode()
    return files


# --- what the page shows ----------------------------------------------------------------------------------------------


def described(offered: list[Module]) -> dict[str, Any]:
    """Return the content of course.json."""
    return {
        "program": PROGRAM,
        "modules": [*map(_module, offered)],
        "installed": [f"{module.id} {module.title}" for module in modules().values() if module not in offered],
    }


def _module(module: Module) -> dict[str, Any]:
    text, handout = exercise_file_of(module), (REPOSITORY / module.handout).read_text(encoding="utf-8")
    shown = {name: getattr(module, name) for name in ("id", "title", "groups", "handout", "pitfalls")}
    shown |= {"milestone": asdict(module.milestone) if module.milestone else {}}
    exercises = [_exercise(exercise, text, handout) for exercise in module.exercises]
    return {**shown, "file": module.exercise_path, "text": text, "exercises": exercises}


def _exercise(exercise: Exercise, text: str, handout: str) -> dict[str, Any]:
    node = functions(ast.parse(text))[exercise.qualified_name]
    # A row of a table in the handout says what to read before.
    row = re.search(rf"^\| `{exercise.name}\(.*", handout, re.MULTILINE)
    links = re.findall(r"\[([^]]+)\]\((#[^)]+)\)", row[0] if row else "")
    return {
        **{name: getattr(exercise, name) for name in ("name", "groups", "hints", "lesson")},
        "qualified": exercise.qualified_name,
        "signature": f"{exercise.name}({ast.unparse(node.args)})",
        "docstring": ast.get_docstring(node),
        "reading": [(title, f"{exercise.module.handout}{anchor}") for title, anchor in links],
    }


_HANDOUT = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>The handout</title>
<link rel="stylesheet" href="../page.css">
<article>
{}</article>
"""


def handouts(offered: list[Module]) -> dict[str, str]:
    """Return page of the repository -> its HTML, for the handouts of modules and their pages on mistakes."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    names = {name for module in offered for name in (module.handout, module.pitfalls)}

    def linked(link: re.Match[str]) -> str:
        page, section = link.groups()
        if f"docs/{page}" in names or not page:
            return f'<a href="{page.replace(".md", ".html")}{section}">'
        return f'<a href="{page}{section}" target="_blank">' if page.startswith("http") else "<a>"

    made = {}
    for name in sorted(names):
        tokens = markdown.parse(without_instructors((REPOSITORY / name).read_text(encoding="utf-8")))
        for token, inner in pairwise(tokens):
            if token.type == "heading_open":
                # The anchor that GitHub gives it.
                title = "".join(child.content for child in inner.children or ())
                token.attrSet("id", re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-"))
        html = markdown.renderer.render(tokens, markdown.options, {})
        made[name] = _HANDOUT.format(re.sub(r'<a href="([^"#]*)([^"]*)">', linked, html))
    return made
