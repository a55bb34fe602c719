"""The course in a page: write, test and watch the tokenizer in a browser, with nothing to install.

    index.html, page.js --messages--> worker.js --> session.py, in Pyodide      no key and no bank are in the page

build.py       puts the page together: `python docs/website.py`, and `g2c page FOLDER`, which is command.py
packages.py    Pyodide, the editor and the wheels, which packages.toml pins
session.py     what the worker runs in Python: suites, questions of the lab, training
engine.py      the engine of the suites, by the lab's JavaScript
regexes.py     the browser's RegExp, with the interface of the library that splits texts
files/         the page itself: page.js and store.js in the page, worker.js in the worker
"""
