"""Compile every loop in advance: python -m g2c.engine. The environment's set-up starts it."""

from g2c.engine.compiled import IS_COMPILED, load_loops

if __name__ == "__main__":
    load_loops()
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
