"""The course in a page: write, test and watch the tokenizer in a browser, with nothing to install.

    index.html, page.js --messages--> worker.js --> session.py, in Pyodide      the page contains no key and no bank

build.py       writes the page: `g2c page FOLDER`, and docs/website.py
packages.py    fetches Pyodide, the editor and the wheels, which packages.toml pins
browser.py     gives Python what a browser lacks; the worker imports it first
session.py     runs suites, and trains, in the worker's Python
views.py       runs the student's code for the Merge and Encode views
arrays.py      replaces numpy in tests that pass IDs in an array
engine.py      replaces g2c.engine for the suites, by the lab's JavaScript
regexes.py     replaces the library that splits texts, by the browser's RegExp
files/         the page itself: page.js, handouts.js, store.js and python.js in the page, worker.js in the worker
"""
