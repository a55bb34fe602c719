"""Lines of the commands that also run in the base install, which has no rich: plain text, styled in a terminal."""

import os
import sys

_CODES = {"bold": "1", "dim": "2", "green": "32", "red": "1;31"}


def styled(text: str, style: str) -> str:
    """`text` in bold, dim, green or red (bold as well) where standard output is a terminal that shows styles.

    NO_COLOR (https://no-color.org) and TERM=dumb turn styles off.
    """
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else f"\033[{_CODES[style]}m{text}\033[0m"
