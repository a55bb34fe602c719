"""Grading: marks for a whole class, computed where the graded code cannot reach them.

Four kinds of processes work on a submission:

    g2c grade              command.py        reads the options
                           submissions.py    finds the exercise files of a class in downloads
                           session.py        runs the tests on each; folders.py: in a copy of the course
                           runs.py           keeps what came of them, so that a class is never lost
                           marks.py          from outcomes to points; constants.py: what is worth none
                           adjustments.py    lateness, and points that an instructor decides

    the test runner        suite_runner.py   runs the tests with pytest, and records outcomes
                           proxies.py        stand for what the student wrote; state_sync.py: for its objects
                           remote.py         calls the student's code; remote_errors.py: its errors
                           codec.py          values as plain data

    the listener           listener.py       reads what the student's code sends; wire.py: bounded plain data
                           sandbox_process.py    starts, asks and ends the student's process

    the student's process  sandbox.py        runs the student's code
                           isolation.py      behind a wall: capabilities.py, landlock.py, seccomp.py
                           policy.py         what a submission may use

In the test runner, a proxy of a method sends its arguments to the student's process and gets back numbers, strings and
lists; the listener passes on nothing else. So nothing that a submission does to pytest, to the tests or to its own
process can turn a wrong answer into a right one. processes.py starts and ends all of them.

    notebooks              notebook_code.py      the code of a submitted notebook, as a module for the sandbox
                           notebook_suite.py     a test for each checked answer, in the test runner
                           notebook_answers.py   calls the answers; notebook_calls.py: what travels

    reports                reports.py        report.md for each student, grades.csv
                           class_report.py   class.html
                           platform_tables.py    tables for Moodle, Canvas and Gradescope; spreadsheets.py: safe CSV
                           plain_text.py     text from submissions, without what does something when it is shown
                           source_reader.py    what a submission's source says, read in a process under limits
                           similarity.py, suspicions.py    what is worth an instructor's look

    elsewhere              autograders.py    what Gradescope and GitHub Classroom need: gradescope.py, classroom.py
                           calibration.py    what wrong solutions get; trusted.py: runs them without isolation
"""
