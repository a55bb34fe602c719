"""The page without a browser: what is in it, and its worker in Node.js, whose reports are those of a terminal."""

import json
import random
import re
import sys
import tomllib
import unicodedata
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import tokenizers

from coach.common.errors import CourseError
from coach.diagnosis import bank
from coach.exercises import modules
from coach.page import build, packages
from coach.source import key_code
from g2c.commands import main
from g2c.corpus.corpora import load_corpus
from g2c.lab.pages import FOLDER as LAB
from g2c.lab.regexes import translated
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.patterns import PATTERNS, bert_words, splitter
from support.classes import code_of
from support.clones import copy_small_course
from support.exercise_files import MODULE, STUB, all_but, body_of, solved
from support.labs import in_node
from support.page_workers import PageWorker, page_folder

OFFERED = ["04", "05", "04a", "04b", "04e", "04f", "04g"]


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_the_modules_that_need_no_library_are_in_it_and_no_answer_is(monkeypatch):
    offered = build.offered_modules()
    assert [module.id for module in offered] == OFFERED
    files = build.course_files(offered)
    assert not [path for path in files if re.search("solutions|grading|mistakes/.*/[a-z].*py|^notebooks", path)]
    assert "modules" not in tomllib.loads(files["course.toml"].decode()), "a list with modules that are not here"
    for module in offered:
        for exercise in module.exercises:
            assert f'raise NotImplementedError("TODO: {exercise.name}")'.encode() in files[module.exercise_path]
            assert f"def {exercise.name}(".encode() in files[module.exercise_path]


def test_what_to_read_is_a_section_of_a_handout():
    offered = build.offered_modules()
    pages = build.handouts(offered)
    exercises = [exercise for module in build.described(offered)["modules"] for exercise in module["exercises"]]
    reading = [target for exercise in exercises for _, target in exercise["reading"]]
    assert len(reading) > 9
    for page, anchor in (target.split("#") for target in reading):
        assert f'id="{anchor}"' in pages[page]
    links = re.findall('<a href="([^"]+)', "".join(pages.values()))
    assert "04-pitfalls.html" in links and "lab.html" not in links and not [link for link in links if ".md" in link]


def test_an_answer_in_an_exercise_file_is_refused_before_anything_is_fetched(tmp_path, monkeypatch):
    file = tmp_path / "bpe.py"
    file.write_text(solved("_merge"), encoding="utf-8")
    monkeypatch.setattr(build, "npm_files", lambda: pytest.fail("packages are fetched first"))
    with pytest.raises(CourseError, match="contains an answer: it lacks the TODO of _merge"):
        build.write_page(tmp_path / "page", [replace(MODULE, exercise_file=file)])


def test_without_the_pinned_packages_there_is_no_page_and_a_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(packages, "ARCHIVES", tmp_path / "archives")
    monkeypatch.setattr(packages, "download_package", lambda *_: b"another archive")
    assert main(["page", str(tmp_path / "page")]) == 1
    assert "is not the one that packages.toml pins" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(packages, "ARCHIVES", tmp_path / "archives")
    monkeypatch.setenv("PATH", "")
    assert main(["page", str(tmp_path / "page")]) == 1
    assert "npm is not installed" in capsys.readouterr().err
    assert not (tmp_path / "page").exists()


# --- how it splits texts ----------------------------------------------------------------------------------------------

SPLIT = f"""
import {{ readFileSync }} from "node:fs";
const {{ splitByRegex }} = await import("{(LAB / "tokenizer.js").as_uri()}");
const [regexes, texts] = JSON.parse(readFileSync(0, "utf8"));
const split = (parts, regex) => parts.flatMap((part) => splitByRegex(regex, part)).filter(Boolean);
process.stdout.write(JSON.stringify(texts.map((text) => regexes.reduce(split, [text]))));
"""


@pytest.fixture
def regexes(monkeypatch):
    """The module of the page, which asks the browser for nothing here."""
    monkeypatch.setitem(sys.modules, "js", SimpleNamespace(splitText=None))
    from g2c.page import regexes as module

    return module


