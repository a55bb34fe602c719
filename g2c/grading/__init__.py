"""Grading: marks for a whole class, computed where the graded code cannot reach them.

Three processes work on a submission:

    g2c grade          finds the submissions, starts the others, counts points, writes reports     session.py
    the test runner    runs the course's tests with pytest; never imports a student's file         suite_runner.py
    the sandbox        runs the student's code, under limits, in a folder of its own               sandbox.py, policy.py

In the test runner, proxies (proxies.py) take the place of what the student wrote: a method of an exercise sends its
arguments over a socket to the sandbox (remote.py, state_sync.py, sandbox_process.py), and gets back plain values:
numbers, strings, lists (codec.py). So nothing that a submission does to pytest, to the tests or to its own process can
turn a wrong answer into a right one.
"""
