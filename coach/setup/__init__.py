"""Does the work of the scripts, with only the standard library.

environment.py    creates .venv, and brings it up to date: `python -m coach.setup`
noteboosh.py      opens and runs working copies of notebooks, for noteboosh.sh
"""
