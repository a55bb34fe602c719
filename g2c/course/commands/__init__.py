"""The subcommands of `g2c`, a module each, as g2c/course/cli.py lists them, and what several of them share.

terminal.py    makes and prints lines: progress bars, lists, the next failing test
"""
