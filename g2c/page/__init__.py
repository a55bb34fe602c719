"""The course in a page: write, test and watch the tokenizer in a browser, with nothing to install.

    index.html, page.js --messages--> worker.js --> session.py, in Pyodide      the page contains no key and no bank

build.py       writes the page: `g2c page FOLDER`, and docs/website.py
packages.py    fetches Pyodide, the editor and the wheels, which packages.toml pins
session.py     runs suites, answers questions of the lab, and trains, in the worker's Python
engine.py      replaces g2c.engine for the suites, by the lab's JavaScript
regexes.py     replaces the library that splits texts, by the browser's RegExp
files/         the page itself: page.js and store.js in the page, worker.js and python.js for the worker
"""
