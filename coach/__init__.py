"""Runs a course: its suites and reports, hints, notebooks, grading. What the course is, course.toml says.

Suites and notebooks import:

teaching.py            has call, check and the other functions that suites are written with
notebook_answers.py    checks the answers in notebooks
exercises.py           lists modules and exercises, and the modules that use the answer key
standing.py            knows how far the student is; state.py stores it

The rooms:

common/                errors, files, paths, course.toml, packages, the choice of the answer key
testing/               runs suites and reports failures
diagnosis/             names the mistake behind a wrong answer
notebooks/             makes exercise notebooks, and runs notebooks
setup/                 makes .venv and opens notebooks: the work of the scripts
commands/              has the subcommands for students, which cli.py calls
grading/               marks submissions
page/                  runs the course in a browser

Also: source.py finds the code of an exercise in a file, exercise_file.py says whether tests can use this file, plain.py
prints errors as sentences, release.py writes the repository that students clone, and missing.py says what a module
lacks.
"""
