"""What every other package uses: errors, paths, crash-safe files, locks, progress bars, and tokens as printable text.

Imports nothing else of the course. `errors`, `paths`, `locks` and `files` need only the standard library, because the
scripts use them before the environment exists.
"""
