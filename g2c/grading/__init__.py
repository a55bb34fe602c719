"""Grading: marks for a whole class, computed where the graded code cannot reach them.

Four kinds of processes work on a submission:

    g2c grade              finds the submissions, counts points, writes reports   session.py, submissions.py, marks.py
    the test runner        runs the tests with pytest, and records outcomes       suite_runner.py, remote.py
    the listener           reads what the student's code sends                    listener.py, sandbox_process.py
    the student's process  runs the student's code, isolated                      sandbox.py, isolation.py, policy.py

In the test runner, proxies (proxies.py) take the place of what the student wrote: a method of an exercise sends its
arguments to the student's process (state_sync.py), and gets back plain values (codec.py): numbers, strings, lists. They
travel as bounded plain data (wire.py), and the listener passes on nothing else. So nothing that a submission does to
pytest, to the tests or to its own process can turn a wrong answer into a right one. What a test runner has recorded is
kept in the report folder (runs.py), so that a class is never lost and nothing is graded twice.
"""
