"""Grades a whole class, and computes the marks where no graded code can reach them.

    g2c grade              command.py       reads the options
                           submissions.py   finds the exercise files of a class in downloads
                           names.py         reads the names that learning platforms and students give
                           archives.py      finds the files in folders, zips and tars
                           session.py       has each submission examined, and makes its grade
                           folders.py       copies the course, without answers, for a submission
                           points.py        knows which tests have points
                           marks.py         turns outcomes into points
                           records.py       defines the task of an examiner, and the lines that it writes

    the examiner           examiner.py      runs the tests with pytest, in a process for each submission
                           boundary.py      gives the tests proxies, whose calls cross to the pupil's process

    the pupil's process    pupil.py         imports a student's file as far as it goes, and answers one call at a time
                           importing.py     repairs small faults of form in it
                           values.py        defines answers, as bounded plain data
                           wall.py          separates this process from the machine: by bubblewrap, or a container

    reports                reports.py       writes report.md for each student, grades.csv, tables for Moodle and Canvas
                           class_report.py  writes class.html, and notebooks.html with a class's answers in words

    elsewhere              autograder.py    makes and runs the autograder for Gradescope

Nothing that a submission does to pytest, to the tests or to its own process can turn a wrong answer into a right one:
its code never enters the examiner's process, and only plain data comes out of its own.
"""
