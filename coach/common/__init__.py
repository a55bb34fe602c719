"""The lowest room: used by every other room, it imports nothing else of the course.

    errors.py           the errors that commands print as sentences
    files.py            whole files and folders, a lock between processes, reading what may be damaged
    paths.py            where the checkout, its data and its artifacts are
    course_file.py      course.toml: what the course beside this package is
    packages.py         what to install when a package is missing
    answer_key.py       whose code runs: the student's or the answer key's
    tables.py           tables in terminals and notebooks
    cores.py            how many threads are useful

All but `tables` need only the standard library, because the scripts use them before the environment exists.
"""
