"""Grading: marks for a whole class, out of the reach of the code that is graded.

Three processes work on a submission:

    g2c grade   finds the submissions, gives out the work, counts the points, writes the reports   session.py
    the judge   runs the course's tests with pytest; never imports a line of a student's           judge.py, remote.py
    the fence   holds the student's code, under limits, in a folder of its own                     sandbox.py, fence.py

In the judge, stand-ins (stand_ins.py) take the place of what the student wrote: `BPETokenizer.encode` sends its
arguments over a socket to the process behind the fence, and gets back plain values (numbers, texts, lists; wire.py). So
nothing that a submission does to pytest, to the tests or to its own process can turn a wrong answer into a right one.
"""
