"""Build the course's site: README, handouts, reference pages, the executed solution notebooks, and the exported lab.

    python docs/website.py                   writes build/site
    python docs/website.py FOLDER --no-solutions

It needs the group `site`, and TinyShakespeare unless ShakespeareTokenizer is there. The pages are the repository's own
files, copied to the same places in a temporary folder; docs/mkdocs.yml says how they become HTML. No text is kept
twice. A broken link between pages is an error. The site needs no network; its search needs a server, such as
`python -m http.server --directory build/site`.
"""

import argparse
import re
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from g2c.common.errors import CourseError
from g2c.common.packages import install_command
from g2c.common.paths import REPOSITORY, display_path
from g2c.corpus.named_tokenizers import train_or_load
from g2c.course.diagnosis.page import page as mistakes_page
from g2c.course.exercises import modules
from g2c.course.release import is_for_instructors, without_instructors, without_model_answers
from g2c.lab.export import export

CONFIGURATION = REPOSITORY / "docs" / "mkdocs.yml"
DEFAULT = REPOSITORY / "build" / "site"
TOKENIZER = "ShakespeareTokenizer"
LAB = "lab/index.html"
"""The exported lab, as a path in the site."""

SLIDES = "docs/teaching/lectures.html"
"""The slides, as a path in the site; docs/slides.py makes them from the page beside it."""

MISTAKES = "docs/mistakes.md"
"""The list of the mistake bank: a page of the site that is made from the bank, and no file of the repository."""

REFERENCE = {
    "The lab": "docs/lab.md",
    "Files and commands": "docs/files.md",
    "Corpora": "docs/corpora.md",
    "As a library": "docs/library.md",
    "What came after": "docs/what-came-after.md",
    "Changes": "CHANGELOG.md",
}
TEACHING = {
    "Learning goals": "docs/teaching/goals.md",
    "Plans": "docs/teaching/plans.md",
    "A session": "docs/teaching/session.md",
    "Slides": SLIDES,
    "The text of the slides": "docs/teaching/slides.md",
    "Exam questions": "docs/teaching/exam.md",
    "Rubric": "docs/teaching/rubric.md",
    "Assistants and copying": "docs/teaching/assistants.md",
}
INSTRUCTORS = {
    "How the course works": "docs/instructors.md",
    "Grading": "docs/grading.md",
    "The mistake bank": MISTAKES,
    "Working on the course": "CONTRIBUTING.md",
}
NOT_SEARCHED = (MISTAKES, "CHANGELOG.md")
"""Pages of long tables and lists that would fill the results of a search."""
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]+)">\s*</picture>')
IMAGES = r"""
<img src="\1#only-dark" alt="\3" loading="lazy">
<img src="\2#only-light" alt="\3" loading="lazy">
""".strip()
LINK = re.compile(r"(\]\()([^)\s#]+)([)#])")
CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
PAGES = (".md", ".ipynb")
ASSETS = (".svg", ".png")


def navigation(answers: bool = True) -> list[Any]:
    """The pages in their order, as `nav` of mkdocs has them: titles with paths, relative to the repository.

    Every module of the course has a section. A notebook is named by its own path, though its page ends in `.md`.
    Without answers the notebooks are those of the exercises, and there are no pages that only instructors need.
    """
    sections: list[Any] = [{"Start": "README.md"}, {f"Try the lab with {TOKENIZER}": LAB}]
    for module in modules().values():
        pages = {"Handout": module.handout}
        if module.pitfalls != module.handout:
            pages["Pitfalls"] = module.pitfalls
        pages["Notebook, solved" if answers else "Notebook"] = solution(module.notebook) if answers else module.notebook
        sections.append({f"{module.id} {module.title}": [{title: path} for title, path in pages.items()]})
    further = {"Reference": REFERENCE, "Teaching": TEACHING, "For instructors": INSTRUCTORS}
    for title, pages in further.items():
        shown = {name: path for name, path in pages.items() if answers or not _is_hidden(path)}
        if shown:
            sections.append({title: [{name: path} for name, path in shown.items()]})
    return sections


def _is_hidden(path: str) -> bool:
    """Whether the site lacks a page where it has no answers."""
    return path == MISTAKES or is_for_instructors(path)


def solution(notebook: str) -> str:
    """The path of the solution notebook that belongs to an exercise notebook."""
    path = Path(notebook)
    return (path.parent / "solutions" / path.name).as_posix()


def sources(answers: bool = True) -> list[str]:
    """The files of the repository that become pages: all of `navigation` but the lab and the slides."""

    def paths(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values() if isinstance(entry, dict) else entry:
                yield from paths(value)

    return [path for path in paths(navigation(answers)) if path not in (LAB, SLIDES)]


def page_name(source: str) -> str:
    """The page's path for mkdocs: a notebook becomes Markdown."""
    return str(Path(source).with_suffix(".md"))


def write_pages(folder: Path, answers: bool = True) -> None:
    """Write the pages, the pictures in docs, and what pages link to, at the places that they have in the repository.

    Without answers, pages lose what a release for students lacks (g2c/course/release.py).
    """
    for source in sources(answers):
        path = REPOSITORY / source
        page = folder / page_name(source)
        page.parent.mkdir(parents=True, exist_ok=True)
        if source == MISTAKES:
            text = mistakes_page()
        elif path.suffix == ".ipynb":
            text = notebook_page(path, page.parent, answers)
        else:
            text = path.read_text(encoding="utf-8")
        if not answers:
            text = without_instructors(text)
        text, linked = page_text(text, path.parent)
        if source in NOT_SEARCHED:
            text = f"---\nsearch:\n  exclude: true\n---\n{text}"
        page.write_text(text, encoding="utf-8")
        for file in linked:
            copy = folder / f"{file.relative_to(REPOSITORY)}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    for picture in (REPOSITORY / "docs" / "figures").rglob("*"):
        if picture.suffix in ASSETS:
            copy = folder / picture.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, copy)
    shutil.copyfile(REPOSITORY / "docs" / "website.css", folder / "website.css")


