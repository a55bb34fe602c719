"""Lines of the commands that also run in the base install, which has no rich: plain text; in a terminal, styled and
wrapped."""

import os
import shutil
import sys
from typing import TextIO

from g2c.course.report_text import wrapped

_CODES = {"bold": "1", "dim": "2", "green": "32", "red": "1;31"}


def styled(text: str, style: str) -> str:
    """`text` in bold, dim, green or red (bold as well) where standard output is a terminal that shows styles.

    NO_COLOR (https://no-color.org) and TERM=dumb turn styles off.
    """
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else f"\033[{_CODES[style]}m{text}\033[0m"


def fitted(text: str, stream: TextIO) -> str:
    """`text` as it is for a file or a pipe; for a terminal, with its lines wrapped at words to the terminal's width."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(part for line in text.splitlines() for part in wrapped(line, width))
