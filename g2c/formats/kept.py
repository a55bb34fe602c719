"""Tables of large tokenizers, kept in the data folder: reading and checking 200,000 tokens takes seconds."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from coach.common.errors import SavingError
from coach.common.files import sha256_of, write_file
from coach.common.paths import data_folder
from g2c import __version__
from g2c.formats.table import Table

MIN_SIZE = 1 << 20
"""The size of files, in bytes, from which a table is kept."""


def kept_table(name: str, contents: Sequence[bytes], make: Callable[[], Table]) -> Table:
    """Return the table that `make` makes of the contents of files. If these are large, it is kept in the data folder as
    NAME-SHA256.table, after the contents and the course's version. If that file is damaged, the table is made again."""
    if sum(map(len, contents)) < MIN_SIZE or not data_folder().is_dir():
        return make()
    kept = data_folder() / f"{name}-{sha256_of(b''.join([__version__.encode(), *contents]))[:16]}.table"
    try:
        return _read(kept, contents[0])
    except (BadZipFile, EOFError, LookupError, OSError, TypeError, ValueError):
        table = make()
    with suppress(SavingError):
        _write(kept, table)
    return table


def _write(path: Path, table: Table) -> None:
    table.check()
    whole = {token.hex(): token_id for token, token_id in table.whole.items()}
    others = [table.normalization, sorted(table.shown), table.file is not None]
    settings = np.array(json.dumps([table.pattern, table.special_to_id, whole, *others]))
    left, right, ids = (array.astype(np.int32) for array in (table.left, table.right, table.ids))
    file = BytesIO()
    np.savez(file, settings=settings, left=left, right=right, ids=ids)
    write_file(path, [file.getvalue()])


def _read(path: Path, file: bytes) -> Table:
    """Make the table that `_write` wrote, checked as it is; `file` is what it was made from."""
    with np.load(path) as arrays:
        left, right, ids = (arrays[name].astype(np.int64) for name in ("left", "right", "ids"))
        pattern, special, whole, normalization, shown, has_file = json.loads(str(arrays["settings"]))
    whole = {bytes.fromhex(token): token_id for token, token_id in whole.items()}
    table = Table(left, right, ids, pattern, special, whole, normalization, frozenset(shown))
    vars(table).update(is_right=True, file=file if has_file else None)
    return table
