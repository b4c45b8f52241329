"""A table on a terminal, fitted to its width, with one column, if wanted, as a note under each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_GAP = 2
_NARROWEST = 6

Cell = tuple[str, str | None]
"""Text that is safe to show, and the address it leads to, if any."""


def write_terminal_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    numeric: Sequence[bool],
    stream: TextIO,
    *,
    title: str | None,
    note: int | None,
) -> None:
    """Write the rows in columns as wide as they need, folded where the terminal is too narrow for them."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    shown = [i for i in range(len(columns)) if i != note]
    widths = fit_widths(
        [max(_width(columns[i]), *(_width(row[i][0]) for row in rows)) if rows else _width(columns[i]) for i in shown],
        console.width - _GAP * (len(shown) - 1),
    )

    def line(cells: Sequence[Cell], style: str = "") -> Table:
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        for i, width in zip(shown, widths, strict=True):
            grid.add_column(width=width, justify="right" if numeric[i] else "left", overflow="fold")
        grid.add_row(*(Text(cells[i][0], style=f"link {cells[i][1]}" if cells[i][1] else style) for i in shown))
        return grid

    if title:
        console.print(Text(title, style="bold"))
    console.print(line([(name, None) for name in columns], "bold"))
    console.print(Text("─" * min(sum(widths) + _GAP * (len(widths) - 1), console.width)))
    for row in rows:
        console.print(line(row))
        if note is not None and row[note][0]:
            console.print(Padding(Text(row[note][0], style="dim"), (0, 0, 0, _GAP)))


def fit_widths(wanted: Sequence[int], available: int) -> list[int]:
    """Widths of columns that fit into the available width: the widest give way, none below six unless it needs less.

    >>> fit_widths([10, 30, 4], 34), fit_widths([10, 30, 4], 100)
    ([10, 20, 4], [10, 30, 4])
    """
    widths = list(wanted)
    while sum(widths) > available and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _width(text: str) -> int:
    return max((cell_len(line) for line in text.split("\n")), default=0)
