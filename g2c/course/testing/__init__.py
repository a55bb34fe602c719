"""Runs the student suites, and reports their failures.

calls.py           records calls of student code
observation.py     lets a test look at a call, and turns a failure into a report
report.py          the report as data, and its rows on a screen
record.py          how a test ended, as data that is stored and sent
comparison.py      compares results, and shows values
limits.py          stops code that does not end or uses too much memory
plugin.py          the pytest plugin: selects stubs or key, and prints failures; one_screen.py: in 40 rows
student_code.py    finds the student's code in a traceback
runs.py            runs suites for the `g2c` command; suite_process.py: the process
"""
