"""python -m coach.diagnosis [MODULE …]: make the tables of outcomes; see make.py."""

import sys

from coach.diagnosis.make import main

sys.exit(main(sys.argv[1:]))
