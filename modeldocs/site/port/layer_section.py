"""The section of layers of a port's page: table, filters, and the file that the table loads."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from modeldocs.diagram import LevelDrawing
from modeldocs.ir import LayerGraph
from modeldocs.site.data_file import script
from modeldocs.site.port.grouping import DrawnLayer, Grouping, GroupRow
from modeldocs.site.port.layer_column import LayerColumn
from modeldocs.site.port.layer_columns import columns, of_page
from modeldocs.site.port.layer_row import LayerRow, rows
from modeldocs.site.port.layer_table import Footer, footer
from modeldocs.site.port.source import Sources
from modeldocs.site.port.timing import PortTiming
from modeldocs.site.templating import Templates

INLINE_ROWS = 200
"""Rows in the page itself; those of larger graphs come from a file beside it, when needed."""

MAX_OPTIONS = 200
"""Choices of one filter."""


@dataclass(frozen=True)
class LayerSection:
    """Writes the table of one graph's layers; with times where a record has them."""

    graph: LayerGraph
    sources: Sources
    levels: Sequence[LevelDrawing]
    templates: Templates
    timing: PortTiming | None = None

    def html(self) -> str:
        """The table on the port's page: its first rows in short columns, with filters."""
        table = self.table
        return self.templates.html(
            "layers",
            table=table,
            inline=INLINE_ROWS,
            columns=self._columns,
            brief=self._brief,
            summed=self._summed,
            footer=self.footer,
            timing=self.timing,
            operators=_options(row.layer.operator for row in table),
            modules=_options(path for row in table for path in _split(row.modules)),
            settings=_options(setting.key for row in table for setting in row.settings),
        )

    def data(self) -> bytes:
        """The script that gives the table its other rows, and its groups.

        It gives the page an object: `rows` has for each layer its row (empty where the page has
        it), and the level and layer of the box that stands for it; `groups` the nested group rows;
        `inputs` the ids and names of the graph's inputs.
        """
        table, macros = self.table, self.templates.macros("layer_cells")
        grouping = Grouping(self.graph, self.levels)
        drawn = grouping.drawn()
        content = {
            "rows": [
                [
                    "" if index < INLINE_ROWS else str(macros.row(row, self._brief)),
                    *self._drawn(drawn, row),
                ]
                for index, row in enumerate(table)
            ],
            "groups": [self._group(member, macros) for member in grouping.rows()],
            "inputs": [[source.id, source.name] for source in self.graph.inputs],
        }
        return script(content)

    def columns(self) -> bytes:
        """The script that gives the table the further cells of each row."""
        cells = self.templates.macros("layer_cells").cells
        further = [one for one in self._columns if one.when]
        return script([str(cells(row, further)) for row in self.table])

    @functools.cached_property
    def _columns(self) -> list[LayerColumn]:
        return of_page(columns(self.table, self.timing))

    @functools.cached_property
    def _brief(self) -> list[LayerColumn]:
        """The columns that are always shown."""
        return [one for one in self._columns if not one.when]

    @functools.cached_property
    def _summed(self) -> list[LayerColumn]:
        """The columns in the rows of groups, and in that of all layers."""
        return [one for one in self._columns if one.when in ("", "times")]

    @functools.cached_property
    def table(self) -> list[LayerRow]:
        """The rows of the table."""
        return rows(self.graph, self.sources)

    @functools.cached_property
    def footer(self) -> Footer:
        """The totals of the table."""
        return footer(self.graph, self.table)

    def _drawn(self, drawn: dict[str, DrawnLayer], row: LayerRow) -> list[str]:
        place = drawn.get(row.layer.id)
        if place is None:
            return []
        return [place.level, place.layer] if place.layer != row.layer.id else [place.level]

    def _group(self, member: int | GroupRow, macros: Any) -> Any:
        if isinstance(member, int):
            return member
        inner = [self._group(one, macros) for one in member.members]
        rows = [self.table[index] for index in member.layers()]
        html = str(macros.group(member.title, member.name, rows, self._summed))
        return [html, member.level, inner]


def _split(paths: str) -> list[str]:
    return paths.split("|") if paths else []


def _options(values: Iterable[str]) -> list[tuple[str, int]]:
    """Values with their counts, in order of their first row; the most frequent where many."""
    counts = Counter(values)
    kept = {value for value, _ in counts.most_common(MAX_OPTIONS)}
    return [(value, count) for value, count in counts.items() if value in kept]
