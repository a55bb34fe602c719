"""`python -m g2c` is the `g2c` command."""

import sys

from g2c.commands import main

if __name__ == "__main__":
    sys.exit(main())
