"""Put the page together: a folder that any static server can serve, and any path of a site.

    index.html, page.js, store.js, page.css    the page
    worker.js, pyodide/                        Python
    packages.zip, course.zip                   what it imports: the wheels; the course without key, bank and answers
    course.json                                modules and exercises, as the page shows them
    ace-builds/                                the editor
    lab.html                                   the lab, whose views ask the worker
    docs/                                      the handouts

The modules of the page are those whose suite and exercise file need the standard library alone.
"""

import ast
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from g2c.common.paths import REPOSITORY
from g2c.common.text import Corpus
from g2c.corpus.corpora import load_corpus, pydocs_topics
from g2c.course.exercises import LIST, Exercise, Module, modules
from g2c.course.release import exercise_file_of, list_of, outcomes_of, without_instructors
from g2c.engine.fast import train_fast
from g2c.formats.hf_format import to_hf_dict
from g2c.lab.pages import FOLDER as LAB
from g2c.lab.pages import page_of
from g2c.lab.tokenizers import table_of
from g2c.page.packages import npm_files, wheel_files
from g2c.tokenizer.base import BPEBase

_PAGE_FILES = Path(__file__).with_name("files")
PAGES = REPOSITORY / ".g2c" / "page"
_ROOMS_HERE = ("common", "course", "lab", "language_model", "page", "tokenizer")
"""The rooms of the course that run in the page, beside the packages of its modules."""
_NOT_HERE = ("commands", "notebooks", "setup")
NEEDS_INSTALLATION = ("numpy", "tokenizers", "g2c.engine", "g2c.formats", "g2c.corpus")
"""What only an installation has."""


def offered_modules() -> list[Module]:
    """The modules that run in the page, with those that they need."""
    offered: list[Module] = []
    for module in modules().values():
        imported = {name for file in (module.suite_file, module.exercise_file) for name in _imports(file)}
        is_here = not any(f"{name}.".startswith(f"{other}.") for name in imported for other in NEEDS_INSTALLATION)
        if is_here and {*module.needs} <= {one.id for one in offered}:
            offered.append(module)
    return offered


def _imports(file: Path) -> list[str]:
    """What a file imports at its top."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    names = [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
    return names + [node.module or "" for node in body if isinstance(node, ast.ImportFrom)]


def write_page(folder: Path, offered: list[Module] | None = None) -> None:
    """Write the page into a folder; files that are there are replaced.

    Args:
        folder: is made if it is missing.
        offered: the modules; by default all that run in the page.

    Raises:
        NoPackages: Pyodide, the editor or the wheels cannot be had here.
        CourseError: an exercise file has an answer in it, or there is no corpus to train on.
    """
    offered = offered or offered_modules()
    files = npm_files()
    # The packages of Pyodide's own distribution, which the page does not have.
    lock = json.loads(files["pyodide/pyodide-lock.json"])
    files["pyodide/pyodide-lock.json"] = json.dumps({**lock, "packages": {}}).encode()
    files["packages.zip"] = _zipped(dict(wheel_files()))
    files["course.zip"] = _zipped(course_files(offered))
    files["course.json"] = json.dumps(described(offered)).encode()
    files["lab.html"] = page_of({"page": True, "modules": [one.id for one in offered]}).encode()
    files |= {Path(page).with_suffix(".html").as_posix(): html for page, html in _handouts(offered).items()}
    figures = [path for path in (REPOSITORY / "docs" / "figures").rglob("*") if path.suffix in (".svg", ".png")]
    used = b"".join(content for path, content in files.items() if path.startswith("docs/"))
    for path in (path for path in figures if path.name.encode() in used):
        files[path.relative_to(REPOSITORY).as_posix()] = path.read_bytes()
    # As a module: the constant of show.js that it needs, and the functions that worker.js uses.
    script = (LAB / "tokenizer.js").read_bytes()
    exported = b"export { MERGE, mergeAll, mostFrequent, pairCounts, replacePair };"
    files["engine.js"] = b"const [BOUNDARY, HEX] = [-1, []];\n" + script + exported
    files |= {path.name: path.read_bytes() for path in (*_PAGE_FILES.iterdir(), LAB / "show.js")}
    # A browser may keep files from an earlier version of the page; those of this one have other addresses.
    version = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:12]
    files["index.html"] = files["index.html"].replace(b"VERSION", version.encode())
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _zipped(files: dict[str, bytes]) -> bytes:
    """The same files always give the same archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path), files[path], zipfile.ZIP_DEFLATED)
    return made.getvalue()


