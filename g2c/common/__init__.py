"""The lowest room: used by every other room, it imports nothing else of the course.

    errors.py           the errors that the course defines
    files.py            crash-safe writing, a lock between processes, reading what may be damaged or hostile
    paths.py            where the checkout, its corpora and its artifacts are
    packages.py         what to install when a package is missing
    answer_key.py       whose code runs: the student's or the answer key's
    progress.py         bars in terminals and notebooks
    cores.py            how many threads are useful
    text.py             a corpus, the separator of its documents; a token's bytes in printable form

`errors`, `paths`, `text` and `files` need only the standard library, because the scripts use them before the
environment exists.
"""
