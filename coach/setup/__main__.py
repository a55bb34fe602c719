"""`python -m coach.setup [GROUP ...]` makes the environment `.venv` or brings it up to date."""

import sys

from coach.setup.environment import main

sys.exit(main(sys.argv[1:]))