# --- the course -------------------------------------------------------------------------------------------------------


def course_files(offered: list[Module]) -> dict[str, bytes]:
    """Path -> content of the course's files, as in a release without answers."""
    paths = [REPOSITORY / "g2c" / "__init__.py", REPOSITORY / "pyproject.toml"]
    for room in sorted({*_ROOMS_HERE, *(module.package.split(".")[1] for module in offered)}):
        paths += [path for path in (REPOSITORY / "g2c" / room).rglob("*.py") if path.parent.name not in _NOT_HERE]
    for module in offered:
        paths += [module.suite_file, *(REPOSITORY / "mistakes" / module.id).glob("_describe.py")]
        paths += [REPOSITORY / module.handout, REPOSITORY / module.pitfalls]
    files = {path.relative_to(REPOSITORY).as_posix(): path.read_bytes() for path in dict.fromkeys(paths)}
    for module in modules().values():
        files.pop(module.exercise_path, None)
    files |= {module.exercise_path: exercise_file_of(module).encode() for module in offered}
    files[LIST.relative_to(REPOSITORY).as_posix()] = list_of(LIST.read_text(encoding="utf-8"), offered).encode()
    for module in offered:
        files |= _stored_outcomes(module)
    return files | _for_training()


def _stored_outcomes(module: Module) -> dict[str, bytes]:
    """Those of a module's wrong solutions. Testing them takes long, so they are kept for as long as nothing changes."""
    sources = [module.suite_file, module.key_file, module.exercise_file, LIST]
    sources += [*(REPOSITORY / "mistakes" / module.id).glob("*.py"), *(REPOSITORY / "g2c" / "course").rglob("*.py")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(sources))).hexdigest()
    kept = PAGES / f"{module.id}-{digest}.json"
    name = f"mistakes/{module.id}/outcomes.json"
    if not kept.is_file():
        PAGES.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(outcomes_of([module])[name])
    return {name: kept.read_bytes()}


def _for_training() -> dict[str, bytes]:
    """What the end of the way needs: the corpus, a small tokenizer for the lab, and a tokenizer.json to fill in."""
    small = BPEBase(["<|endoftext|>"], pattern="gpt2")
    train_fast(small, pydocs_topics()[:20], 1000, progress=False)
    untrained = to_hf_dict(BPEBase.with_course_special_tokens())
    return {
        "small.json": json.dumps(table_of(small)).encode(),
        "untrained.json": json.dumps(untrained).encode(),
        "corpus.txt": _corpus().text.encode(),
    }


def _corpus() -> Corpus:
    return load_corpus("tinyshakespeare", fallback="pydocs")


# --- what the page shows ----------------------------------------------------------------------------------------------


def described(offered: list[Module]) -> dict[str, Any]:
    """The content of course.json."""
    others = [module for module in modules().values() if module not in offered]
    return {
        "modules": [_module(module) for module in offered],
        "corpus": {"tinyshakespeare": "TinyShakespeare"}.get(_corpus().name, _corpus().name),
        "installed": [f"{module.id} {module.title}" for module in others],
    }


def _module(module: Module) -> dict[str, Any]:
    text = exercise_file_of(module)
    return {
        "id": module.id,
        "title": module.title,
        "file": module.exercise_path,
        "text": text,
        "needs": module.needs,
        "groups": module.groups,
        "handout": module.handout,
        "pitfalls": module.pitfalls,
        "exercises": [_exercise(exercise, text) for exercise in module.exercises],
    }


def _exercise(exercise: Exercise, text: str) -> dict[str, Any]:
    inside = ast.parse(text).body
    if exercise.class_name:
        inside = next(
            node.body for node in inside if isinstance(node, ast.ClassDef) and node.name == exercise.class_name
        )
    node = next(node for node in inside if isinstance(node, ast.FunctionDef) and node.name == exercise.name)
    signature = ast.unparse(node.args)
    return {
        "name": exercise.name,
        "qualified": exercise.qualified_name,
        "signature": f"{exercise.name}({signature})",
        "docstring": ast.get_docstring(node),
        "groups": exercise.groups,
        "hints": exercise.hints,
        "lesson": exercise.lesson,
        "given": exercise.given,
    }


def _handouts(offered: list[Module]) -> dict[str, bytes]:
    """Page of the repository -> its HTML."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    pages = {page for module in offered for page in (module.handout, module.pitfalls)}
    found = {}
    for page in sorted(pages):
        text = without_instructors((REPOSITORY / page).read_text(encoding="utf-8"))
        found[page] = markdown.render(text).encode()
    return found
