"""The pages for teaching: the slides fit on screen and paper, and what the pages name is there."""

import json
import re
import subprocess
import sys

import pytest

from g2c.common.paths import REPOSITORY
from support.browsers import chromium

TEACHING = REPOSITORY / "docs" / "teaching"


@pytest.mark.whole
def test_the_slides_are_one_file_that_fits_on_every_screen_and_on_paper(tmp_path):
    path = tmp_path / "slides.html"
    subprocess.run([sys.executable, REPOSITORY / "docs" / "slides.py", path], check=True, capture_output=True)
    text = path.read_text(encoding="utf-8")
    count = len(re.findall("^# Lecture |^## ", (TEACHING / "slides.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert text.count("<section") == count == text.count("</aside>") + 2, "two lectures; each slide has notes"
    assert not re.search(r'(?:src|srcset|href)="(?!data:)', text), "the file needs nothing else"
    with chromium() as browser:
        for width, height, scheme in [(1280, 720, "light"), (1920, 1080, "dark"), (1024, 768, "light")]:
            page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
            page.goto(path.as_uri())
            for _ in range(2):
                sizes = "[...document.querySelectorAll('section')].map((one) => [one.scrollWidth, one.offsetHeight])"
                assert page.evaluate(sizes) == [[width, height]] * count
                page.keyboard.press("n")
            pictures = "[...document.images].every((one) => one.naturalWidth > 0)"
            assert page.evaluate(pictures)
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == count, "each slide is a page"


def test_a_solution_notebook_prints_every_measured_number_of_the_pages():
    measured = re.compile(r"\b(?!\d+,000\b)\d{1,3}(?:,\d{3})+\b|\b\d+\.\d\d\b")
    notebooks = (REPOSITORY / "notebooks" / "solutions").glob("*.ipynb")
    cells = [cell for path in notebooks for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    printed = set(measured.findall(json.dumps([cell["outputs"] for cell in cells if "outputs" in cell])))
    for name in ("plans", "rubric", "session", "slides"):
        assert set(measured.findall((TEACHING / f"{name}.md").read_text(encoding="utf-8"))) <= printed, name
