"""python -m g2c.course.diagnosis [MODULE …]: make the tables of outcomes; see make.py."""

import sys

from g2c.course.diagnosis.make import main

main(sys.argv[1:])