def page_text(text: str, folder: Path) -> tuple[str, list[Path]]:
    """The text of a page for the site, and the files of the repository that it links to and that are not pages.

    A link to such a file, as to a wrong solution or to LICENSE, leads to a copy that every server sends as text. A
    picture for light and dark pages becomes two images, of which the theme shows the one that suits its colors.

    Args:
        text: the page in Markdown.
        folder: the folder of the file in the repository, from which its links lead on.
    """
    linked: list[Path] = []

    def lead(match: re.Match[str]) -> str:
        target = (folder / match[2]).resolve()
        if target.suffix in (*PAGES, *ASSETS) or not target.is_file():
            return match[0]
        linked.append(target)
        return f"{match[1]}{match[2]}.txt{match[3]}"

    def outside_code(part: str) -> str:
        return LINK.sub(lead, PICTURE.sub(IMAGES, part))

    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [outside_code(text[end : code.start()]), code[0]]
        end = code.end()
    return for_python_markdown("".join([*parts, outside_code(text[end:])])), linked


def for_python_markdown(text: str) -> str:
    """Markdown as the library of mkdocs reads it.

    It wants everything in an item of a list indented by four spaces, an empty line before an item if there are empty
    lines in the list, and at most one word after the mark of a code block. GitHub takes two or three spaces, and the
    examples of the pages say there what they need.
    """
    lines = text.split("\n")
    indents = [""] * len(lines)
    tokens = MarkdownIt().parse(text)
    for token, inner in zip_longest(tokens, tokens[1:]):
        if token.type == "list_item_open":
            first, end = token.map
            [marker] = re.match(r" *(\S+ +)", lines[first]).groups()
            for number in range(first + 1, end):
                indents[number] += " " * (4 - len(marker))
            if inner.type == "paragraph_open" and not inner.hidden and lines[first - 1]:
                lines[first] = "\n" + lines[first]
        elif token.type == "fence" and token.info:
            first = token.map[0]
            lines[first] = lines[first].replace(token.info, token.info.split()[0])
    return "\n".join(indent + line if line else line for indent, line in zip(indents, lines))


def notebook_page(path: Path, folder: Path, answers: bool) -> str:
    """A notebook in Markdown, with its model answers or without. Its pictures are written into `folder`."""
    import nbformat
    from nbconvert import MarkdownExporter
    from traitlets.config import Config

    resources = {"unique_key": path.stem, "output_files_dir": path.stem}
    configuration = Config(MarkdownExporter={"preprocessors": []})
    notebook = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(notebook if answers else without_model_answers(notebook), as_version=4)
    text, resources = MarkdownExporter(config=configuration).from_notebook_node(notebook, resources=resources)
    for name, picture in resources["outputs"].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(picture)
    return text


def build(folder: Path, address: str | None = None, *, answers: bool = True) -> None:
    """Build the site.

    Args:
        answers: whether it shows the solved notebooks, the mistake bank and what else is for instructors.
        folder: where to write; what is in it is replaced.
        address: the address that the site will have, for pages that name it. None works anywhere.

    Raises:
        CourseError: a package is missing, a link is broken, or ShakespeareTokenizer cannot be trained.
    """
    try:
        from mkdocs.commands.build import build as build_with_mkdocs
        from mkdocs.config import load_config
        from mkdocs.exceptions import MkDocsException
    except ImportError as error:
        raise CourseError(f"{error.name} is missing. Install it with: {install_command('mkdocs-material')}") from None
    train_or_load(TOKENIZER)
    with tempfile.TemporaryDirectory() as temporary:
        pages = Path(temporary)
        write_pages(pages, answers)
        export(TOKENIZER, (pages / LAB).parent)
        if answers:
            slides = runpy.run_path(str(REPOSITORY / "docs" / "slides.py"))["slides"]()
            (pages / SLIDES).parent.mkdir(parents=True, exist_ok=True)
            (pages / SLIDES).write_text(slides, encoding="utf-8")
        try:
            configuration = load_config(
                str(CONFIGURATION),
                docs_dir=str(pages),
                site_dir=str(folder),
                site_url=address,
                nav=_pages(navigation(answers)),
            )
            build_with_mkdocs(configuration)
        except MkDocsException as error:
            raise CourseError(f"The site was not built: {error}") from None


def _pages(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry if entry in (LAB, SLIDES) else page_name(entry)
    if isinstance(entry, dict):
        return {title: _pages(value) for title, value in entry.items()}
    return [_pages(value) for value in entry]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the course's site.")
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT, help="where to write it (default: build/site)")
    parser.add_argument("--address", metavar="URL", help="the address that the site will have")
    parser.add_argument("--no-solutions", action="store_true", help="leave out answers, and pages for instructors")
    arguments = parser.parse_args()
    try:
        build(arguments.folder.absolute(), arguments.address, answers=not arguments.no_solutions)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Written: {display_path(arguments.folder.absolute())}. To read it, run:")
    print(f"    python -m http.server --directory {arguments.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
