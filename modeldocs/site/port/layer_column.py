"""What a column of the table of layers is: on the page, in its CSV, and in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from modeldocs import formatting
from modeldocs.ir import Layer
from modeldocs.site.port.layer_row import LayerRow

_SHOWN: Final = {
    "": "",
    "times": "mr-more mr-time",
    "shares": "mr-more mr-share",
    "columns": "mr-more",
}

Figure = Callable[[LayerRow], int | None]
"""A figure of a layer; None where it is unknown."""


@dataclass(frozen=True)
class CsvField:
    """A field of the CSV: raw figures, None for an empty one."""

    name: str
    value: Callable[[LayerRow], object]


@dataclass(frozen=True)
class TerminalCell:
    """A cell of the table in a terminal.

    In a narrow terminal, one with a `setting` is not a column: that text of it is below the
    operator.
    """

    heading: str
    text: Callable[[Layer], str]
    setting: Callable[[str], str] | None = None


@dataclass(frozen=True, kw_only=True)
class LayerColumn:
    """A column of the table of layers.

    `cell` is text, or HTML (`Markup`); None for a field of the CSV alone. `value` is what the
    column is sorted by, where that is not the text. `style` are the classes of its cells.

    `when` names the box of the form that shows the column: `shares`, `times` or `columns`; empty
    where it always is. `several` is the cell of the row of a group, and of all layers; with
    `is_sum` the page computes it anew for the rows that are shown. `shown_as` says how it writes
    such a sum: `data-per`, `data-digits`, `data-unit`.
    """

    key: str
    heading: str = ""
    hint: str = ""
    cell: Callable[[LayerRow], str] | None = None
    value: Callable[[LayerRow], float | None] | None = None
    style: str = ""
    when: str = ""
    is_number: bool = False
    several: Callable[[Sequence[LayerRow]], str] | None = None
    is_sum: bool = False
    shown_as: Mapping[str, str] = field(default_factory=dict)
    csv: CsvField | None = None
    terminal: TerminalCell | None = None

    @property
    def shown(self) -> str:
        """The classes by which the page shows and hides it."""
        return _SHOWN[self.when]

    @property
    def classes(self) -> str:
        """The classes of its cells."""
        number = "mr-number" if self.is_number else ""
        return " ".join(filter(None, (self.shown, number, self.style)))


def summed(figure: Figure) -> Callable[[Sequence[LayerRow]], str]:
    """The cell of several layers: the sum of a figure, `unknown` where one of them is unknown."""

    def cell(rows: Sequence[LayerRow]) -> str:
        figures = [figure(row) for row in rows]
        known = [one for one in figures if one is not None]
        return formatting.exact(sum(known) if len(known) == len(figures) else None)

    return cell
