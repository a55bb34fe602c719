"""Build the course's site: README, handouts, reference pages, notebooks, the exported lab, and the page in which the
course runs in a browser.

    python docs/website.py                   writes build/site
    python docs/website.py FOLDER --answers  also the solved notebooks, the mistake bank, and the pages for instructors

It needs the group `site`, and TinyShakespeare unless ShakespeareTokenizer is there. The page in the browser needs npm
and pip; without them, the site is built without it. The other pages are the repository's own files, copied to the same
places in a temporary folder; docs/mkdocs.yml says how they become HTML. No text is kept twice. A broken link between
pages is an error. The site needs no network; its search needs a server, such as
`python -m http.server --directory build/site`.
"""

import argparse
import re
import runpy
import shutil
import sys
import tempfile
from itertools import zip_longest
from pathlib import Path

from markdown_it import MarkdownIt

from coach.common.errors import CourseError
from coach.common.packages import PackageError
from coach.common.paths import REPOSITORY, display_path
from coach.exercises import modules
from coach.page.build import offered_modules, write_page
from coach.release import is_for_instructors, without_instructors, without_model_answers
from g2c.corpus.named_tokenizers import train_or_load
from g2c.lab.command import of_artifact, write_lab

CONFIGURATION = REPOSITORY / "docs" / "mkdocs.yml"
DEFAULT = REPOSITORY / "build" / "site"
TOKENIZER = "ShakespeareTokenizer"
LAB = "lab/index.html"
"""The exported lab, as a path in the site."""

PAGE = "write/index.html"
"""The course in a page, as a path in the site."""

OFFER = f"**[Write it in your browser]({PAGE})**, with nothing to install: the same tests, the same reports."
"""What the site says after the first paragraph of README, where it has the page."""

MISTAKES = "docs/mistakes.md"
"""The list of the mistake bank: a page of the site that is made from the bank, and no file of the repository."""

REFERENCE = {
    "Colab and other places": "docs/elsewhere.md",
    "The lab": "docs/lab.md",
    "Files and commands": "docs/files.md",
    "Files: reference": "docs/files-reference.md",
    "Corpora": "docs/corpora.md",
    "Many machines": "docs/many-machines.md",
    "As a library": "docs/library.md",
    "Design a tokenizer": "docs/design.md",
    "What came after": "docs/what-came-after.md",
    "Changes": "CHANGELOG.md",
}
TEACHING = {
    "Learning goals": "docs/teaching/goals.md",
    "Plans": "docs/teaching/plans.md",
    "A session": "docs/teaching/session.md",
    "Slides": "docs/teaching/slides.md",
    "Exam questions": "docs/teaching/exam.md",
    "Exam answers": "docs/teaching/exam-answers.md",
    "Rubric": "docs/teaching/rubric.md",
    "Assistants and copying": "docs/teaching/assistants.md",
}
INSTRUCTORS = {
    "How the course works": "docs/instructors.md",
    "Grading": "docs/grading.md",
    "Your own course": "docs/own-course.md",
    "The mistake bank": MISTAKES,
    "Working on the course": "CONTRIBUTING.md",
}
LINK = re.compile(r"\]\(([^)\s#]+)")
TABLE_OF_CONTENTS = re.compile(r"^(?:- \[[^\]]+\]\(#[^)]+\)\n){4,}\n", re.MULTILINE)
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" ([^>]*)>\s*</picture>')


def contents(answers: bool = False) -> list[tuple[str, str, str]]:
    """(section, title, path) of each page in its order; the first two pages are in the section "".

    Paths are relative to the repository, those of the lab and the page to the site. Without answers the
    notebooks are those of the exercises, and there are no pages that only instructors need.
    """
    pages = [("", "Start", "README.md"), ("", "Write it in the browser", PAGE)]
    pages.append(("", f"Try the lab with {TOKENIZER}", LAB))
    for module in modules().values():
        section = f"{module.id} {module.title}"
        pages.append((section, "Handout", module.handout))
        if module.pitfalls != module.handout:
            pages.append((section, "Pitfalls", module.pitfalls))
        if answers:
            pages.append((section, "Notebook, solved", module.solution_file.relative_to(REPOSITORY).as_posix()))
        else:
            pages.append((section, "Notebook", module.notebook))
    for section, further in {"Reference": REFERENCE, "Teaching": TEACHING, "For instructors": INSTRUCTORS}.items():
        for title, path in further.items():
            if answers or not (path == MISTAKES or is_for_instructors(path)):
                pages.append((section, title, path))
    return pages


