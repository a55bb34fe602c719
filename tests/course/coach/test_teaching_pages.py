"""The pages for teaching: the slides are in Marp's form, and what the pages name is there."""

import json
import re

from coach.common.paths import REPOSITORY

TEACHING = REPOSITORY / "docs" / "teaching"


def test_each_slide_has_notes():
    text = (TEACHING / "slides.md").read_text(encoding="utf-8")
    assert text.startswith("---\nmarp: true\nheadingDivider: 2\n---\n")
    slides = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(slides) > 15 and all(re.search(r"^<!--\n.+?\n-->$", one, re.M | re.S) for one in slides)


def test_a_solution_notebook_prints_every_measured_number_of_the_pages():
    measured = re.compile(r"\b(?!\d+,000\b)\d{1,3}(?:,\d{3})+\b|\b\d+\.\d\d\b")
    notebooks = (REPOSITORY / "notebooks" / "solutions").glob("*.ipynb")
    cells = [cell for path in notebooks for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    printed = set(measured.findall(json.dumps([cell["outputs"] for cell in cells if "outputs" in cell])))
    for name in ("plans", "rubric", "session", "slides"):
        assert set(measured.findall((TEACHING / f"{name}.md").read_text(encoding="utf-8"))) <= printed, name
