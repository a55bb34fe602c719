"""Grading: marks for a whole class, computed where the graded code cannot reach them.

`g2c grade` starts two kinds of processes; processes.py starts and ends them:

    g2c grade              command.py        reads the options
                           submissions.py    finds the exercise files of a class in downloads
                           session.py        grades each; folders.py: in a copy of the course
                           runs.py           keeps what came of the runs, so that a class is never lost
                           marks.py          from outcomes to points; constants.py: what is worth none
                           adjustments.py    lateness, and points that an instructor decides

    the test runner        runner.py         forks for each submission, runs the tests with pytest, records outcomes
                           proxies.py        stand for what the student wrote; state_sync.py: for its objects
                           remote.py         calls the student's code; remote_errors.py: its errors
                           sandbox_process.py    starts, asks, watches and ends the student's process

    the student's process  sandbox.py        runs the student's code
                           isolation.py      behind a wall: capabilities.py, landlock.py, seccomp.py
                           policy.py         what a submission may use
                           sources.py        what the source says, before any of it runs

    between the two        codec.py          values as plain data; wire.py: as bounded messages

In the test runner, a proxy of a method sends its arguments to the student's process and gets back numbers, strings and
lists; wire.py lets nothing else through. So nothing that a submission does to pytest, to the tests or to its own
process can turn a wrong answer into a right one.

    notebooks              notebook_code.py      the code of a notebook that its answers need
                           notebook_answers.py   calls the answers; notebook_calls.py: what travels
                           notebook_suite.py     a test for each checked answer

    reports                reports.py        report.md for each student, grades.csv
                           class_report.py   class.html
                           platform_tables.py    tables for Moodle, Canvas and Gradescope; spreadsheets.py: safe CSV
                           plain_text.py     text from submissions, without what does something when it is shown
                           source_report.py, suspicions.py, similarity.py    what is worth an instructor's look

    elsewhere              autograders.py    what Gradescope and GitHub Classroom need: gradescope.py, classroom.py
"""
