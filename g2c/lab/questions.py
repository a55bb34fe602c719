"""The views of the page, the questions that it asks the student's code, and the vocabulary that it begins with.

The server passes the questions on, and student.py answers them. A new question is a line here, a function in `ANSWERS`
of student.py, and a function of the object `source` in page/source-server.js and in page/source-local.js, which answers
it in the exported page.
"""

from g2c.course.exercises import modules

QUESTIONS = {
    "tokenizers": "04",
    "encode": "04",
    "token": "04",
    "rounds": "04",
    "train": "04",
    "unused": "04",
    "lattice": "04g",
}
"""Question -> ID of the module whose exercises answer it."""

VIEWS = ("type", "merge", "encode", "compare", "trouble", "lattice")
"""The views of the page, as its addresses and `lab` name them."""

HANDOUT_SCORES = {"<unk>": 0, "h": -3, "u": -3, "g": -3, "s": -2, "hu": -4, "ug": -2, "hug": -4}
"""The vocabulary of docs/04g-unigram.md, with which the view Lattice begins."""

MAX_LATTICE_TEXT = 40
"""Characters of a text whose lattice is shown, at most."""

FIRST_MODULE = "04"
"""The module that every page shows."""

MODULES = tuple(module_id for module_id in dict.fromkeys(QUESTIONS.values()) if module_id in modules())
"""Their modules, as far as this copy of the course has them: a release may leave some out."""
