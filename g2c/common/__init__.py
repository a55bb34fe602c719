"""What every room stands on: errors, paths, files that survive a crash, locks, progress, and tokens as visible text.

Imports nothing else of the course. `errors`, `paths` and `locks` need the standard library alone: the scripts use them
before the environment is there.
"""
