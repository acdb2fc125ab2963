"""Tables of numbers."""

from __future__ import annotations

import html
from collections.abc import Sequence


class Table:
    """Numbers with the names of their rows and columns: an HTML table, or aligned text."""

    def __init__(self, rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]):
        if len(cells) != len(rows) or any(len(line) != len(columns) for line in cells):
            raise ValueError(
                f"Found {len(cells)} lines of {sorted({len(line) for line in cells})} cells, "
                f"expected {len(rows)} lines of {len(columns)}: name every row and every column."
            )
        self.rows, self.columns, self.cells = list(rows), list(columns), cells

    def _repr_html_(self) -> str:
        wrap, left = 'style="white-space: normal"', 'style="text-align: left"'
        head = "".join(f'<th scope="col" {wrap}>{html.escape(name)}</th>' for name in self.columns)
        body = "".join(
            f'<tr><th scope="row" {left}>{html.escape(name)}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in line)
            + "</tr>"
            for name, line in zip(self.rows, self.cells, strict=True)
        )
        # On a phone a wide table scrolls sideways in its frame, by keyboard too.
        return (
            '<div class="course-table-frame" role="group" tabindex="0" '
            f'aria-label="Table: {html.escape(", ".join(self.columns))}" '
            'style="overflow-x: auto; margin: 1em 0">'
            '<table class="course-table" style="white-space: nowrap; text-align: right">'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        lines = [["", *self.columns]]
        lines += [[name, *line] for name, line in zip(self.rows, self.cells, strict=True)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )


def number(value: float, digits: int) -> str:
    """Write a number with a fixed number of digits, and zero without a sign."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def table(values, rows: Sequence[str], columns: Sequence[str], digits: int = 3) -> Table:
    """Set a matrix ``[rows, columns]`` of numbers (or of ready text) as a table.

    Args:
        values: a two-dimensional tensor, or lists of numbers and text.
        rows: what each row stands for.
        columns: what each column stands for.
        digits: digits after the point.

    Raises:
        ValueError: if the names do not fit the shape of ``values``.
    """
    cells = [
        [cell if isinstance(cell, str) else number(float(cell), digits) for cell in line]
        for line in values
    ]
    return Table(rows, columns, cells)
