"""README, handouts and docstrings are correct: examples run; links, files and commands exist; figures are current."""

import ast
import io
import json
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from copy import copy
from functools import cache
from pathlib import Path

import pytest

import coach
import g2c
from coach.common.paths import REPOSITORY
from coach.testing.record import TestRecord, read_as
from g2c import commands
from g2c.common.errors import CorpusError
from g2c.corpus import published_tokenizers
from g2c.corpus.corpora import load_corpus
from g2c.formats.artifact import ARTIFACT_FILES
from g2c.solutions.bpe import BPETokenizer
from support.run_examples import FENCE, blocks
from support.submissions import runner

CHANGELOG = REPOSITORY / "CHANGELOG.md"
OWN_COURSE = REPOSITORY / "docs" / "own-course.md"
"""Has the files of another course; test_own_course.py writes and runs them."""
PAGES = [*sorted(REPOSITORY.glob("[A-Z]*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if page != OWN_COURSE]
HANDOUT = REPOSITORY / "docs" / "04-tokenizer.md"
# Those of the page talk to JavaScript and take the places of others.
NOT_IMPORTED = ("__main__", "coach.page.browser", "coach.page.session", "g2c.page.engine", "g2c.page.regexes")
MODULES = sorted(
    module.name
    for package in (coach, g2c)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith(NOT_IMPORTED)
)
RUNNER = Path(__file__).resolve().parents[1] / "support" / "run_examples.py"

FOLDERS = ("coach", "g2c", "mistakes", "tests", "docs", "notebooks", "benchmarks")
FIGURES = REPOSITORY / "docs" / "figures"
FIGURE_FILES = sorted(FIGURES.glob("*.svg"))
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|root|home|Users|tmp|mnt|opt)/")


def for_each(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda path: str(path.relative_to(REPOSITORY)))


# --- the parts of a page ----------------------------------------------------------------------------------------------


def code_in(text: str) -> str:
    """The lines of inline code and of text blocks."""
    inline = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    return "\n".join([*inline, *(content for _, _, content in blocks(text, "text"))])


def anchors(text: str) -> list[str]:
    """The anchors of a page: explicit ones, and headings as GitHub names them."""
    explicit = re.findall(r'<a id="([^"]+)"></a>', text)
    headings = re.findall(r"^#+ +(.+?)\s*$", FENCE.sub("", text), re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return explicit + slugs


# --- the checks: each takes a page and returns a list of problems -----------------------------------------------------


def broken_links(page: Path, text: str) -> list[str]:
    problems = []
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text)):
        if re.match(r"[a-z]+://", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists():
            problems.append(f"link to {target}: there is no such file")
        elif anchor and anchor not in anchors(place.read_text(encoding="utf-8") if file else text):
            problems.append(f"link to {target}: {place.name} has no such anchor")
    return problems


def missing_files(text: str) -> list[str]:
    """Paths in a folder of the repository that do not exist. Words such as ID and NAME stand for others."""
    paths = re.findall(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./-]*[\w/]", code_in(text))
    given = [path for path in paths if not re.search(r"ID|NAME|FILE|PACKAGE|^notebooks/mine", path)]
    return [f"`{path}` names a file that does not exist" for path in given if not (REPOSITORY / path).exists()]


def unknown_commands(text: str) -> list[str]:
    """Each `./script …` and `g2c …` that does not exist, or has other options."""
    lines = [line.split("#")[0].strip() for line in code_in(text).split("\n")]
    problems = []
    for command in sorted({line for line in lines if re.match(r"(\./[\w-]+\.sh|g2c)( |$)", line)}):
        name, *arguments = command.split()
        subcommand = [word for word in arguments[:1] if name == "g2c" and re.fullmatch(r"[a-z]+", word)]
        options = [word.split("=")[0] for word in arguments if word.startswith("--")]
        shown = help_of(name, *subcommand)
        if not shown or not all(word in shown for word in options):
            problems.append(f"`{command}` is no command, or its help does not name its options: {shown.strip()[-300:]}")
    return problems


@cache
def help_of(name: str, *subcommand: str) -> str:
    """What a command prints with --help; "" if there is none. g2c runs in this process, which saves many starts."""
    if name != "g2c":
        command = [name, "--help"]
        is_there = os.access(REPOSITORY / name, os.X_OK)
        return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True).stdout if is_there else ""
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(output), pytest.raises(SystemExit) as end:
        commands.main([*subcommand, "--help"])
    return "" if end.value.code else output.getvalue()


# --- the examples -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports() -> dict[str, dict]:
    """Target -> report of run_examples.py: name, examples, problems."""
    targets, encoding = [*map(str, WITH_EXAMPLES), *MODULES], "utf-8"
    with tempfile.TemporaryDirectory(prefix="g2c-examples-", ignore_cleanup_errors=True) as folder:
        # Examples write into folders of their own, which nobody removes.
        environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": encoding, "TMPDIR": folder}
        command = [sys.executable, str(RUNNER), *targets]
        result = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, encoding=encoding)
    reports = {report["name"]: report for report in map(json.loads, re.findall(r"^\{.*", result.stdout, re.MULTILINE))}
    assert set(targets) <= reports.keys(), f"a report is missing:\n{result.stdout}\n{result.stderr}"
    return reports


