"""Run a module of the course: python -S -P scripts/run.py MODULE [ARGUMENT ...]

So it needs no installation and no PYTHONPATH, and a file in the clone or the current folder that has the name of one of
Python's modules does not take its place: the clone is the last place to look for a module.
"""

import runpy
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
