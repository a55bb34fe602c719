"""Seeing a tokenizer work: the page of `g2c lab`, its exported form, and figures and traces for notebooks.

    tokenizers.py --table--> page/tokenizer.js, which computes what a view shows
    student.py  ---results--> page/source.js, which compares them with that

command.py      `g2c lab`: starts the server, or writes the exported page
server.py       the server, on this machine only; process.py is the process in which it runs the student's code
student.py      what the student's code is asked, there and in the page of the course (g2c.page)
tokenizers.py   the tokenizers that the lab offers, as tables
pages.py        the page, put together from the files in page/; export.py: the same with its tables in it, as a file
figures.py      charts for notebooks
traces.py       training and encoding, merge by merge, for notebooks
"""
