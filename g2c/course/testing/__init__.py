"""Runs the student suites, and reports their failures.

calls.py           a call of student code, and those of a whole test run
observation.py     how a test looks at a call, and how a failure becomes a report
report.py          the report as data, and its rows on a screen
record.py          how a test ended, as data that is stored and sent
comparison.py      compares results, and shows values
limits.py          stops code that does not end or uses too much memory
plugin.py          the pytest plugin: selects stubs or key, and prints failures; one_screen.py: in 40 rows
student_code.py    which frames of an error are the student's
runs.py            runs suites for the `g2c` command; suite_process.py: the process
"""
