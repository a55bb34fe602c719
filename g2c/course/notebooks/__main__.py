"""`python -m g2c.course.notebooks` writes the exercise notebooks."""

import sys

from g2c.course.notebooks.make import main

sys.exit(main(sys.argv[1:]))
