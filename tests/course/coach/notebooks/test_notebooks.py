"""The notebooks: without answers in the exercise, running, and clear about what a student has yet to write.

That exercise and solution agree and outputs are complete is tested in test_modules.py.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from tokenizers import Tokenizer

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY
from coach.exercises import modules
from coach.notebooks.make import ANSWER, PLACE_FOR_WORDS, exercise_from_solution, read_notebook, run
from coach.setup import noteboosh
from g2c.corpus.corpora import NAMED_TOKENIZERS, TABLES, corpus_is_here, files_are_here, load_corpus
from g2c.tokenizer import load_artifact
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS
from support.clones import copy_course
from support.notebook_outputs import output_texts

MODULES = [module.id for module in modules().values() if module.solution_file.exists()]


def answer_lines(source: str) -> list[str]:
    """The lines of a cell between the marks, stripped of surrounding whitespace."""
    lines = (line for answer in ANSWER.finditer(source) for line in answer["code"].splitlines())
    return [line.strip() for line in lines if re.search(r"\w.*\w", line.replace("return", ""))]


# --- the files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module_id", MODULES)
def test_the_exercise_notebook_has_a_place_for_every_answer_and_no_answer(module_id):
    module = modules()[module_id]
    solution, exercise = read_notebook(module.solution_file), read_notebook(module.notebook_file)
    sources = {cell.id: cell.source for cell in exercise.cells}
    lines = {line.strip() for source in sources.values() for line in source.split("\n")}
    for number, cell in enumerate(solution.cells):
        assert not lines & set(answer_lines(cell.source)), f"an answer of cell {cell.id} is in the exercise notebook"
        tags, following = cell.metadata.get("tags", []), solution.cells[number + 1 : number + 5]
        if "**Question**" in cell.source:
            assert following[0].metadata.tags == ["answer", "folded"], f"the answer to {cell.id} is not folded"
        if module_id != "04c" and "**Predict**" in cell.source:
            assert "prediction" in following[0].metadata.get("tags", []), cell.id
        if "prediction" in tags:
            blank = sources[cell.id].splitlines()[2:-1]
            assert blank and all(re.match(r' +".+": \.\.\.,(  #|$)', line) for line in blank), cell.id
            assert any("compare(prediction," in re.sub(r"\(\s+", "(", later.source) for later in following), cell.id
        if "answer" in tags:
            assert sources[cell.id] == PLACE_FOR_WORDS
            words = re.sub(r"^\*(Answer|Prediction)\.\* ", "", cell.source)
            where = [name for name, source in sources.items() if words in source]
            assert where == ([f"{cell.id}-model"] if "folded" in tags else []), cell.id


@pytest.mark.parametrize("module_id", MODULES)
def test_links_lead_to_handout_and_exercise_file_from_every_folder(module_id, tmp_path, monkeypatch):
    monkeypatch.setattr("coach.common.paths.REPOSITORY", tmp_path)
    module = modules()[module_id]
    copy = tmp_path / "notebooks" / "mine" / module.notebook_file.name
    copy.parent.mkdir(parents=True)
    noteboosh.make_copy(Path(shutil.copy(module.notebook_file, tmp_path / "notebooks")), copy, fresh=False)
    for path, folder in (module.solution_file, "solutions"), (module.notebook_file, "."), (copy, "mine"):
        sources = [cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown"]
        links = re.findall(r"\]\((\.\./[^)]*)\)", "\n".join(sources))
        found = {os.path.normpath(f"notebooks/{folder}/{link}") for link in links}
        assert {module.exercise_path, module.handout} <= found
        assert all((REPOSITORY / name).is_file() for name in found)


def test_only_cells_of_optional_exercises_may_fail_when_all_are_run():
    optional, may_fail = False, {True: set(), False: set()}
    for cell in (cell for module in modules().values() for cell in read_notebook(module.notebook_file).cells):
        if cell.source.startswith("## "):
            optional = re.match(r"## .* \(optional\)", cell.source) is not None
        if cell.cell_type == "code":
            may_fail[optional].add("raises-exception" in cell.metadata.get("tags", []))
    assert may_fail == {True: {True}, False: {False}}


def test_without_the_course_the_first_code_cell_says_what_to_run_instead():
    code = [cell for cell in read_notebook(modules()["04"].notebook_file).cells if cell.cell_type == "code"]
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code[0].source], capture_output=True, encoding="utf-8")
    assert done.stderr.startswith("No module named 'coach': this notebook's kernel lacks the course.\n\nOn your own")
    for command in ("./noteboosh.sh", "!git clone ADDRESS g2c\n", "%cd g2c\n", "%pip install -q -e .[course]\n"):
        assert command in done.stderr


# --- running them -----------------------------------------------------------------------------------------------------


@pytest.mark.timeout(180)
def test_the_solution_runs_and_writes_the_milestone(tmp_path, monkeypatch):
    """On TinyShakespeare if it has been fetched, else on the corpus that is always there."""
    corpus_name = "tinyshakespeare" if corpus_is_here("tinyshakespeare") else "pydocs"
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    environment = {**os.environ, "G2C_SOLUTIONS": "04"}
    notebook = run(read_notebook(modules()["04"].solution_file), folder=tmp_path, environment=environment)

    artifact = load_artifact("ShakespeareTokenizer")
    text = load_corpus(corpus_name).text
    library = Tokenizer.from_file(str(artifact.path / "tokenizer.json"))
    recipe = NAMED_TOKENIZERS["ShakespeareTokenizer"]
    assert library.encode(text).ids == artifact.ids.tolist()
    assert artifact.tokenizer.vocab_size == recipe.vocab_size
    assert artifact.tokenizer.special_tokens == COURSE_SPECIAL_TOKENS
    assert artifact.manifest["corpus"]["name"] == corpus_name
    how = {"algorithm": "train_exact", "ties": "first-seen", "vocab_size": 4096, "code": "answer key"}
    assert artifact.manifest["train"] == how

    shown = [text for cell in notebook.cells for output in cell.get("outputs", []) for text in output_texts(output)]
    assert not [text for text in shown if "False" in text and "as predicted" not in text], "a check is false"
    if corpus_name == "tinyshakespeare":
        assert_that_outputs_are_current(notebook, "04")
    else:
        assert "./datasets.sh tinyshakespeare" in "".join(shown), "the notebook did not say how to get the corpus"


def assert_that_outputs_are_current(notebook, module_id: str) -> None:
    """Compare outputs with the committed ones as plain text, without measured times, which differ from run to run."""

    def texts_of(cell) -> list[str]:
        outputs = cell.get("outputs", ())
        return [without_times(one.get("text") or one.data.get("text/plain", "")) for one in outputs]

    remedy = f"outputs are out of date; make them anew with: python -m coach.notebooks --execute {module_id}"
    committed = read_notebook(modules()[module_id].solution_file)
    for cell, before in zip(notebook.cells, committed.cells, strict=True):
        assert texts_of(cell) == texts_of(before), f"{cell.id}: the committed {remedy}"


def without_times(text: str) -> str:
    """The text without the time that training took; figures and tables of measured times without any number."""
    text = re.sub(r"\[[\d:]+<[\d:]+, ", "[", text)
    is_measured = "times faster" in text or (text.startswith("<") and "second" in text)
    # The columns of a table are as wide as its numbers.
    return re.sub(r"[ ─]+", " ", re.sub(r"\d+(,\d{3})*(\.\d+)?(e[+-]\d+)?", "#", text)) if is_measured else text


@pytest.mark.timeout(600)
@pytest.mark.whole
@pytest.mark.parametrize("module_id", [module_id for module_id in MODULES if module_id != "04"])
def test_a_solution_shows_what_is_committed(module_id, tmp_path):
    module, artifacts = modules()[module_id], str(tmp_path / "artifacts")
    environment = {**os.environ, "G2C_SOLUTIONS": module.keys, "G2C_ARTIFACTS": artifacts}
    notebook = run(read_notebook(module.solution_file), folder=tmp_path, environment=environment)
    if corpus_is_here("tinyshakespeare") and all(files_are_here(table) for table in TABLES.values()):
        assert_that_outputs_are_current(notebook, module_id)


def test_the_designs_on_the_page_have_the_numbers_that_the_notebook_prints(tmp_path):
    if not corpus_is_here("tinyshakespeare"):
        pytest.skip("tinyshakespeare is missing; fetch it with: ./datasets.sh --tiny")
    path = REPOSITORY / "notebooks" / "design.ipynb"
    notebook = run(read_notebook(path), folder=tmp_path, environment={**os.environ, "G2C_SOLUTIONS": "all"})
    page = (REPOSITORY / "docs" / "design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .+? tokens \| (\d.*) \|$", page, re.MULTILINE)
    assert len(rows) == 3
    for cell_id, row in zip(("start", "change-pattern", "change-size"), rows):
        [printed] = [cell.outputs[0].text for cell in notebook.cells if cell.id == cell_id]
        *bits, mean = re.findall(r"\d\.\d{3}(?=$| bits)", printed, re.MULTILINE)[:5]
        [parity] = re.findall(r"^Hindi.* (\d\.\d\d) ", printed, re.MULTILINE)
        assert row.split(" | ") == [*bits, mean, parity], cell_id
    # The command that lists a class's results finds one for each design.
    [command] = re.findall("^grep -o '(.*)' ", page, re.MULTILINE)
    assert len(re.findall(command, nbformat.writes(notebook))) == 4


@pytest.mark.timeout(600)
@pytest.mark.parametrize("module_id", ["04", *(pytest.param(id, marks=pytest.mark.whole) for id in MODULES[1:])])
def test_on_the_stubs_every_error_says_what_to_write_next(module_id, course_template, tmp_path):
    clone, module = copy_course(course_template, tmp_path / "clone"), modules()[module_id]
    notebook = read_notebook(module.notebook_file)
    run(notebook, folder=clone.folder, environment=clone.environment, allow_errors=True)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    errors = [(output.ename, output.evalue) for output in outputs if output.output_type == "error"]
    assert len(errors) >= (20 if module_id == "04" else 5), f"too few cells fail on the stubs: {errors}"
    for name, message in errors:
        todo = name == "NotImplementedError" and re.fullmatch(r"TODO: \w+", message)
        unwritten = name == "NotWritten" and re.fullmatch(r"(\w+ cannot be checked yet: TODO: \w+\.\n?)+", message)
        not_ready = name == "NotReadyError" and "is not written yet: g2c/" in message
        missing = name == "MissingFileError" and "save" in message
        assert todo or unwritten or not_ready or missing, f"a cell fails with {name}: {message}"
    shown = "".join(text for output in outputs for text in output_texts(output))
    assert f"with your own code: {module.exercise_path}" in shown
    assert not (clone.folder / "artifacts" / "tokenizers" / "ShakespeareTokenizer").exists()


@pytest.mark.timeout(60)
def test_a_saved_change_takes_effect_in_the_running_notebook(clone):
    setup = next(cell for cell in read_notebook(modules()["04"].notebook_file).cells if cell.id == "setup")
    save = """
