"""`g2c release`: write the repository that students clone, from the files that are committed here.

It leaves out the files for instructors (`FOR_INSTRUCTORS`), the files of other modules except for exercise files that
the chosen ones need, and, for a release without answers, `WITH_ANSWERS`. It rewrites

    g2c/course/exercises.toml    to list only the chosen modules
    g2c/*.py                     without the lines that name exercise files that are left out
    *.md, notebooks/*.ipynb      without the part between <!-- instructors --> and <!-- end -->, and without rows, items
                                 and sentences on other modules. If module 04 is not chosen, also without the part
                                 between <!-- with 04 --> and <!-- end -->, and with the one in <!-- without 04 … -->
    notebooks/*.ipynb            without model answers, for a release without answers
    notebooks/checks/*.py        without the wrong variants of answers, for a release without answers

It adds .github/workflows/tests.yml, which runs the suites on every push.
"""

import argparse
import ast
import json
import os
import posixpath
import re
import shlex
import subprocess
import textwrap
import tomllib
from collections.abc import Collection, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import check_not_current, replacing_folder
from g2c.common.packages import COURSE_GROUP
from g2c.common.paths import REPOSITORY, display_path
from g2c.course.exercises import LIST, Module, chosen_modules, modules

FOR_INSTRUCTORS = (
    ".ci/*",
    ".github/*",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/*",
    "check.sh",
    "docs/*.py",
    "docs/grading.md",
    "docs/instructors.md",
    "docs/mkdocs.yml",
    "docs/teaching/*",
    "docs/website.css",
    "g2c/course/release.py",
    "g2c/grading/*",
    "g2c/page/*",
    "scripts/machines.sh",
    "scripts/programs.sh",
    "tests/course/*",
)
"""Left out of every release: the files that mark, prove, build and extend the course."""

TESTS_WORKFLOW = ".ci/students-tests.yml"
"""The workflow of a release. Here it lies where GitHub does not run it."""

TOKENIZER = "g2c.tokenizer"
"""The package that every release has, because other rooms build on it."""
LAB = ("g2c/lab/page*", "g2c/lab/process.py", "g2c/lab/server.py", "g2c/lab/student.py", "g2c/lab/tokenizers.py")
"""The lab without figures and traces for notebooks. It shows module 04, and 05 and 04g, which need 04."""

SUBWORDS, SUBWORD_MODULES = "g2c/formats/subword_json.py", ("04f", "04g")
"""The only given file that imports exercise files other than module 04's. No module but theirs needs it."""

WITH_ANSWERS = ("g2c/solutions/*", "mistakes/*/[!_]*.py", "notebooks/solutions/*")
"""Left out of a release without answers. A wrong solution of the bank differs from the key by a line or two."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where to write it: a folder that does not exist yet")
    help_text = "module IDs, such as 04,04a; by default all"
    parser.add_argument("--modules", metavar="LIST", type=module_list, default=list(modules()), help=help_text)
    help_text = (
        "leave out the answer key, solution notebooks, model answers and the code of the mistake bank; reports name "
        "the same mistakes"
    )
    parser.add_argument("--no-solutions", action="store_true", help=help_text)
    parser.epilog = "docs/instructors.md says what a release contains."


def module_list(text: str) -> list[str]:
    """Read module IDs that are separated by commas; an option's argument ends at a space, so none may follow."""
    if text.rstrip().endswith(","):
        raise CourseError(f"--modules {text} ends with a comma. Write module IDs without spaces: --modules 04,04a.")
    return [name.strip() for name in text.split(",") if name.strip()]


def run(arguments: argparse.Namespace) -> int:
    folder = Path(os.path.abspath(arguments.folder))
    count = write_release(folder, arguments.modules, answers=not arguments.no_solutions)
    several = "s" if len(arguments.modules) > 1 else ""
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(f"Wrote {count} files ({megabytes:.1f} MB) to {folder}, with module{several} {', '.join(arguments.modules)}.")
    print(f"In a clone, the first run installs packages into .venv: {environment_bytes() / 1e6:.0f} MB.")
    print(f"To publish it:\n\n    cd {shlex.quote(str(folder))}")
    print(f"    git init && git add --all && git commit -m 'Module {arguments.modules[0]}'")
    return 0


def write_release(folder: Path, module_ids: Collection[str], *, answers: bool) -> int:
    """Write the course for students, as it is committed, into a new or empty folder. Returns the number of files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{folder} already exists and is not empty. Name a new folder or an empty one.")
    check_not_current(folder)
    files = files_for_students(module_ids, answers=answers)
    with replacing_folder(folder) as whole:
        for path, content in files.items():
            (whole / path).parent.mkdir(parents=True, exist_ok=True)
            (whole / path).write_bytes(content)
            if path.endswith(".sh"):
                (whole / path).chmod(0o755)
    return len(files)


def environment_bytes() -> int:
    """Return the size of the packages that students install, with their dependencies, as they are installed here."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted, files = [*project["dependencies"], *project["optional-dependencies"][COURSE_GROUP]], set[Path]()
    for requirement in wanted:  # The list grows meanwhile.
        with suppress(PackageNotFoundError):  # Some packages are for other systems.
            package = distribution(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
            here = {str(file.locate()) for file in package.files or ()}
            files |= {Path(path) for path in [*here, *map(cache_from_source, here)]}
            wanted += [each for each in package.requires or () if "extra ==" not in each and each not in wanted]
    return sum(file.stat().st_size for file in files if file.is_file())


def files_for_students(module_ids: Collection[str], *, answers: bool) -> dict[str, bytes]:
    """Return path -> content of a release's files."""
    chosen = chosen_modules(module_ids)
    for module in chosen:
        for needed in [each for each in module.needs if each not in module_ids]:
            raise CourseError(f"Module {module.id} needs module {needed}: release both.")
    patterns = _left_out(chosen, answers)
    files = {path: content for path, content in _committed() if not _matches(path, patterns)}
    files |= {module.exercise_path: exercise_file_of(module).encode() for module in chosen}
    files = {path: _for_students(path, content, chosen, answers, files) for path, content in files.items()}
    pages = b"".join(content for path, content in files.items() if path.endswith((".md", ".ipynb")))
    for path in [path for path in files if path.startswith("docs/figures/") and not path.endswith(".md")]:
        if posixpath.basename(path).encode() not in pages:
            del files[path]
    return files | {".github/workflows/tests.yml": (REPOSITORY / TESTS_WORKFLOW).read_bytes()}


def exercise_file_of(module: Module) -> str:
    """Return an exercise file as it is handed out. Raises CourseError if there is an answer in it."""
    text = module.exercise_file.read_text(encoding="utf-8")
    for exercise in module.exercises:
        if f'NotImplementedError("TODO: {exercise.name}")' not in text:
            raise CourseError(f"{module.exercise_path} contains an answer: it lacks the TODO of {exercise.name}.")
    return text


# --- the files --------------------------------------------------------------------------------------------------------


def _committed() -> Iterator[tuple[str, bytes]]:
    if _git("status", "--porcelain", "--untracked-files=no"):
        raise CourseError(
            "Some files have uncommitted changes, and a release contains only what is committed. Commit them first."
        )
    for name in _git("ls-files", "-z").split("\0")[:-1]:
        yield name, (REPOSITORY / name).read_bytes()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise CourseError(f"A release is made from a clone with git: {done.stderr.strip()}")
    return done.stdout


def is_for_instructors(path: str) -> bool:
    """Tell whether no release contains the file, given as a path in the repository."""
    return _matches(path, FOR_INSTRUCTORS)


def _left_out(chosen: list[Module], answers: bool) -> list[str]:
    """Return patterns of the files that the release lacks."""
    patterns = [*FOR_INSTRUCTORS, *(() if answers else WITH_ANSWERS)]
    for module in [module for module in modules().values() if module not in chosen]:
        own = (module.key_file, module.suite_file, module.notebook_file, module.solution_file, module.checks_file)
        patterns += [f"mistakes/{module.id}/*", module.handout, module.pitfalls, *map(display_path, own)]
    lost = _without_file(chosen)
    patterns += [module.exercise_path for module in lost]
    patterns += [SUBWORDS] if any(module.id in SUBWORD_MODULES for module in lost) else []
    for package in {module.package for module in lost} - {module.package for module in chosen} - {TOKENIZER}:
        # The command generate needs the model that is written there.
        patterns += [f"{package.replace('.', '/')}/*", "g2c/course/commands/generate.py"]
    return patterns if modules()["04"] in chosen else [*patterns, "docs/lab.md", *LAB]


def _without_file(chosen: list[Module]) -> list[Module]:
    """Return the modules whose exercise file the release lacks. Most files name module 04's `BPETokenizer`."""
    given = {"04", *(SUBWORD_MODULES if any(module.id in SUBWORD_MODULES for module in chosen) else ())}
    return [module for module in modules().values() if module not in chosen and module.id not in given]


def _matches(path: str, patterns: Collection[str]) -> bool:
    return any(fnmatch(path, pattern) for pattern in patterns)


def _for_students(path: str, data: bytes, chosen: list[Module], answers: bool, files: Collection[str]) -> bytes:
    """Return the content of a file in the release, which has these files."""
    text = data.decode() if path.endswith((".md", ".ipynb", ".py", ".toml")) else ""
    if REPOSITORY / path == LIST:
        text = list_of(text, chosen)
    elif path.endswith(".md"):
        text = _without_links(_page(text, chosen), path, files)
    elif fnmatch(path, "notebooks/*.ipynb"):
        notebook = json.loads(text if answers else without_model_answers(text))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = _without_others("".join(cell["source"]), chosen).splitlines(keepends=True)
        text = _without_links(_written(notebook), path, files)
    elif fnmatch(path, "g2c/*.py"):
        for module in _without_file(chosen):
            names = rf'^    (from {module.import_name} import .*|"\w+": \("{module.file}", "{module.id}"\),)\n'
            text = re.sub(names, "", text, flags=re.MULTILINE)
    elif fnmatch(path, "notebooks/checks/*.py") and not answers:
        text = _without_variants(text)
    else:
        return data
    return text.encode()


def list_of(text: str, chosen: list[Module]) -> str:
    """Return the list of exercises with only these modules."""
    head, *entries = text.split("[[module]]")
    kept = [entry for entry in entries if any(f'\nid = "{module.id}"\n' in entry for module in chosen)]
    return "[[module]]".join([head, *kept])


def _page(text: str, chosen: list[Module]) -> str:
    """Return a page without the parts for instructors and on modules that are not chosen.

    README's commands name module 04 or, if it is not chosen, the first module that is.
    """
    text = without_instructors(text)
    first = chosen[0]
    if modules()["04"] in chosen:
        text = _without_part("without 04", text, end="-->")
    else:
        text = re.sub(r"^ *<!-- without 04\n(.*?)^ *-->\n", r"\1", _without_part("with 04 -->", text), flags=_LINES)
        text = re.sub(r"(noteboosh\.sh(?: --\w+)*) 04\b", rf"\1 {first.id}", text)
        values = {"TITLE": first.title, "FILE": first.exercise_path, "SUITE": first.suite}
        values["HANDOUT"] = f"[{first.title}]({first.handout})"
        text = re.sub(r"@([A-Z]+)@", lambda name: values[name[1]], text)
    text = re.sub(r"^ *<!-- (?:with 04|end) -->\n", "", text, flags=re.MULTILINE)
    if len(chosen) == 1:
        text = re.sub(r"^## The modules\n.*?(?=^## )", "", text, flags=_LINES)
    text = re.sub(r"\n{3,}", "\n\n", _without_others(text, chosen))
    # A section with nothing left but a picture.
    return re.sub(r"^##+ [^\n]+\n\n<picture>[^#]*?</picture>\n+(?=#)", "", text, flags=re.MULTILINE)


_LINES = re.MULTILINE | re.DOTALL


def _without_part(mark: str, text: str, end: str = "<!-- end -->") -> str:
    return re.sub(rf"^ *<!-- {mark}\n.*?^ *{end}\n", "", text, flags=_LINES)


def without_instructors(text: str) -> str:
    """Return a page without the parts between <!-- instructors --> and <!-- end -->."""
    return _without_part("instructors -->", text)


def _without_others(text: str, chosen: list[Module]) -> str:
    """Return Markdown without the table rows, list items and sentences that name a module which is not chosen."""
    others = [module.id for module in modules().values() if module not in chosen and module.id != "04"]
    # Not the month of an address such as /2015/05/21.
    names = rf"(?<!\d/)\b(?:{'|'.join(others)})\b" if others else "(?!)"
    if modules()["04"] not in chosen:
        names += r"|^\| `g2c (?:lab|train|show|solution)\b|^- \[docs/lab\.md\]"
    blocks = re.split(r"(^```.*?^```$|\n\n+)", text, flags=_LINES)
    return "".join(_without(re.compile(names), block) for block in blocks)


def _without(names: re.Pattern[str], block: str) -> str:
    """Return a block, such as a paragraph, without the rows, items or sentences in which `names` occurs."""
    if block.startswith(("```", "#")):
        return block
    is_list = re.match(r"[-*\d|]", block)
    parts = re.split(r"^(?=[-*\d|])" if is_list else r"(?<=[.!?])\s+(?=[A-Z`*\[])", block, flags=re.MULTILINE)
    kept = [part for part in parts if not names.search(part)]
    if is_list or len(kept) == len(parts):
        return "".join(kept) if is_list else block
    return textwrap.fill(" ".join(kept), 120, break_on_hyphens=False)


def _without_links(text: str, path: str, files: Collection[str]) -> str:
    """Return Markdown in which links to pages that are left out have become plain text."""

    def kept(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
        return link[0] if target in files or not target.endswith(".md") else link[1]

    return re.sub(r"\[([^\]\n]*)\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)", kept, text)


def without_model_answers(text: str) -> str:
    """Return the text of an exercise notebook without the model answers to questions."""
    notebook = json.loads(text)
    notebook["cells"] = [cell for cell in notebook["cells"] if not cell.get("id", "").endswith("-model")]
    return _written(notebook)


def _written(notebook: Any) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _without_variants(text: str) -> str:
    """Return a file of checks without `wrong=[...]`, which begins a line and ends one."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "wrong":
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)  # type: ignore[operator]
    return "".join(lines)
