"""Packages that only some of the course needs: the group of pyproject.toml that holds them, and how to install it."""

import sys
from pathlib import Path

from g2c.common.paths import REPOSITORY, is_checkout

COURSE = "course"
"""The group that suites, notebooks and most of the `g2c` command need."""

_GROUPS = {
    "numba": "compiled",
    "mkdocs": "site",
    "mkdocs-material": "site",
    "pyarrow": "corpora",
    "sentencepiece": "interop",
    "tiktoken": "interop",
    "transformers": "interop",
}


def group_of(package: str) -> str:
    """The optional group that installs a package, given by the name under which Python imports it.

    >>> group_of("pyarrow.parquet"), group_of("rich")
    ('corpora', 'course')
    """
    return _GROUPS.get(package.split(".")[0], COURSE)


def install_command(package: str) -> str:
    """The command that installs a package of an optional group into the environment that runs now.

    In the checkout's own environment `.venv`, `python -m g2c.course.setup` keeps account of the groups. Any other
    environment of a checkout is updated by pip, from the folder of the checkout. Without a checkout, g2c is an
    installed library, and the package alone is named: on a package index, g2c could be somebody else's.

    Args:
        package: the name under which it is installed, which is also the one under which Python imports it.
    """
    if not is_checkout():
        return f"pip install {package}"
    group = group_of(package)
    if Path(sys.prefix) == REPOSITORY / ".venv":
        return f"python -m g2c.course.setup {group}"
    return f"pip install -c constraints.txt -e '.[{group}]'"