from pathlib import Path
file = Path("g2c/tokenizer/bpe.py")
todo = 'raise NotImplementedError("TODO: _merge")'
file.write_text(file.read_text().replace(todo, 'return ["written", self.pattern]'))
"""
    before, after = "old = BPETokenizer()\nold._merge([1, 2], (1, 2), 3)", "%s._merge([], (1, 2), 3)"
    sources = (setup.source, before, save, after % "old", after % "BPETokenizer()")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    run(notebook, folder=clone.folder, environment=clone.environment, allow_errors=True)
    [todo], _, *results = [cell.outputs for cell in notebook.cells[1:]]
    assert todo.ename == "NotImplementedError"
    assert [output.data["text/plain"] for [output] in results] == ["['written', None]"] * 2


# --- the generator ----------------------------------------------------------------------------------------------------


NO_MARK = "'### (BEGIN|END) ANSWER.* is not a mark of an answer, or its"


@pytest.mark.parametrize(
    ("source", "tags", "said"),
    [
        ("### BEGIN ANSWER f\npass", [], NO_MARK),
        ("pass\n### END ANSWER", [], NO_MARK),
        ("### BEGIN ANSWER f\n### BEGIN ANSWER g\n### END ANSWER", [], NO_MARK),
        ("### BEGIN ANSWER f\n1\n### END ANSWER f", [], NO_MARK),
        ('prediction = {"pairs": 2}', ["prediction"], "write each entry"),
    ],
)
def test_a_cell_that_the_exercise_notebook_would_give_away_is_an_error(source, tags, said):
    cell = nbformat.v4.new_code_cell(source, id="e1", metadata={"tags": tags})
    with pytest.raises(CourseError, match=f"Cell e1: {said}"):
        exercise_from_solution(nbformat.v4.new_notebook(cells=[cell]))


def test_the_samples_of_04d_are_those_of_the_lab_in_the_same_order():
    script = (REPOSITORY / "g2c/lab/page/views.js").read_text(encoding="utf-8")
    for folder in ("notebooks", "notebooks/solutions"):
        cells = read_notebook(REPOSITORY / folder / "04d-real-tokenizers.ipynb").cells
        [source] = [cell.source for cell in cells if cell.source.startswith("SAMPLES = {")]
        samples = ast.literal_eval(ast.parse(source).body[0].value)
        lines = [f"  {name}: {json.dumps(text, ensure_ascii=False)},\n" for name, text in samples.items()]
        assert f"const SAMPLES = {{\n{''.join(lines)}}};" in script, f"views.js and {folder} have different samples"
