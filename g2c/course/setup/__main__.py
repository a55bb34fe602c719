"""`python -m g2c.course.setup [GROUP ...]` makes the environment `.venv` or brings it up to date."""

import sys

from g2c.course.setup.environment import main

sys.exit(main(sys.argv[1:]))
