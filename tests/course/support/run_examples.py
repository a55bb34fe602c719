"""Run the code examples of text files and of the package's docstrings, with the answer key.

    python tests/course/support/run_examples.py README.md docs/04-tokenizer.md g2c.tokenizer.bpe

In a Markdown file every ```python block runs, in one namespace a file: lines after >>> must print what is below
them, a block without >>> just runs. A block that cannot run is marked ```text. A block marked ```python needs
tinyshakespeare is left out where that corpus is missing, and one marked ```python needs gpt2 without that table. Prints
one JSON object a target: its name, the number of examples, what went wrong, and for a page the corpora and tables that
were missing. Sets G2C_SOLUTIONS itself, so it has to be a process of its own.
"""

import doctest
import json
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import g2c.language_model
import g2c.tokenizer
from g2c.common.errors import CorpusError
from g2c.corpus.corpora import TABLES, load_corpus, read_table

OPTIONS = doctest.ELLIPSIS
FENCE = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^\1```\s*$", re.MULTILINE | re.DOTALL)


def blocks(text: str, language: str) -> Iterator[tuple[int, list[str], str]]:
    """The fenced blocks of a text in one language: (line number of the first line, corpora it needs, content)."""
    for match in FENCE.finditer(text):
        if match[2] == language:
            indent, needed = match[1], match[3].strip().removeprefix("needs ").split()
            content = re.sub(f"^{indent}", "", match[4], flags=re.MULTILINE) if indent else match[4]
            yield text.count("\n", 0, match.start()) + 2, needed, content


def is_missing(name: str) -> bool:
    """Tell whether a corpus, or the table of a published tokenizer, is not here."""
    try:
        read_table(name) if name in TABLES else load_corpus(name)
    except CorpusError:
        return True
    return False


def run_markdown(name: str, text: str) -> dict:
    """Run every ```python block of `text`, one after the other in one namespace."""
    problems, missing = [], set()
    names: dict = {"__name__": "__main__"}
    examples = 0
    for line, needed, content in blocks(text, "python"):
        if lacking := set(filter(is_missing, needed)):
            missing |= lacking
        elif ">>> " in content:
            test = doctest.DocTestParser().get_doctest(content, names, name, name, line - 1)
            doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=problems.append, clear_globs=False)
            names.update(test.globs)
            examples += len(test.examples)
        else:
            examples += 1
            try:
                exec(compile("\n" * (line - 1) + content, name, "exec"), names)
            except Exception:
                problems.append(f"{name}, block at line {line}:\n{traceback.format_exc(limit=-1)}")
    return {"name": name, "examples": examples, "problems": problems, "missing": sorted(missing)}


def run_module(name: str) -> dict:
    """Run the doctests of a module. They name exercises without importing them, and get the answer key's."""
    packages = g2c.tokenizer, g2c.language_model
    exercises = {name: getattr(package, name) for package in packages for name in package.EXERCISES}
    problems: list[str] = []
    tests = doctest.DocTestFinder(exclude_empty=True).find(import_module(name), extraglobs=exercises)
    for test in tests:
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=problems.append)
    return {"name": name, "examples": sum(len(test.examples) for test in tests), "problems": problems}


def main(targets: list[str]) -> None:
    warnings.simplefilter("ignore")
    for target in targets:
        os.environ["G2C_SOLUTIONS"] = "all"  # anew for each target: an example may have changed it
        try:
            if target.endswith(".md"):
                report = run_markdown(target, Path(target).read_text(encoding="utf-8"))
            else:
                report = run_module(target)
        except Exception:
            report = {"name": target, "examples": 0, "problems": [traceback.format_exc(limit=-3)]}
        print(json.dumps(report), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
