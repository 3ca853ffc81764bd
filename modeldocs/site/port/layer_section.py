"""The section of layers of a port's page: table, filters, and the file that the table loads."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from modeldocs.diagram import LevelDrawing
from modeldocs.ir import LayerGraph
from modeldocs.site.data_file import script
from modeldocs.site.port.grouping import DrawnLayer, Grouping, GroupRow
from modeldocs.site.port.layer_row import LayerRow, rows
from modeldocs.site.port.layer_table import Footer, cumulative, footer
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
            rows=table[:INLINE_ROWS],
            total=len(table),
            footer=self.footer,
            has_statistics=_has_statistics(table),
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
        statistics = _has_statistics(table)
        grouping = Grouping(self.graph, [row.counted for row in table], self.levels)
        drawn = grouping.drawn()
        content = {
            "rows": [
                [
                    "" if index < INLINE_ROWS else str(macros.row(row, statistics)),
                    *self._drawn(drawn, row),
                ]
                for index, row in enumerate(table)
            ],
            "groups": [self._group(member, macros, statistics) for member in grouping.rows()],
            "inputs": [[source.id, source.name] for source in self.graph.inputs],
        }
        return script(content)

    def columns(self) -> bytes:
        """The script that gives the table the further cells of each row."""
        more, shares = self.templates.macros("layer_cells").more, self._shares(self.table)
        cells = zip(self.table, shares, strict=True)
        return script([str(more(*pair, self.timing)) for pair in cells])

    @functools.cached_property
    def table(self) -> list[LayerRow]:
        """The rows of the table."""
        return rows(self.graph, self.sources)

    @functools.cached_property
    def footer(self) -> Footer:
        """The totals of the table."""
        return footer(self.graph, self.table)

    def _shares(self, table: list[LayerRow]) -> list[tuple[float | None, float | None]]:
        return list(
            zip(
                cumulative([row.counted.parameters for row in table]),
                cumulative([row.layer.macs for row in table]),
                strict=True,
            )
        )

    def _drawn(self, drawn: dict[str, DrawnLayer], row: LayerRow) -> list[str]:
        place = drawn.get(row.layer.id)
        if place is None:
            return []
        return [place.level, place.layer] if place.layer != row.layer.id else [place.level]

    def _group(self, member: int | GroupRow, macros: Any, statistics: bool) -> Any:
        if isinstance(member, int):
            return member
        inner = [self._group(one, macros, statistics) for one in member.members]
        layers = [self.graph.layers[index].id for index in _indices(member)]
        html = str(macros.group(member, statistics, self.timing, layers))
        return [html, member.level, inner]


def _indices(row: GroupRow) -> Iterator[int]:
    """Indices of the layers in a group."""
    for member in row.members:
        if isinstance(member, int):
            yield member
        else:
            yield from _indices(member)


def _has_statistics(table: list[LayerRow]) -> bool:
    return any(row.counted.statistics != 0 for row in table)


def _split(paths: str) -> list[str]:
    return paths.split("|") if paths else []


def _options(values: Iterable[str]) -> list[tuple[str, int]]:
    """Values with their counts, in order of their first row; the most frequent where many."""
    counts = Counter(values)
    kept = {value for value, _ in counts.most_common(MAX_OPTIONS)}
    return [(value, count) for value, count in counts.items() if value in kept]