@cache
def known_characters(unicode=unicodedata) -> list[str]:
    """All but those that a library may know and another not, and surrogates."""
    return [one for one in map(chr, range(0x110000)) if unicode.category(one) not in ("Cn", "Cs")]


def all_texts(characters: list[str]) -> list[str]:
    """Texts with all these characters, and random ones."""
    random.seed(44)
    every = [f"a {one}1{one}" for one in characters]
    texts = ["\nAb".join(every[start : start + 50]) for start in range(0, len(every), 50)]
    common = " \n\r\t'stKſK.,!?-_/\\12a\u00e9Ⅷ½中あア\u0301\u00a0\u2028\ufeff\x1c\x85"
    return texts + ["".join(random.choices([*common, *random.choices(characters, k=5)], k=24)) for _ in range(5000)]


@pytest.mark.whole
@pytest.mark.parametrize("name", PATTERNS)
def test_the_browser_splits_as_the_library_does(name, regexes):
    texts = all_texts(known_characters())
    split = splitter(PATTERNS[name]).pre_tokenize_str
    for text, pieces in zip(texts, in_node(SPLIT, [[translated(PATTERNS[name])], texts]), strict=True):
        assert pieces == [piece for piece, _ in split(text)], f"{text!r} by {name}"


@pytest.mark.whole
@pytest.mark.parametrize("lowercase", [True, False])
def test_the_browser_finds_the_words_of_bert(lowercase, regexes):
    # The library's tables for words are many years old: of characters that are older, those that stayed what they were.
    old = unicodedata.ucd_3_2_0
    texts = all_texts([one for one in known_characters(old) if old.category(one) == unicodedata.category(one)])
    normalized = list(map(regexes.normalizers.BertNormalizer(lowercase).normalize_str, texts))
    for text, pieces in zip(texts, in_node(SPLIT, [[regexes.BERT_WORDS], normalized]), strict=True):
        assert [piece for piece in pieces if not piece.isspace()] == bert_words(text, lowercase), text


# --- its reports ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> Path:
    return page_folder()


@pytest.fixture(scope="module")
def worker(page):
    with PageWorker(page) as running:
        yield running


@pytest.mark.whole
@pytest.mark.parametrize("exercise", MODULE.exercises, ids=lambda exercise: exercise.name)
def test_a_wrong_solution_gets_the_name_that_it_has_in_a_terminal(exercise, worker):
    entry = random.Random(44).choice([one for one in bank.entries("04") if one.exercise is exercise])
    (test, rows), *_ = worker.failures("04", all_but(exercise.name, body_of(entry)))
    assert test.split("::")[1] == entry.caught_by
    assert entry.mistake.name in next(text for label, text, _ in rows if label == "Mistake:")


def answered(module_id: str) -> str:
    """An exercise file with the answer key's code."""
    module = modules()[module_id]
    return module.exercise_file.read_text(encoding="utf-8") + key_code(module, module.exercises)


@pytest.mark.whole
def test_right_solutions_pass_and_what_only_an_installation_has_is_skipped(worker):
    files = {modules()[module_id].exercise_path: answered(module_id) for module_id in OFFERED}
    worker.asked(do="merge", text="", pattern=None, steps=1, files=files)
    skipped = set()
    for module_id in OFFERED:
        lines = worker.lines(module_id, answered(module_id))
        assert not [line for line in lines if line.get("outcome") == "failed"], module_id
        skipped |= {line["test"].split("::")[1] for line in lines if line.get("outcome") == "skipped"}
    assert skipped == {"TestDecode", "TestPersistence", "TestRoundTrip", "TestTogether"}


