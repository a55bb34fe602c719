"""The subcommands of `g2c`, a module each, and what several of them share. g2c/course/cli.py lists the subcommands.

terminal.py    how the command writes
end_screen.py  what a student sees when a module is complete
inventory.py   which corpora and artifacts there are
state.py       what is stored between calls, such as the hints that were shown
"""
