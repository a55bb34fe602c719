"""Shows a tokenizer at work: the page of `g2c lab`, one file without a network, and figures and traces for notebooks.

command.py      `g2c lab`: writes the page with the student's saved tokenizers and the published ones, and opens it
pages.py        makes a tokenizer's table, and puts the page together from tables and the files in page/
regexes.py      translates patterns to JavaScript, for both pages
page/           computes the views from the tables: ES modules, which the page of the course (g2c.page) imports too
figures.py      draws charts for notebooks
traces.py       shows training and encoding, merge by merge, in notebooks
"""