@for_each(WITH_EXAMPLES)
def test_every_example_of_a_page_prints_what_the_page_says(page, reports):
    report = reports[str(page)]
    assert not report["problems"], "\n".join(report["problems"])
    if report["missing"]:
        pytest.skip(f"every example runs but those that need {', '.join(report['missing'])}")


def test_every_example_of_a_docstring_prints_what_it_says(reports):
    problems = [problem for module in MODULES for problem in reports[module]["problems"]]
    assert not problems, "\n".join(problems)
    assert sum(reports[module]["examples"] for module in MODULES) > 100


# --- links, files, commands, pictures, counts -------------------------------------------------------------------------


@for_each(PAGES)
def test_what_a_page_names_exists(page):
    text = page.read_text(encoding="utf-8")
    problems = broken_links(page, text)
    problems += [f"names a path of a machine: {path[0]}" for path in MACHINE_PATH.finditer(text)]
    problems += [f"an empty line splits a table: {row}" for row in re.findall(r"\|\n\n(\|.*)", FENCE.sub("", text))]
    # A changelog names what was removed, and repeats its headings for each version.
    if page not in (CHANGELOG, OWN_COURSE):
        problems += missing_files(text) + unknown_commands(text)
        times = Counter(anchors(text))
        problems += [f"two headings have the anchor {name}" for name, count in times.items() if count > 1]
    assert not problems, "\n".join(problems)


def test_the_handout_lists_the_groups_of_the_suite():
    suite = ast.parse((REPOSITORY / "tests" / "test_tokenizer.py").read_text(encoding="utf-8"))
    groups = {node.name for node in suite.body if isinstance(node, ast.ClassDef)}
    named = set(re.findall(r"\bTest[A-Z]\w+", HANDOUT.read_text(encoding="utf-8")))
    assert named == groups - {"TestConstruction"}, "the suite differs from the table in `Run the tests`"


def test_the_report_in_the_handout_is_what_a_student_sees():
    with runner("--first") as tests_until_the_first_failure:
        failure = tests_until_the_first_failure("04/count_around_the_end")[-1]
    handout = HANDOUT.read_text(encoding="utf-8")
    shown = next(block for _, _, block in blocks(handout, "text") if "Came back:" in block)
    assert shown.strip() == str(read_as(TestRecord, failure).report)


def test_the_page_on_files_lists_every_file():
    page = (REPOSITORY / "docs" / "files.md").read_text(encoding="utf-8")
    section = page.split("\n## What an artifact contains\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([^`|]+)` \|", section, re.MULTILINE) == list(ARTIFACT_FILES)


def test_every_place_of_a_handout_that_the_course_points_to_exists():
    """Hints, reports and notebooks name `docs/PAGE.md#ANCHOR`."""
    there = {(page.name, anchor) for page in PAGES for anchor in anchors(page.read_text(encoding="utf-8"))}
    files = [path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.*") if path != Path(__file__)]
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix in {".py", ".toml", ".ipynb"}]
    wanted = set(re.findall(r"docs/([\w.-]+\.md)#([\w-]+)", "".join(texts)))
    assert wanted and wanted <= there, wanted - there