@pytest.mark.whole
def test_another_course_has_a_page_too(page, course_template, tmp_path):
    course = copy_small_course(course_template, tmp_path / "course", ["91", "92"])
    course.path("docs").mkdir()
    for name in ("91-doubling", "92-counting"):
        course.path(f"docs/{name}.md").write_text("# A handout\n", encoding="utf-8")
    # They were fetched for the page of this course.
    course.path(".g2c").mkdir()
    course.path(".g2c/packages").symlink_to(packages.ARCHIVES)
    done = course.run("-m", "coach", "page", "build/a page")
    assert "with module 91, 92" in done.stdout and "--directory 'build/a page'" in done.stdout, done.stderr
    with PageWorker(course.path("build/a page")) as running:
        assert running.failures("91", code_of(), "small/toys/doubling.py") == []
        [(test, rows), *_] = running.failures("91", code_of("return 3 * number"), "small/toys/doubling.py")
    assert test == "tests/test_doubling.py::TestDouble::test_three"
    assert "double(3) is 6: 3 + 3" in json.dumps(rows)


@pytest.mark.whole
def test_training_gives_the_file_that_the_library_writes(worker):
    posted = worker.asked(do="train", size=268, files={MODULE.exercise_path: solved()})
    [trained] = [message["trained"] for message in posted if "trained" in message]
    mine = BPETokenizer.with_course_special_tokens()
    mine.train(load_corpus("tinyshakespeare", fallback="pydocs").text, 268, progress=False)
    assert trained["file"].encode() == mine.to_hf().to_str(pretty=True).encode()
    text = "What is thy name? <|user|>"
    assert tokenizers.Tokenizer.from_str(trained["file"]).encode(text).ids == mine.encode(text)
    files = {MODULE.exercise_path: solved()}
    [answer, _] = worker.asked(do="encode", text=text, table=trained["table"], files=files)
    assert answer["answer"]["ids"] == mine.encode(text)
    failed = worker.asked(do="train", size=268, files={MODULE.exercise_path: STUB})
    assert failed[0]["problem"]["title"] == "Your code raised NotImplementedError: TODO: train_step"


ENDLESS = "while True:\n    try:\n        while True:\n            pass\n    except:\n        pass"
STUDENTS = {
    "todo": (STUB, "_get_pair_counts is not written yet"),
    "list": (all_but("_get_pair_counts", "return [1]"), "does not return what the docstring says"),
    "endless": (all_but("_get_pair_counts", ENDLESS), "did not return within"),
    "large": (all_but("_get_pair_counts", "return [0] * 2**28"), "too much memory"),
    "broken": ("def (", "is not valid Python"),
}


@pytest.mark.whole
@pytest.mark.parametrize("name", STUDENTS)
def test_a_view_says_why_the_students_code_gave_nothing(name, worker):
    text, said = STUDENTS[name]
    [answer, _] = worker.asked(do="merge", text="the the", pattern=None, steps=2, files={MODULE.exercise_path: text})
    assert said in json.dumps(answer["answer"]) and "states" not in answer["answer"]


@pytest.mark.whole
def test_a_view_shows_what_the_students_code_returns(worker):
    chosen = solved().replace("max(", "min(")
    asked = {"do": "merge", "text": "the the", "pattern": None, "steps": 2}
    [right, _] = worker.asked(**asked, files={MODULE.exercise_path: solved()})
    [wrong, _] = worker.asked(**asked, files={MODULE.exercise_path: chosen})
    states = right["answer"]["states"]
    assert [state["chosen"] for state in states] == [[116, 104, 2], [256, 101, 2], None]
    assert states[0]["counts"] == [[116, 104, 2], [104, 101, 2], [101, 32, 1], [32, 116, 1]]
    assert [state["chosen"] for state in wrong["answer"]["states"]][:1] == [[101, 32, 1]]


@pytest.mark.whole
def test_a_students_import_of_what_only_an_installation_has_fails(worker):
    imports = all_but("decode", "import numpy\nreturn ''")
    failures = worker.failures("04", imports)
    line = imports[: imports.index("import numpy")].count("\n") + 1
    came = "ModuleNotFoundError: No module named 'numpy', in decode"
    rows = {label: text.strip() for label, text, _ in failures[0][1]}
    assert rows["Came back:"] == f"{came}, {MODULE.exercise_path}, line {line}"
    assert rows["Mistake:"].startswith("numpy is not here. In the course's page, the code may be right")
