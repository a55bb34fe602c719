"""The course in a page: write and test the exercises in a browser, with nothing to install.

    index.html, page.js --messages--> worker.js --> session.py, in Pyodide      the page contains no key and no bank

build.py       writes the page: `g2c page FOLDER`, and docs/website.py
packages.py    fetches Pyodide, the editor and the wheels, which packages.toml pins
browser.py     gives Python what a browser lacks; the worker imports it first
session.py     runs suites in the worker's Python
files/         the page itself: page.js, store.js and python.js in the page, worker.js in the worker;
               course.js and shims.js, in whose place a course may put its own
"""
