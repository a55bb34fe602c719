"""The site: every page of the repository is on it, no link is broken, and it needs no network."""

import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from g2c.common.errors import CorpusError
from g2c.corpus.named_tokenizers import train_or_load

SCRIPT = REPOSITORY / "docs" / "website.py"


@pytest.fixture(scope="module")
def website() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


class Parsed(HTMLParser):
    """A page's links, its anchors, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes) -> None:
        values = dict(attributes)
        self.anchors |= {values.get("id"), values.get("name")}
        used = [values[name] for name in ("src", "href", "srcset", "data") if values.get(name)]
        (self.links if tag == "a" else self.loads).extend(used)


def test_every_page_is_on_the_site_once(website):
    listed = website.sources(answers=True)
    pages = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}
    solutions = {f"notebooks/solutions/{Path(module.notebook).name}" for module in modules().values()}
    assert set(listed) == {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", website.MISTAKES, *pages, *solutions}
    assert len(listed) == len(set(listed))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    if find_spec("material") is None:
        pytest.skip("mkdocs-material builds the site: pip install -e '.[site]'")
    try:
        train_or_load("ShakespeareTokenizer")
    except CorpusError as error:
        pytest.skip(f"The site shows ShakespeareTokenizer, which cannot be trained here. {error}")
    folder = tmp_path_factory.mktemp("website") / "site"
    done = subprocess.run([sys.executable, SCRIPT, folder, "--answers"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


@pytest.mark.whole
def test_no_link_is_broken_and_nothing_comes_from_elsewhere(website, site):
    sources = website.sources(answers=True)
    names = ["index.md" if source == "README.md" else website.page_name(source) for source in sources]
    pages = {path: Parsed(path) for path in ((site / name).with_suffix(".html") for name in names)}
    count = 0
    for page, parsed in pages.items():
        for target in parsed.links + parsed.loads:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                assert target in parsed.links or parts.scheme == "data", f"{page.name} loads {target}"
                continue
            count += 1
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert place.exists(), f"{page.name} leads to {target}, which is not there"
            if place in pages and parts.fragment:
                assert unquote(parts.fragment) in pages[place].anchors, f"{page.name}: {target} has no such anchor"
    assert count > 3_000
    for path in [*site.rglob("*.css"), site / "lab" / "index.html"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""(?:url\(|@import )["']?(?:https?:)?//""", text), f"{path.name} loads something"


def test_it_publishes_no_answers_unless_asked(website, tmp_path):
    website.write_pages(tmp_path)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    forbidden = "solutions|instructors|grading|mistakes|teaching|CONTRIBUTING"
    assert not [name for name in written if re.search(forbidden, name)]
    assert {website.page_name(module.notebook) for module in modules().values()} <= written
    text = (tmp_path / "notebooks" / "04-tokenizer.md").read_text(encoding="utf-8")
    assert "TODO: most_frequent_pairs" in text and "A model answer" not in text


@pytest.mark.whole
def test_without_answers_no_link_is_broken(website, site, tmp_path):
    website.build(tmp_path / "site")
