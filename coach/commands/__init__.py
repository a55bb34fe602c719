"""The subcommands for students, a module each, as coach/cli.py lists them, and what several of them share.

terminal.py    makes and prints lines: progress bars, lists, the next failing test
"""
