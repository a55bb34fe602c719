"""The answers in notebooks: checks catch stubs and wrong variants and pass what is right; hints; which ones count."""

import ast
import json
import linecache
import re
import sys
import textwrap
from contextlib import suppress
from dataclasses import replace
from functools import cache

import nbformat
import numpy as np
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from coach.common.errors import CourseError
from coach.exercises import modules
from coach.notebook_answers import Answers, WrongAnswer, compare, run_check
from coach.notebooks.answer_list import answers_of
from coach.notebooks.make import ANSWER, TODO, run
from coach.testing.observation import StudentFailure
from g2c.corpus.corpora import NAMED_TOKENIZERS
from support.clones import Clone


@pytest.fixture(autouse=True)
def small_artifacts(monkeypatch, tmp_path):
    """What notebook 04c loads is small, and in a folder of the test."""
    recipe = replace(NAMED_TOKENIZERS["ShakespeareTokenizer"], corpus="pydocs", vocab_size=270, fallback=None)
    monkeypatch.setitem(NAMED_TOKENIZERS, recipe.name, recipe)
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    (tmp_path / "repository").mkdir()
    monkeypatch.setattr("coach.common.paths.REPOSITORY", tmp_path / "repository")


@cache
def code_cells(module_id: str) -> list[str]:
    """The code of a module's solution notebook."""
    notebook = json.loads(modules()[module_id].solution_file.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@cache
def given(module_id: str) -> dict:
    """What answers use of the solution notebook, executed."""
    names = {"__name__": "notebook"}
    for source in code_cells(module_id):
        execute(source, names)
    return names


def execute(source: str, names: dict) -> None:
    """Run the imports, functions, classes and literals of a cell."""
    code = TransformerManager().transform_cell(source)
    name = f"<cell {hash(code)}>"
    # As IPython does it: reports read the source of functions.
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    for node in filter(is_definition, ast.parse(code).body):
        with suppress(NameError):  # It uses what other code has computed.
            exec(compile(ast.Module([node], []), name, "exec"), names)


def is_definition(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        with suppress(ValueError):
            ast.literal_eval(node.value)
            return True
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


def variant(one, answer: str | None):
    """The function of the notebook with this code in place of the answer; None for the answer itself."""
    matches = [found for source in code_cells(one.module_id) for found in ANSWER.finditer(source)]
    [own] = [found for found in matches if found["name"] == one.name]
    code = own[0] if answer is None else textwrap.indent(answer, own["indent"])
    execute(own.string.replace(own[0], code), names := dict(given(one.module_id)))
    return names[one.name]


def todo(name: str) -> str:
    return TODO.format(indent="", name=name)


@pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.id)
def test_each_check_passes_the_right_answer_and_catches_the_stub_and_every_wrong_one(module):
    answers = answers_of(module)
    assert answers
    for one in answers.values():
        run_check(one, variant(one, None))
        with pytest.raises(NotImplementedError, match=f"TODO: {one.name}"):
            run_check(one, variant(one, todo(one.name)))
        for code in one.wrong:
            with pytest.raises(StudentFailure) as failure:
                run_check(one, variant(one, code))
            report = str(failure.value)
            labels = re.findall(r"^([A-Z][A-Za-z ]+):", report, re.MULTILINE)
            # Where the answer raised an error, what is expected is any value, and the line on the error explains it.
            explanation = "Mistake" if "Expected:   a value, and no error" in report else "Idea"
            assert labels[0] == "Called" and {"Expected", explanation} <= set(labels), (one.name, code, report)
            assert {"Came back", "Afterwards"} & set(labels), (one.name, code, report)


RIGHT_BY_OTHER_MEANS = {
    ("04", "comes_back"): "return tokenizer.decode(tokenizer.encode_fast(text)) == text",
    ("04", "train_and_save"): """\
tokenizer.train_exact(text, how["vocab_size"])
tokenizer.save_artifact(NAME, tokenizer.encode_fast(corpus.text), corpus=corpus, train=how)""",
    ("04", "checks"): """\
return {
    "merges": loaded.merges == shakespeare.merges,
    "decoded": loaded.decode(saved_ids) == corpus.text,
    "library": library.encode(corpus.text).ids == saved_ids,
    "encode": shakespeare.encode(sample) == library.encode(sample).ids,
}""",
    ("04a", "forms_of"): """\
known = map(everything.id_to_token.get, range(everything.vocab_size))
return [one for one in known if one.strip(".,:;!?'") == word]""",
    ("04a", "tokens_per_1000_characters"): "return 1000 * len(tokenizer.symbols(text)) / len(text)",
    ("04a", "unknown_share"): """\
ids = tokenizer.encode(text)
return ids.count(tokenizer.token_to_id[tokenizer.unk_token]) / len(ids)""",
    ("04b", "endings_of"): "return [one for one in tokenizer.token_to_id if one.endswith('_') and len(one) > 2]",
    ("04d", "same_as_library"): """\
mine = tokenizer.encode(text)
return len(mine), tokenizer.to_hf().encode_batch([text])[0].ids == mine""",
    ("04f", "unknown_words"): """\
unknown = [tokenizer.token_to_id[tokenizer.unk_token]]
return [word for word in tokenizer._words(text) if tokenizer.encode(word) == unknown]""",
    ("04g", "segmentations"): """\
if any((edge.start, edge.end) == (0, end) for edge in tokenizer.lattice(text)):
    found += [[text[:end], *rest] for rest in segmentations(tokenizer, text[end:])]""",
    ("05", "unseen_tokens"): """\
probabilities = model.distribution(())
return [token_id for token_id, one in enumerate(probabilities) if one == min(probabilities)]""",
    ("05", "reply"): """\
assistant = chat_tokenizer.special_to_id["<|assistant|>"]
new = model.sample([*so_far, assistant], 30, 1)
return [assistant, *new[: new.index(end_of_message) + 1]]""",
}


WRONG_AND_SAID = [
    ("04", "grouped_from_the_right", 'return "(a"', "Idea:       It cannot be read: end pattern with unmatched paren"),
    ("04", "grouped_from_the_right", 'return ["a"]', "Idea:       It cannot be read: pattern must be 'gpt2', 'gpt4'"),
    ("04", "grouped_from_the_right", 'r"a"', "Mistake:    nothing is returned."),
    ("04", "checks", "return [True] * 4", "Came back:  whether it is a dictionary: False"),
    ("04b", "word_counts", "counts[word] += 1", "Mistake:    a count is added to a key that does not exist yet."),
    ("04b", "word_counts", "counts[wrd] = 1", "Mistake:    there is no name 'wrd'. Did you mean: 'word'?"),
    ("04c", "artifact", 'return load_milestone("My")', "Came back:  CourseError: There is no milestone My; there is"),
    ("05", "reply", "return model.sample(so_far, 9, 1, stop=1)", "Mistake:    a function is called with the wrong"),
]


@pytest.mark.parametrize("module_id, name, code, said", WRONG_AND_SAID)
def test_a_wrong_answer_is_explained(module_id, name, code, said):
    one = answers_of(modules()[module_id])[name]
    with pytest.raises(StudentFailure) as failure:
        run_check(one, variant(one, code))
    assert f"\n{said}" in str(failure.value)


@pytest.mark.parametrize("module_id, name", RIGHT_BY_OTHER_MEANS, ids=lambda part: part)
def test_a_right_answer_may_use_any_method_of_the_class_that_it_is_given(module_id, name):
    one = answers_of(modules()[module_id])[name]
    run_check(one, variant(one, RIGHT_BY_OTHER_MEANS[module_id, name]))


# --- what a student sees ----------------------------------------------------------------------------------------------


@pytest.fixture
def comes_back():
    return answers_of(modules()["04"])["comes_back"]


def test_a_wrong_answer_is_reported_without_traceback_and_with_a_hint_to_ask_for(comes_back):
    with pytest.raises(WrongAnswer) as error:
        Answers("04").check(variant(comes_back, "return True"))
    lines = error.value._render_traceback_()
    assert lines[0].startswith("Called:     comes_back(")
    assert "Came back:  True" in lines and "Expected:   False" in lines
    assert lines[-1] == "Hint:       answers.hint(comes_back)"
    assert not any(line.startswith("Read:") for line in lines), "a link to the pitfalls of the exercises"


def test_several_answers_in_one_cell_are_all_reported(capsys):
    answers = answers_of(modules()["04"])
    codes = {"bytes_per_token": "return 0", "operations_per_byte": None, "checks": todo("checks")}
    functions = [variant(answers[name], code) for name, code in (codes | {"comes_back": "return True"}).items()]
    with pytest.raises(WrongAnswer) as error:
        Answers("04").check(*functions)
    assert re.findall(r"^Called: +(\w+)", str(error.value), re.MULTILINE) == ["bytes_per_token", "comes_back"]
    shown = "operations_per_byte is right.\nchecks cannot be checked yet: TODO: checks.\n"
    assert capsys.readouterr().out == shown
    with pytest.raises(NotImplementedError) as unwritten:
        Answers("04").check(*functions[1:3])
    assert unwritten.value._render_traceback_() == ["checks cannot be checked yet: TODO: checks."]


def test_a_prediction_is_compared_with_what_came_out():
    prediction = {"pairs": 7, "a list": (1, 2), "a word": "The", "another": 3, "open": ..., "without its table": 6}
    outcomes = {"pairs": 7, "a list": [1, 2], "a word": "the", "another": 4, "open": 5, "without its table": ...}
    compared = compare(prediction, outcomes)
    for written in ("4 2 1", "4, 2, 1", "[4, 2, 1]", " (4,2,1)"):
        assert compare({"IDs": written}, {"IDs": [4, 2, 1]}).rows[0][3] == "as predicted"
    assert compare({"IDs": "4 21"}, {"IDs": [4, 2, 1]}).rows[0][3] == "not as predicted"
    verdicts = [*["as predicted"] * 3, "not as predicted", "nothing predicted", "not compared"]
    assert [row[3] for row in compared.rows] == verdicts
    assert [row[1:3] for row in compared.rows[3:]] == [["3", "4"], ["", "5"], ["6", ""]]
    assert compare({"IDs": np.array([4, 2])}, {"IDs": [4, 2]}).rows[0][3] == "as predicted"
    for other in (prediction, 7):
        with pytest.raises(
            CourseError, match="Run the cell above with your prediction first. It is about: tokens left."
        ):
            compare(other, {"tokens left": 1})


def test_what_is_known_of_code_that_may_have_been_edited_since_does_not_count(comes_back):
    seen = []
    for _ in range(2):
        with pytest.raises(StudentFailure) as failure:
            run_check(comes_back, variant(comes_back, "return True"))
        seen.append(failure.value.observation.call.before())
    assert len(seen[0]) == len(seen[1]), "the second check knows no call of the first"


def test_an_answer_may_be_given_by_its_name_and_what_is_no_answer_is_named(comes_back, capsys, monkeypatch):
    with pytest.raises(CourseError, match="variant is not an answer of this notebook; its answers are most_frequent_"):
        Answers("04").check(variant)
    with pytest.raises(CourseError, match="comes_back is not defined yet: run the cell with your answer first."):
        Answers("04").check("comes_back")
    monkeypatch.setattr(sys.modules["__main__"], "comes_back", variant(comes_back, None), raising=False)
    Answers("04").check("comes_back")
    assert capsys.readouterr().out == "comes_back is right.\n"


@pytest.mark.parametrize("value, kind", [(None, "None"), ("one line\n" * 99, "text")])
def test_a_value_in_place_of_an_answer_is_named_in_a_line_and_without_traceback(value, kind):
    for ask in (Answers("04").check, Answers("04").hint):
        with pytest.raises(CourseError) as error:
            ask(value)
        [line] = error.value._render_traceback_()
        assert line.startswith(f"This is {kind}, and no answer: write the function's name alone, without parentheses")


def test_each_call_shows_one_more_hint(comes_back, capsys):
    Answers("04").hint("comes_back")
    assert capsys.readouterr().out == f"Hint 1 of 2: {comes_back.hints[0]}\nAsk again for the next hint.\n"
    Answers("04").hint(variant(comes_back, None))
    shown = capsys.readouterr().out
    assert f"Hint 2 of 2: {comes_back.hints[1]}\n" in shown
    assert "notebooks/solutions/04-tokenizer.ipynb, under BEGIN ANSWER comes_back." in shown


# --- what counts ------------------------------------------------------------------------------------------------------

SETUP = 'from coach.notebook_answers import Answers\n\nanswers = Answers("04")'
RIGHT = "def bytes_per_token(text, ids):\n    return len(text.encode()) / len(ids)"
WRONG = "def comes_back(tokenizer, text):\n    return True"
RIGHT_OF_10 = "04-tokenizer.ipynb   {} of 10 answers right"


def working_copy(clone: Clone, *sources: str, **variables: str) -> list:
    """Write a working copy with these cells, and run it there. Returns the outputs of its cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (SETUP, *sources)])
    clone.path("notebooks/mine").mkdir(exist_ok=True)
    nbformat.write(notebook, clone.path("notebooks/mine/04-tokenizer.ipynb"))
    environment = {**clone.environment, **variables}
    run(notebook, folder=clone.path("notebooks/mine"), environment=environment, allow_errors=True)
    return [cell.outputs for cell in notebook.cells[1:]]


@pytest.mark.timeout(120)
@pytest.mark.whole
def test_an_answer_counts_from_the_check_that_it_passes_to_one_that_it_fails(clone, monkeypatch):
    monkeypatch.undo()
    cells = [RIGHT, "answers.check(bytes_per_token)", WRONG, "answers.check(comes_back)"]
    assert "answers right" not in clone.g2c("status").stdout, "the notebook was never opened"
    working_copy(clone, *cells, G2C_SOLUTIONS="04")
    assert RIGHT_OF_10.format(0) in clone.g2c("status").stdout, "the answer key's"
    _, [right], _, [wrong] = working_copy(clone, *cells)
    assert right.text == "bytes_per_token is right.\n"
    assert wrong.ename == "WrongAnswer" and wrong.evalue.startswith("Called:     comes_back(")
    assert "Traceback" not in "\n".join(wrong.traceback) and wrong.traceback[0].startswith("Called:")
    assert RIGHT_OF_10.format(1) in clone.g2c("status").stdout
    working_copy(clone, RIGHT.replace("len(ids)", "len(text)"), "answers.check(bytes_per_token)")
    assert RIGHT_OF_10.format(0) in clone.g2c("status").stdout
