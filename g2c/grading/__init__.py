"""Grading: marks for a whole class, computed where the graded code cannot reach them.

`g2c grade` starts two kinds of processes; processes.py starts and ends them:

    g2c grade              command.py        reads the options
                           submissions.py    finds the exercise files of a class in downloads
                           session.py        grades each; folders.py: beside a copy of what it may import
                           marks.py          from outcomes to points
                           records.py        what passes between it and the test runner

    the test runner        runner.py         forks for each submission, runs the tests with pytest, records outcomes
                           remote.py         replaces what the student wrote, calls it, and raises what it raised
                           student_process.py    starts, asks, watches and ends the student's process

    the student's process  sandbox.py        imports the student's code as far as it goes, and runs it
                           wall.py           behind a wall, which the kernel guards

    between the two        protocol.py       requests, and answers as bounded plain data

In the test runner, a proxy of a method sends its arguments to the student's process and gets back numbers, strings and
lists; protocol.py lets nothing else through. So nothing that a submission does to pytest, to the tests or to its own
process can turn a wrong answer into a right one. Where tests run again with the answer key's code for some exercises,
that code is in one more process of the same kind, which the student's process calls through the test runner.

    reports                reports.py          report.md for each student, grades.csv, tables for Moodle and Canvas
                           class_report.py     class.html, and notebooks.html: what a class wrote in words

    elsewhere              autograders.py      what Gradescope and GitHub Classroom need
"""
