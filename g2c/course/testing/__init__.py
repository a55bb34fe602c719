"""Runs the student suites, and reports their failures.

calls.py           a call of student code, with everything that a report needs
comparison.py      compares results, and shows values
limits.py          stops code that does not end or uses too much memory
plugin.py          the pytest plugin: selects stubs or key, and prints failures; one_screen.py: in 40 rows
report_text.py     the lines of a report
student_code.py    which frames of an error are the student's
runs.py            runs suites for the `g2c` command; suite_process.py: the process
"""