def test_what_the_handout_says_about_published_tokenizers_is_so():
    """Each table under "Why tokens matter" gives a text, and its tokens or their number for four tokenizers."""
    try:
        corpus = load_corpus("tinyshakespeare").text
        tokenizers = [BPETokenizer.with_course_special_tokens()]
        tokenizers += [published_tokenizers.load_published(name) for name in ("gpt2", "cl100k", "o200k")]
    except CorpusError as error:
        pytest.skip(str(error))
    tokenizers[0].train_exact(corpus, 4096, progress=False)
    handout = HANDOUT.read_text(encoding="utf-8")
    section = handout.split("\n## Why tokens matter\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (?!text)(.+?) \|(?: ([\d,]+) \|)?((?: [^|]+ \|){4})$", section, re.MULTILINE)
    assert len(rows) == 14
    for name, size, cells in rows:
        text = name.strip("`").replace("␣", " ").replace("\\n", "\n") if name.startswith("`") else corpus
        expected = []
        for tokenizer in tokenizers:
            ids = tokenizer.encode_fast(text)
            strip = "".join(f"│{tokenizer.vocab[token_id].decode(errors='replace')}" for token_id in ids[:20])
            expected.append(f"{len(ids):,}" if size else f"{strip}│")
        assert [cell.strip("` ").replace("␣", " ") for cell in cells.rstrip("| ").split(" | ")] == expected, name
        assert size in ("", f"{len(text.encode()):,}"), name
    assert [len(list(BPETokenizer(pattern=name)._pieces("मनुष्यों"))) for name in ("gpt2", "gpt4", "o200k")] == [6, 4, 1]
    with_pattern = BPETokenizer.with_course_special_tokens(pattern="gpt2").train_exact(corpus, 4096, progress=False)
    sentences = " ".join(section.split())
    assert f"it would need {len(with_pattern):,}" in sentences
    assert all(f"{tokenizer.vocab_size:,}" in sentences for tokenizer in tokenizers)
    hindi_text = rows[11][0].strip("`")
    english, hindi = [1024 // len(tokenizers[1].encode_fast(name.strip("`"))) for name, size, _ in rows if size][:2]
    assert f"1,024 tokens: enough for {english} copies of the English sentence but only {hindi} of" in sentences
    after = (REPOSITORY / "docs" / "what-came-after.md").read_text(encoding="utf-8")
    for name, tokenizer in zip(("gpt2", "cl100k", "o200k"), tokenizers[1:]):
        [row] = re.findall(rf"^\|.* byte-level BPE, `{name}`.*$", after, re.MULTILINE)
        assert row.split(" | ")[3] == str(len(tokenizer.encode_fast(hindi_text))), row
    sizes = re.findall(r"^\| (\d+,\d{3}) \| .+$", handout.split("\n## How large")[1], re.MULTILINE)
    assert len(sizes) == 6
    for size in sizes:
        row = vocabulary_row(tokenizers[3], int(size.replace(",", "")), corpus, hindi_text)
        assert row in handout.replace("**", "")


def vocabulary_row(tokenizer: BPETokenizer, size: int, corpus: str, hindi: str) -> str:
    """The row under "How large should the vocabulary be?" of the first `size` tokens of a tokenizer."""
    first = copy(tokenizer)
    first.vocab = {token_id: token for token_id, token in tokenizer.vocab.items() if token_id < size}
    first.merges = {pair: token_id for pair, token_id in tokenizer.merges.items() if token_id < size}
    compression = len(corpus.encode()) / len(first.encode_fast(corpus))
    row = f"| {size:,} | {compression:.2f} | {len(first.encode_fast(hindi))} tokens |"
    for layers, width, unit, digits in ((85e6, 768, 1e6, 0), (7e9, 4096, 1e9, 2)):
        table = size * width
        operations = 2 * (layers + table) / compression / unit
        row += f" {2 * table / (layers + 2 * table):.0%} | {operations:.{digits}f} |"
    return row


# --- figures ----------------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture(scope="module")
def drawing() -> dict:
    """The names of the script that draws the figures."""
    return runpy.run_path(str(FIGURES / "draw.py"))


@pytest.mark.parametrize("figure", FIGURE_FILES, ids=lambda path: path.name)
def test_figures_are_what_the_code_draws(drawing, figure, tmp_path):
    drawn = drawing["draw"](figure.name, tmp_path).read_text(encoding="utf-8")
    committed = figure.read_text(encoding="utf-8")
    out_of_date = f"{figure.name} is out of date; run python docs/figures/draw.py"
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", committed), out_of_date
    # Another machine may round coordinates differently, which nobody sees.
    coordinates = [float(number) for number in NUMBER.findall(committed)]
    assert [float(number) for number in NUMBER.findall(drawn)] == pytest.approx(coordinates, abs=0.05), out_of_date


def test_the_picture_of_the_result_shows_what_training_gives(drawing):
    try:
        corpus = load_corpus("tinyshakespeare")
    except CorpusError:
        pytest.skip("tinyshakespeare is missing; fetch it with: ./datasets.sh --tiny")
    shown = (FIGURES / "shakespeare.json").read_text(encoding="utf-8")
    assert shown == drawing["window_of"](corpus.text)


def test_every_figure_is_committed_and_shown(drawing):
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = {Path(target).name for target in re.findall(r'(?:src|srcset)="([^"]+)"', text)}
    assert {path.name for path in FIGURE_FILES} == set(drawing["FIGURES"])
    pictures = [*FIGURE_FILES, *(FIGURES / "screens").iterdir(), *(FIGURES / "lab").iterdir()]
    assert {path.name for path in pictures} == shown


# --- the pages for teaching -------------------------------------------------------------------------------------------

TEACHING = REPOSITORY / "docs" / "teaching"


def test_the_slides_are_in_marps_form_and_each_has_notes():
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
