"""Runs the course: the list of exercises, suites and their reports, the `g2c` command, notebooks, the scripts' work.

Suites and notebooks import:

exercises.py           lists modules and exercises, from exercises.toml, and the modules that use the answer key
teaching.py            has call, check and the other functions that suites are written with
notebook_answers.py    checks the answers in notebooks
own_code.py            makes a milestone, once the suite of its module passes
milestone.py           says whose code made an artifact
standing.py            knows how far the student is; state.py stores it

The rooms:

testing/               runs suites and reports failures
diagnosis/             names the mistake behind a wrong answer
notebooks/             makes exercise notebooks, and runs notebooks
setup/                 makes .venv, fetches corpora, opens notebooks: the work of the scripts
commands/              has the subcommands of `g2c`, which cli.py calls

Also: source.py finds the code of an exercise in a file, exercise_file.py says whether tests can use this file, plain.py
prints errors as sentences, and release.py writes the repository that students clone.
"""

import sys
from importlib import import_module

from g2c.common.errors import NEEDS_UNIX

try:
    # A browser lacks some of them too, but the course in a page does not need them.
    for _name in () if sys.platform == "emscripten" else ("fcntl", "pwd", "resource", "termios"):
        import_module(_name)
except ImportError:
    sys.exit(NEEDS_UNIX)
