"""Finds what this course adds to the page: the lab's scripts, data for the views, and files for training."""

import json
from pathlib import Path

from g2c.corpus.corpora import load_corpus
from g2c.lab.command import small
from g2c.lab.pages import FOLDER as LAB
from g2c.lab.pages import REGEXES
from g2c.tokenizer.base import BPEBase


def page_files() -> dict[str, bytes]:
    """Return path in the page -> content. What is below course/ is a file of the worker's Python."""
    corpus = load_corpus("tinyshakespeare", fallback="pydocs")
    name = "TinyShakespeare" if corpus.name == "tinyshakespeare" else corpus.name
    data = {"corpus": name, "patterns": REGEXES, "small": small()["table"]}
    of_the_lab = [LAB / file for file in ("tokenizer.js", "show.js", "views.js", "lab.css")]
    return {
        **{path.name: path.read_bytes() for path in (*Path(__file__).with_name("scripts").iterdir(), *of_the_lab)},
        "course-data.json": json.dumps(data).encode(),
        "course/corpus.txt": corpus.text.encode(),
        "course/untrained.json": BPEBase.with_course_special_tokens().to_hf().to_str().encode(),
    }
