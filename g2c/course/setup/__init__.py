"""The work of the scripts, with the standard library alone.

environment.py    makes .venv, and brings it up to date: `python -m g2c.course.setup`
datasets.py       the command behind datasets.sh
noteboosh.py      the command behind noteboosh.sh: working copies of notebooks
"""