def sources(answers: bool = False) -> list[str]:
    """The files of the repository that become pages: all of `contents` but the lab and the page."""
    return [path for _, _, path in contents(answers) if path not in (LAB, PAGE)]


def page_name(source: str) -> str:
    """The page's path for mkdocs: a notebook becomes Markdown."""
    return source.replace(".ipynb", ".md")


def write_pages(folder: Path, answers: bool = False) -> None:
    """Write the pages, the pictures in docs, and what pages link to, at the places that they have in the repository.

    Without answers, pages lose what a release for students lacks (coach/release.py).
    """
    needed = {path for path in (REPOSITORY / "docs" / "figures").rglob("*") if path.suffix in (".svg", ".png")}
    for source in sources(answers):
        path = REPOSITORY / source
        page = folder / page_name(source)
        page.parent.mkdir(parents=True, exist_ok=True)
        if source == MISTAKES:
            text = runpy.run_path(str(REPOSITORY / "docs" / "mistakes_page.py"))["page"]()
        elif path.suffix == ".ipynb":
            text = notebook_page(path, page.parent, answers)
        else:
            text = path.read_text(encoding="utf-8")
        if not answers:
            text = without_instructors(text)
        if source == "README.md" and (folder / PAGE).is_file():
            title, first, rest = text.split("\n\n", 2)
            text = "\n\n".join([title, first, OFFER, rest])
        page.write_text(for_python_markdown(text), encoding="utf-8")
        # Files that a page links to, such as LICENSE. Other pages are here already, or a broken link that mkdocs names.
        linked = {(path.parent / target).resolve() for target in LINK.findall(text)}
        needed |= {file for file in linked if file.is_file() and file.suffix not in (".md", ".ipynb")}
    for file in needed:
        copy = folder / file.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    shutil.copyfile(REPOSITORY / "docs" / "website.css", folder / "website.css")


def for_python_markdown(text: str) -> str:
    """Markdown as the library of mkdocs reads it.

    It wants everything in an item of a list indented by four spaces, an empty line before an item if there are empty
    lines in the list, and at most one word after the mark of a code block. GitHub takes two or three spaces, and the
    examples of the pages say there what they need. The site has its own table of contents, so a page's goes. Its switch
    between light and dark shows one of two images, where a <picture> follows the system.
    """
    text = PICTURE.sub(r'<img src="\2#only-light" \3><img src="\1#only-dark" \3>', TABLE_OF_CONTENTS.sub("", text))
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


def build(folder: Path, address: str | None = None, *, answers: bool = False) -> None:
    """Build the site.

    Args:
        answers: whether it shows the solved notebooks, the mistake bank and what else is for instructors.
        folder: where to write; what is in it is replaced.
        address: the address that the site will have, for pages that name it. None works anywhere.

    Raises:
        CourseError: a link is broken, or ShakespeareTokenizer cannot be trained.
    """
    from mkdocs.commands.build import build as build_with_mkdocs
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException

    train_or_load(TOKENIZER)
    with tempfile.TemporaryDirectory() as temporary:
        pages = Path(temporary)
        left_out = []
        try:
            write_page((pages / PAGE).parent, offered_modules())
        except PackageError as error:
            print(f"The site is built without the page in which the course runs. {error}", file=sys.stderr)
            left_out.append(PAGE)
        sections: dict[str, list[dict[str, str]]] = {}
        for section, title, path in contents(answers):
            if path not in left_out:
                sections.setdefault(section, []).append({title: page_name(path)})
        navigation = [*sections.pop(""), *({section: pages} for section, pages in sections.items())]
        write_pages(pages, answers)
        write_lab((pages / LAB).parent, [of_artifact(TOKENIZER)])
        places = {"docs_dir": str(pages), "site_dir": str(folder), "site_url": address}
        try:
            build_with_mkdocs(load_config(str(CONFIGURATION), nav=navigation, **places))
        except MkDocsException as error:
            raise CourseError(f"The site was not built: {error}") from None


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the course's site.")
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT, help="where to write it (default: build/site)")
    parser.add_argument("--address", metavar="URL", help="the address that the site will have")
    parser.add_argument("--answers", action="store_true", help="include answers, and pages for instructors")
    arguments = parser.parse_args()
    try:
        build(arguments.folder.absolute(), arguments.address, answers=arguments.answers)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Wrote {display_path(arguments.folder.absolute())}. To read it, run:")
    print(f"    python -m http.server --directory {arguments.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
