"""`g2c grade --notebooks`: the words of a class on one page, by question."""

import json

from coach.exercises import modules
from g2c.commands import main

NOTEBOOK = modules()["04"].notebook_file


def hand_in(folder, student, answers):
    """The exercise notebook with a student's words in these cells."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            cell["source"] = answers[cell["id"]]
    (folder / student).mkdir(parents=True)
    (folder / student / NOTEBOOK.name).write_text(json.dumps(notebook), encoding="utf-8")


def test_the_words_of_a_class_are_on_one_page_by_question(tmp_path, capsys):
    handed_in = tmp_path / "submissions"
    prediction = "# Seven pairs.\nprediction = {'pairs': 7}  # \ud800"
    hand_in(handed_in, "Ada", {"e1-answer": ["They share ", "the <b>middle</b>."], "e1-prediction": prediction})
    hand_in(handed_in, "Bo", {"e1-answer": "Because of the overlap."})
    for student, damaged in (("Cy", b"[" * 100_000), ("Di", b'{"cells": [1]}')):
        (handed_in / student).mkdir()
        (handed_in / student / NOTEBOOK.name).write_bytes(damaged)
    (tmp_path / "grades").mkdir()
    (tmp_path / "grades" / "notebooks.html").write_text("last week's", encoding="utf-8")
    assert main(["grade", str(handed_in), "--output", str(tmp_path / "grades"), "--notebooks"]) == 0
    assert "notebooks.html" in capsys.readouterr().out
    [earlier] = (tmp_path / "grades").glob("earlier/*/notebooks.html")
    assert earlier.read_text(encoding="utf-8") == "last week's"
    page = (tmp_path / "grades" / "notebooks.html").read_text(encoding="utf-8")
    question = page.partition("<h3>e1-answer</h3>")[2].partition("<h3>")[0]
    assert question.index("counted twice but replaced only once") < question.index("share the 1 in")
    assert question.index("share the 1 in") < question.index("They share the &lt;b&gt;middle")
    assert question.index("Ada") < question.index("Because of the overlap.")
    prediction = page.partition("<h3>e1-prediction</h3>")[2].partition("<h3>")[0]
    assert "Seven pairs." in prediction and "<b>Bo</b> <span" in prediction, "Bo predicted nothing"
    assert "No notebook that can be read: Cy, Di." in page
    assert "double-click" not in page and "&quot;pairs&quot;: ...," not in page, "an empty place is not an answer"
