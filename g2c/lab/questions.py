"""The questions that the page asks the student's code. The server passes them on, and student.py answers them."""

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

MODULES = tuple(dict.fromkeys(QUESTIONS.values()))
