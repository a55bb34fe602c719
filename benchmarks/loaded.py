"""Importing this loads the course's compiled loops, as importing another library loads its machine code."""

from g2c.engine.compiled import load_loops

load_loops()
