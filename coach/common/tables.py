"""Tables that are shown in a terminal, in a notebook, or as plain text."""

import html
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_PLAIN_WIDTH = 110


class DisplayTable:
    """A table that displays in a terminal, in a notebook, and as plain text.

    `columns` maps each name to the format of its cells: "" for text; "d", ",d" or ".2f" for numbers. Raises ValueError
    if a row does not have one cell for each column.

    >>> DisplayTable({"token": "", "count": ",d"}, [("the␣", 1234)])
     token   count
    ───────────────
     the␣    1,234
    """

    def __init__(self, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        self.columns = dict(columns)
        self.rows = [
            [format(cell, spec) for cell, spec in zip(row, self.columns.values(), strict=True)] for row in rows
        ]

    def __rich__(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False)
        for name, spec in self.columns.items():
            table.add_column(Text(name), justify="right" if spec else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def __str__(self) -> str:
        plain = io.StringIO()
        Console(file=plain, width=_PLAIN_WIDTH, color_system=None, force_jupyter=False).print(self)
        return "\n".join(line.rstrip() for line in plain.getvalue().splitlines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        aligned = [f' style="text-align:{"right" if spec else "left"}"' for spec in self.columns.values()]
        head = "".join(f"<th{style}>{html.escape(name)}</th>" for name, style in zip(self.columns, aligned))
        body = "".join(
            "<tr>" + "".join(f"<td{style}>{html.escape(cell)}</td>" for cell, style in zip(row, aligned)) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
