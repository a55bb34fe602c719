"""What this course adds to coach's page: views of training and encoding by the student's code, and what stands in for
libraries.

added.py       finds the files that the page has beside coach's
views.py       runs the student's code for the Merge and Encode views, and trains the student's tokenizer
engine.py      replaces g2c.engine for the suites, by the lab's JavaScript
regexes.py     replaces the library that splits texts, by the browser's RegExp
scripts/       course.js, for the page, and shims.js, for the worker
"""
