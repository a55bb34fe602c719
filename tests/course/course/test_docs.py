"""README, handouts and docstrings are correct: examples run; links, files and commands exist; figures are current."""

import ast
import io
import json
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import g2c
from g2c.common.errors import CorpusError
from g2c.common.paths import REPOSITORY
from g2c.corpus import published_tokenizers
from g2c.corpus.corpora import load_corpus
from g2c.course import cli
from g2c.course.exercises import modules
from g2c.solutions.bpe import BPETokenizer

CHANGELOG = REPOSITORY / "CHANGELOG.md"
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    CHANGELOG,
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
HANDOUT = REPOSITORY / "docs" / "04-tokenizer.md"
PITFALLS = REPOSITORY / "docs" / "04-pitfalls.md"
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(g2c.__path__, "g2c.") if not module.name.endswith("__main__")
)
MODULES_WITH_HANDOUT = [module for module in modules().values() if (REPOSITORY / module.handout).exists()]
RUNNER = Path(__file__).resolve().parents[1] / "support" / "run_examples.py"

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```\s*$", re.MULTILINE | re.DOTALL)
FOLDERS = ("g2c", "mistakes", "tests", "docs", "notebooks", "benchmarks")
LANGUAGES = {"python", "console", "text", "json", "toml", "yaml"}
SAFE_COMMANDS = ("g2c ", "pytest ", "python -c ", "python -m pytest ")
WRITTEN_BY_THE_COURSE = re.compile(
    r"(artifacts/tokenizers|data|notebooks/mine|\.venv)(/|$)"
    r"|^(tokenizer|tokenizer_config|manifest|results|encoding|index)\.json$|^pre_tokenizer\.txt$"
    r"|^ids\.uint32$|^_educational\.py$"
)
EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f]")
FIGURE_FILES = sorted((REPOSITORY / "docs" / "figures").glob("*.svg"))
PICTURE = re.compile(
    r"<picture>\n"
    r' *<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\n'
    r' *<img src="([^"]+)" alt="([^"]+)">\n'
    r"</picture>"
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|root|home|Users|tmp|mnt|opt)/")


def for_each(pages: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages, ids=lambda path: str(path.relative_to(REPOSITORY)))


relative = for_each(PAGES)
# A changelog names what was removed, and repeats its headings for each version.
current = for_each([page for page in PAGES if page != CHANGELOG])


# --- the parts of a page ----------------------------------------------------------------------------------------------


def fenced(text: str, language: str) -> list[str]:
    """The fenced blocks in one language."""
    return [match[3] for match in FENCE.finditer(text) if match[2] == language]


def prose(text: str) -> str:
    """A page without its code blocks, its inline code, and the targets of its links and images."""
    text = FENCE.sub("", text)
    text = re.sub(r"`[^`\n]*`", "", text)
    text = re.sub(r"<(picture|source|img|/picture)\b[^>]*>", "", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def inline_code(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", text))


def anchors(text: str) -> list[str]:
    """The anchors of a page: explicit ones, and headings as GitHub names them."""
    explicit = re.findall(r'<a id="([^"]+)"></a>', text)
    headings = re.findall(r"^#+ +(.+?)\s*$", FENCE.sub("", text), re.MULTILINE)
    slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return explicit + slugs


def console_steps(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output below it."""
    steps: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append((line[2:].strip(), ""))
        else:
            assert steps, "A console block starts with a command after '$ '; mark other text as ```text."
            steps[-1] = (steps[-1][0], steps[-1][1] + line)
    return steps


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
    """Paths in inline code, and in text blocks those in a folder of the repository, that do not exist.

    A name without a folder may be anywhere in the repository. Words such as ID and NAME stand for others.
    """
    problems = []
    words = [word for code in inline_code(text) for word in code.split() if word == code or "/" in word]
    words += re.findall(rf"(?<![^\s(])(?:{'|'.join(FOLDERS)})/[\w./-]*[\w/]", "".join(fenced(text, "text")))
    for word in words:
        path = word.split(":")[0]
        if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*(/|\.(py|sh|md|ipynb|toml|txt|svg|json|uint32))", path):
            continue
        if WRITTEN_BY_THE_COURSE.search(path) or (REPOSITORY / path).exists():
            continue
        if {"ID", "NAME", "FILE", "PACKAGE"} & set(re.findall("[A-Z]+", path)):
            continue
        if "/" not in path and any(tracked.name == path for tracked in tracked_files()):
            continue
        problems.append(f"`{word}` names a file that does not exist")
    return problems


def tracked_files() -> list[Path]:
    folders = [REPOSITORY, *(REPOSITORY / name for name in FOLDERS)]
    return [path for folder in folders for path in (folder.glob("*") if folder == REPOSITORY else folder.rglob("*"))]


def commands(text: str) -> set[str]:
    """Every `./script …` and `g2c …` in inline code, console blocks and text blocks."""
    blocks = [line for kind in ("console", "text") for line in "".join(fenced(text, kind)).split("\n")]
    lines = [line.removeprefix("$ ").split("#")[0].strip() for line in inline_code(text) + blocks]
    return {line for line in lines if re.match(r"(\./[\w-]+\.sh|g2c)( |$)", line)}


def unknown_commands(text: str) -> list[str]:
    """Scripts that do not exist, and subcommands and options that the command's own help does not name."""
    problems = []
    for command in sorted(commands(text)):
        name, *arguments = command.split()
        if name.endswith(".sh") and not os.access(REPOSITORY / name, os.X_OK):
            problems.append(f"`{command}`: there is no executable script {name}")
            continue
        subcommand = [word for word in arguments[:1] if name == "g2c" and re.fullmatch(r"[a-z]+", word)]
        options = [word.split("=")[0] for word in arguments if word.startswith("--")]
        if subcommand or options:
            code, shown = help_of(name, *subcommand)
            if code:
                problems.append(f"`{command}` does not exist: {shown.strip()[-300:]}")
            problems += [f"`{command}`: its help does not name {word}" for word in options if word not in shown]
    return problems


@cache
def help_of(name: str, *subcommand: str) -> tuple[object, str]:
    """Exit code and output of a command with --help. Those of g2c run in this process, which saves a start for each."""
    if name != "g2c":
        done = run([name, *subcommand, "--help"])
        return done.returncode, done.stdout + done.stderr
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(output), pytest.raises(SystemExit) as end:
        cli.main([*subcommand, "--help"])
    return end.value.code, output.getvalue()


def wrong_tone(text: str) -> list[str]:
    """Exclamation marks and emoji, in text without its code."""
    problems = [f"exclamation mark: {line.strip()}" for line in text.splitlines() if "!" in line]
    problems += [f"emoji: {line.strip()}" for line in text.splitlines() if EMOJI.search(line)]
    return problems


def failed_and_passed(text: str) -> set[tuple[str, str]]:
    return set(re.findall(r"(\d+) failed, (\d+) passed", text))


def run(command: list[str] | str, **variables: str) -> subprocess.CompletedProcess:
    """Run a command in the repository with the student's code, and with the g2c and pytest of this Python."""
    environment = {name: value for name, value in os.environ.items() if name != "G2C_SOLUTIONS"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    environment |= {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"} | variables
    return subprocess.run(
        command,
        cwd=REPOSITORY,
        env=environment,
        shell=isinstance(command, str),
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=60,
    )


def wrong_console_output(block: str) -> list[str]:
    problems = []
    for command, expected in console_steps(block):
        if not command.startswith(SAFE_COMMANDS):
            problems.append(f"this test does not run `{command}`; mark the block as ```text")
            continue
        result = run(command)
        if not OutputChecker().check_output(expected, result.stdout, ELLIPSIS):
            problems.append(f"`{command}` prints\n{result.stdout}{result.stderr}\ninstead of\n{expected}")
    return problems


# --- the examples -----------------------------------------------------------------------------------------------------


def run_examples(targets: list[str]) -> dict[str, dict]:
    """Target -> report of run_examples.py: name, examples, problems."""
    with tempfile.TemporaryDirectory(prefix="g2c-examples-", ignore_cleanup_errors=True) as folder:
        # Examples write into folders of their own, which nobody removes.
        result = run([sys.executable, str(RUNNER), *targets], TMPDIR=folder)
    reports = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    missing = [target for target in targets if target not in {report["name"] for report in reports}]
    assert not missing, f"no report on {missing}:\n{result.stdout}\n{result.stderr}"
    return {report["name"]: report for report in reports}


@pytest.fixture(scope="module")
def page_reports() -> dict[str, dict]:
    return run_examples([str(page) for page in PAGES])


@pytest.fixture(scope="module")
def module_reports() -> dict[str, dict]:
    return run_examples(MODULES)


@relative
def test_every_example_of_a_page_prints_what_the_page_says(page, page_reports):
    if page.name == "cluster.md":
        pytest.importorskip("distributed", reason="needs Dask distributed: pip install -e '.[cluster]'")
    report = page_reports[str(page)]
    assert not report["problems"], "\n".join(report["problems"])
    if report["missing"]:
        pytest.skip(f"every example runs but those that need {', '.join(report['missing'])}")


@pytest.mark.parametrize("module", MODULES)
def test_every_example_of_a_docstring_prints_what_it_says(module, module_reports):
    assert not module_reports[module]["problems"], "\n".join(module_reports[module]["problems"])


def test_no_example_is_skipped():
    sources = [*PAGES, *(path for path in (REPOSITORY / "g2c").rglob("*.py"))]
    assert [path.name for path in sources if "doctest: +SKIP" in path.read_text(encoding="utf-8")] == []


@pytest.mark.whole
def test_the_examples_are_found(page_reports, module_reports):
    assert page_reports[str(HANDOUT)]["examples"] + page_reports[str(PITFALLS)]["examples"] > 100
    assert module_reports["g2c.tokenizer.bpe"]["examples"] > 10


@relative
def test_console_examples_print_what_the_page_says(page):
    problems = [
        problem
        for block in fenced(page.read_text(encoding="utf-8"), "console")
        for problem in wrong_console_output(block)
    ]
    assert not problems, "\n".join(problems)


@relative
def test_every_block_says_what_it_is(page):
    languages = {match[2] for match in FENCE.finditer(page.read_text(encoding="utf-8"))}
    assert languages <= LANGUAGES, f"blocks marked {languages - LANGUAGES}; use one of {sorted(LANGUAGES)}"


# --- links, files, commands, tone, counts -----------------------------------------------------------------------------


@relative
def test_links_lead_somewhere(page):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@current
def test_anchors_are_unique(page):
    names = anchors(page.read_text(encoding="utf-8"))
    assert sorted(names) == sorted(set(names))


@current
def test_named_files_exist(page):
    assert missing_files(page.read_text(encoding="utf-8")) == []


@current
def test_named_commands_exist(page):
    assert unknown_commands(page.read_text(encoding="utf-8")) == []


@relative
def test_pages_are_calm_and_name_no_machine(page):
    text = page.read_text(encoding="utf-8")
    assert wrong_tone(prose(text)) == []
    assert not MACHINE_PATH.search(text)


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.id)
def test_exercise_docstrings_are_calm(module):
    tree = ast.parse(module.exercise_file.read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    docstrings = [ast.get_docstring(node) or "" for node in nodes]
    without_examples = [re.sub(r"^>>> .*\n(?:.+\n?)*", "", text, flags=re.MULTILINE) for text in docstrings]
    assert any(docstrings)
    assert wrong_tone("\n".join(without_examples)) == []


def test_readme_and_handout_give_the_same_counts():
    counts = {page.name: failed_and_passed(page.read_text(encoding="utf-8")) for page in (PAGES[0], HANDOUT)}
    assert len(counts["README.md"]) == 1, f"README gives {counts['README.md']} as failing and passing tests"
    assert counts["README.md"] == counts[HANDOUT.name]


def test_the_handout_lists_the_groups_of_the_suite():
    suite = ast.parse((REPOSITORY / "tests" / "test_tokenizer.py").read_text(encoding="utf-8"))
    groups = {node.name for node in suite.body if isinstance(node, ast.ClassDef)}
    named = set(re.findall(r"\bTest[A-Z]\w+", HANDOUT.read_text(encoding="utf-8")))
    assert named == groups - {"TestConstruction"}, "the suite differs from the table in `Run the tests`"


def test_the_report_in_the_handout_is_what_a_student_sees():
    result = run([sys.executable, str(RUNNER.with_name("run_submissions.py")), "--first", "04/count_around_the_end"])
    failure = json.loads(result.stdout)["tests"][-1]
    shown = next(block for block in fenced(HANDOUT.read_text(encoding="utf-8"), "text") if "Came back:" in block)
    assert shown.strip() == failure["message"].split("\n\n")[0].strip()


def test_every_place_of_a_handout_that_the_course_points_to_exists():
    """Hints, reports and notebooks name `docs/PAGE.md#ANCHOR`."""
    there = {(page.name, anchor) for page in PAGES for anchor in anchors(page.read_text(encoding="utf-8"))}
    wanted: set[tuple[str, str]] = set()
    for path in tracked_files():
        if path.suffix in {".py", ".toml", ".ipynb"} and path.is_file() and path != Path(__file__):
            wanted |= set(re.findall(r"docs/([\w.-]+\.md)#([\w-]+)", path.read_text(encoding="utf-8")))
    assert wanted
    assert wanted - there == set()


def test_every_pitfall_has_an_anchor_before_its_heading():
    section = PITFALLS.read_text(encoding="utf-8").split("\n## Pitfalls\n")[1].split("\n## ")[0]
    headings = re.findall(r"^### ", section, re.MULTILINE)
    anchored = re.findall(r'^<a id="pitfall-[a-z0-9-]+"></a>\n### ', section, re.MULTILINE)
    assert len(headings) == len(anchored) >= 17


def test_every_pitfall_says_what_is_tempting_and_why_not():
    sections = PITFALLS.read_text(encoding="utf-8").split("\n### ")[1:]
    begin = [section.split("\n\n") for section in sections]
    wrong = [parts[0] for parts in begin if not parts[1].startswith("**Tempting:** ")]
    wrong += [parts[0] for parts in begin if not parts[2].startswith("**Why not:** ")]
    assert not wrong, "a pitfall begins with **Tempting:** and **Why not:**"


def test_the_handout_of_module_04_is_short_and_begins_with_the_reason():
    text = HANDOUT.read_text(encoding="utf-8")
    assert len(text.split()) < 3500
    assert re.findall(r"^## (.+)", text, re.MULTILINE)[0] == "Why tokens matter"


@pytest.mark.whole
def test_what_the_handout_says_about_published_tokenizers_is_so():
    """Each table under "Why tokens matter" gives a text, and its tokens or their number for three tokenizers."""
    try:
        corpus = load_corpus("tinyshakespeare").text
        tokenizers = [BPETokenizer.with_course_special_tokens(), published_tokenizers.load_gpt2()]
        tokenizers.append(published_tokenizers.load_cl100k())
    except CorpusError as error:
        pytest.skip(str(error))
    tokenizers[0].train_exact(corpus, 4096, progress=False)
    section = HANDOUT.read_text(encoding="utf-8").split("\n## Why tokens matter\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \|(?: ([\d,]+) \|)?((?: [^|]+ \|){3})$", section, re.MULTILINE)
    rows = [row for row in rows if not row[0].startswith("text")]
    assert len(rows) == 13
    for name, size, cells in rows:
        text = name.strip("`").replace("␣", " ").replace("\\n", "\n") if name.startswith("`") else corpus
        encoded = [tokenizer.encode_fast(text) for tokenizer in tokenizers]
        counts = [f"{len(ids):,}" for ids in encoded]
        strips = [
            "".join(f"│{tokenizer.vocab[token_id].decode(errors='replace')}" for token_id in ids[:20]) + "│"
            for tokenizer, ids in zip(tokenizers, encoded, strict=True)
        ]
        shown = [cell.strip("` ").replace("␣", " ") for cell in cells.rstrip("| ").split(" | ")]
        assert shown == (counts if size else strips), name
        assert size in ("", f"{len(text.encode()):,}"), name


# --- figures ----------------------------------------------------------------------------------------------------------


def code_beside(path: str):
    """A script of the docs, imported as a module."""
    spec = spec_from_file_location(Path(path).stem, REPOSITORY / "docs" / path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def drawing_differences(first: str, second: str) -> list[str]:
    """The differences between two SVG files, except for invisible differences of coordinates."""
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return ["their elements differ"]
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return [f"{one} and {other}" for one, other in pairs if abs(float(one) - float(other)) > 0.05]


@pytest.mark.parametrize("name", sorted(path.name for path in (REPOSITORY / "docs" / "figures").glob("*.svg")))
def test_figures_are_what_the_code_draws(name, tmp_path):
    drawn = code_beside("figures/draw.py").draw(name, tmp_path).read_text(encoding="utf-8")
    committed = (REPOSITORY / "docs" / "figures" / name).read_text(encoding="utf-8")
    differences = drawing_differences(drawn, committed)
    assert not differences, f"{name} is out of date ({differences[0]}); run python docs/figures/draw.py"


def test_the_picture_of_the_result_shows_what_training_gives():
    try:
        corpus = load_corpus("tinyshakespeare")
    except CorpusError:
        pytest.skip("tinyshakespeare is missing; fetch it with: ./datasets.sh --tiny")
    shown = (REPOSITORY / "docs" / "figures" / "shakespeare.json").read_text(encoding="utf-8")
    assert shown == code_beside("figures/draw.py").window_of(corpus.text)


def test_every_figure_is_committed_and_shown():
    folder = REPOSITORY / "docs" / "figures"
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = {Path(target).name for target in re.findall(r'(?:src|srcset)="([^"]+)"', text)}
    assert {path.name for path in FIGURE_FILES} == set(code_beside("figures/draw.py").FIGURES)
    pictures = [*FIGURE_FILES, *(folder / "screens").iterdir(), *(folder / "lab").iterdir()]
    assert {path.name for path in pictures} == shown


def test_the_pictures_of_screens_are_small():
    for folder, count in (("screens", 4), ("lab", 12)):
        sizes = [path.stat().st_size for path in (REPOSITORY / "docs" / "figures" / folder).iterdir()]
        assert len(sizes) == count and max(sizes) < 100_000


@relative
def test_every_picture_has_a_text_and_a_dark_form(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for picture in re.findall(r"<picture>.*?</picture>", text, re.DOTALL):
        dark, light, described = re.fullmatch(PICTURE, picture).groups()
        assert Path(dark).stem == f"{Path(light).stem}-dark" and len(described) > 40
        assert (page.parent / dark).exists() and (page.parent / light).exists()
    assert "<img" not in re.sub(PICTURE, "", text) and not re.search(r"!\[[^\]]*\]\([^)]*\.(svg|png)\)", text)


@pytest.mark.parametrize("path", FIGURE_FILES, ids=lambda path: path.name)
def test_the_text_of_a_figure_is_text(path):
    drawing = path.read_text(encoding="utf-8")
    assert len(re.findall(r"<text[ >]", drawing)) > 3 and len(drawing) < 60_000


# --- the checks find the problems that they are for -------------------------------------------------------------------


def test_wrong_examples_are_caught(tmp_path):
    page = tmp_path / "wrong.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n\n```python\nraise KeyError\n```\n", encoding="utf-8")
    report = run_examples([str(page)])[str(page)]
    assert report["examples"] == 2
    assert len(report["problems"]) == 2
    assert "Expected:\n    3\nGot:\n    2" in report["problems"][0]
    assert "line 7" in report["problems"][1]


def test_wrong_console_output_is_caught():
    assert wrong_console_output("$ python -c 'print(2)'\n2\n") == []
    assert len(wrong_console_output("$ python -c 'print(2)'\n3\n")) == 1
    assert len(wrong_console_output("$ rm x\n")) == 1


def test_broken_links_are_caught():
    text = "# A b\n[x](#a-b) [x](#nowhere) [x](docs/04-pitfalls.md#pitfall-ties) [x](gone.md) ![x](gone.svg)"
    problems = [problem.split(":")[0] for problem in broken_links(REPOSITORY / "README.md", text)]
    assert problems == ["link to #nowhere", "link to gone.md", "link to gone.svg"]


def test_missing_files_and_commands_are_caught():
    assert missing_files("`g2c/tokenizer/bpe.py` `bpe.py` `ids.uint32` `data/`") == []
    assert len(missing_files("`g2c/tokenizer/gone.py` `gone.py` `gone/`")) == 3
    assert missing_files("```text\n./check.sh; see g2c/tokenizer/bpe.py  the first\n```\n") == []
    assert len(missing_files("```text\ng2c/tokenizer/gone.py    a file (docs/gone.md), any/gone.py\n```\n")) == 2
    assert unknown_commands("`g2c status` and `./noteboosh.sh --run 04`") == []
    assert len(unknown_commands("`g2c dance`, `./gone.sh` and `./noteboosh.sh --dance`")) == 3


def test_wrong_tone_is_caught():
    assert wrong_tone(prose("`a != b` ![picture](x.svg) calm\n```python\n'👋!'\n```\n")) == []
    assert len(wrong_tone("Great!\nHi 👋\n")) == 2
    assert MACHINE_PATH.search("see /home/me/course") and not MACHINE_PATH.search("docs/home/x")


def test_changed_drawings_are_caught():
    assert drawing_differences('<path d="M 1.001 2">', '<path d="M 1.002 2">') == []
    assert drawing_differences('<path d="M 1 2">', '<path d="M 1 3">') == ["2 and 3"]
    assert drawing_differences('<path d="M 1 2">', '<text x="1 2">') != []


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.id)
def test_a_pitfall_says_what_is_tempting_and_why_not(module):
    """In reports "Idea" is the truth: a handout does not call the error one."""
    text = module.pitfalls_file.read_text(encoding="utf-8")
    assert "The idea:" not in text
    assert not re.search(r"^(Tempting|Why not):", text, re.MULTILINE), "write **Tempting:** and **Why not:**"
    paragraphs = text.split("\n\n")
    tempting = [number for number, paragraph in enumerate(paragraphs) if paragraph.startswith("**Tempting:** ")]
    assert tempting
    for number in tempting:
        assert paragraphs[number + 1].startswith("**Why not:** "), paragraphs[number]
