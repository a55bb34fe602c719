"""Does the work of the scripts, with only the standard library.

environment.py    creates .venv, and brings it up to date: `python -m g2c.course.setup`
datasets.py       fetches corpora, for datasets.sh
noteboosh.py      opens and runs working copies of notebooks, for noteboosh.sh
"""
