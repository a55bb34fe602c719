"""Seeing a tokenizer work: the page of `g2c lab`, its exported form, and figures and traces for notebooks.

command.py      `g2c lab`: starts the server, or writes the exported page
server.py       the server, on this machine only; student.py is the process in which it runs the student's code
pages.py        the page, put together from the files in page/: the same views for the server and for the export
notebook.py     `lab("merge", text)` in a notebook
export.py       what the exported page knows of its tokenizers
tokenizers.py   the tokenizers that the lab offers
figures.py      charts
traces.py       the encoding of a text, merge by merge
"""
