"""Makes and runs the course's notebooks.

make.py            makes exercise notebooks from solution notebooks, and runs both
answer_list.py     lists the answers that a student writes in a notebook, and records which are right
run_notebook.py    runs a notebook in a terminal, cell by cell
"""

import os

from coach.common.answer_key import VARIABLE
from coach.exercises import modules, modules_with_key


def code_in_use(module_id: str) -> str:
    """Say whose code a notebook runs: the student's or the answer key's.

    >>> print(code_in_use("04"))  # doctest: +ELLIPSIS
    Module 04, Byte-level BPE, with ...
    """
    module = modules()[module_id]
    name = f"Module {module.id}, {module.title}"
    if module_id in modules_with_key():
        return f"{name}, with the ANSWER KEY ({VARIABLE}={os.environ[VARIABLE]}): what you see is not your own work."
    return f"{name}, with your own code: {module.exercise_path}."
