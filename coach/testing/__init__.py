"""Runs the student suites, and reports their failures.

calls.py           records calls of student code; again.py: calls an exercise again, with other arguments and state
observation.py     lets a test look at a call, and turns a failure into a report
report.py          the report and the record of a test as data, and their rows on a screen
record.py          writes and reads records of tests as JSON
comparison.py      compares results, and shows values
limits.py          stops code that does not end or uses too much memory
plugin.py          the pytest plugin: selects stubs or key, and prints failures
explain.py         turns an error into a record
one_screen.py      the screen of pytest, `g2c` and `g2c watch`
student_code.py    finds the student's code in a traceback
runs.py            runs suites for the `g2c` command; suite_process.py: the process
"""
