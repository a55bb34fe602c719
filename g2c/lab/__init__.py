"""Shows a tokenizer at work: the page of `g2c lab`, the same page as a file, and figures and traces for notebooks.

    tokenizers.py --table--> page/tokenizer.js, which computes the views
    student.py  ---results--> page/source.js, which compares them with the student's results

server.py       `g2c lab`: serves the page on this machine; process.py answers its questions, in another process
student.py      runs the student's code for the lab, in that process and in the page of the course (g2c.page)
tokenizers.py   lists the tokenizers that the lab offers, makes their tables, and exports the page with them
pages.py        puts the page together from the files in page/
figures.py      draws charts for notebooks
traces.py       shows training and encoding, merge by merge, in notebooks
"""
