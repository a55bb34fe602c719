"""Grades a whole class, and computes the marks where no graded code can reach them.

`g2c grade` starts two kinds of processes (processes.py):

    g2c grade              command.py        reads the options
                           submissions.py    finds the exercise files of a class in downloads
                           session.py        has each submission graded, with a copy of the course (folders.py)
                           marks.py          turns outcomes into points
                           records.py        defines its messages to and from the test runner

    the test runner        runner.py         forks for each submission, runs the tests with pytest, records outcomes
                           remote.py         gives the tests proxies, which call the student's code
                           student_process.py    starts, watches and ends the student's process

    the student's process  sandbox.py        imports the student's code as far as it goes, and runs it
                           wall.py           puts this process behind a wall that the kernel guards

    between the two        protocol.py       defines requests, and answers as bounded plain data

A proxy in the test runner sends its arguments to the student's process and gets back numbers, strings and lists;
protocol.py lets nothing else through. So nothing that a submission does to pytest, to the tests or to its own process
can turn a wrong answer into a right one. Where tests run again with the answer key's code for some exercises, that code
is in one more process of the same kind, which the student's process calls through the test runner.

    reports                reports.py        writes report.md for each student, grades.csv, tables for Moodle and Canvas
                           class_report.py   writes class.html, and notebooks.html with a class's answers in words

    elsewhere              autograder.py     makes and runs the autograder for Gradescope
"""
