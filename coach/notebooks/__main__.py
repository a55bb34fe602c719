"""`python -m coach.notebooks` writes the exercise notebooks."""

import sys

from coach.notebooks.make import main

sys.exit(main(sys.argv[1:]))
