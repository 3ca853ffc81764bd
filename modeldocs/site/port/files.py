"""Files beside a port's page: its downloads, and what its scripts load when it is needed.

The latter are scripts themselves, which a page that was opened from a folder can load, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import join

from modeldocs.diagram import Drawing, LevelDrawing
from modeldocs.diagram.picture import picture
from modeldocs.ir import encode
from modeldocs.site.data_file import by_line, script
from modeldocs.site.page import Page
from modeldocs.site.port import layer_table, source
from modeldocs.site.port.heat import Heat
from modeldocs.site.port.layer_section import LayerSection
from modeldocs.site.port.source import Sources
from modeldocs.site.templating import Templates


def downloads(
    folder: str,
    table: LayerSection | None,
    drawing: Drawing | None,
    onnx: bytes,
) -> Iterator[Page]:
    """The graph as ONNX, JSON and CSV, its drawings as SVG and DOT; nothing without a graph."""
    if table is None:
        return
    yield Page(path=join(folder, "model.onnx"), content=onnx)
    yield Page(path=join(folder, "graph.json"), content=by_line(encode(table.graph)))
    rows = layer_table.csv_bytes(table.table, table.timing)
    yield Page(path=join(folder, "layers.csv"), content=rows)
    if drawing is not None and drawing.levels:
        overview = picture(drawing.levels[0].svg, "svg")
        yield Page(path=join(folder, "overview.svg"), content=overview)
    if drawing is not None and drawing.svg:
        yield _svg_file(join(folder, "diagram.svg"), drawing.svg)
    if drawing is not None and drawing.dot:
        yield Page(path=join(folder, "diagram.dot"), content=drawing.dot.encode("utf-8"))


def levels(folder: str, drawings: Iterable[LevelDrawing]) -> Iterator[Page]:
    """The drawing of each level below the overview, as SVG and as a script."""
    for level in drawings:
        if level.id:
            path = join(folder, "levels", level.id)
            yield _svg_file(f"{path}.svg", level.svg)
            yield Page(path=f"{path}.js", content=script(level.svg))


def tables(folder: str, table: LayerSection) -> Iterator[Page]:
    """The rows of the table that its page does not hold, and its further columns."""
    yield Page(path=join(folder, "layers.js"), content=table.data())
    yield Page(path=join(folder, "columns.js"), content=table.columns())


def figures(folder: str, heat: Heat) -> Iterator[Page]:
    """The figures that colour the diagram."""
    yield Page(path=join(folder, "heat.js"), content=script(heat.content()))


def outlines(folder: str, drawing: Drawing | None) -> Iterator[Page]:
    """The stages of the network, by which the page *Compare* holds it against others."""
    if drawing is not None and drawing.architecture is not None:
        yield Page(path=join(folder, "architecture.js"), content=script(drawing.architecture))


def rooflines(folder: str, content: object) -> Iterator[Page]:
    """The work of each layer, and the rates of devices."""
    yield Page(path=join(folder, "roofline.js"), content=script(content))


def sources(folder: str, files: Sources, templates: Templates) -> Iterator[Page]:
    """Each source file that is long, as a script with its lines and as plain text."""
    for file in files.long:
        path = join(folder, source.FOLDER, str(file.number))
        html = templates.html("source_lines", file=file, anchor=source.anchor)
        yield Page(path=f"{path}.js", content=script(html))
        yield Page(path=f"{path}.txt", content=file.text.encode("utf-8"))


def _svg_file(path: str, svg: str) -> Page:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}'
    return Page(path=path, content=text.encode("utf-8"))
