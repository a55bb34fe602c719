"""`python -m coach` is the command of a course that adds no subcommands of its own."""

import sys

from coach.cli import main

if __name__ == "__main__":
    sys.exit(main())
