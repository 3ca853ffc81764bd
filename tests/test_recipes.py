"""The recipes of CONTRIBUTING, carried out."""

from __future__ import annotations

import re

import pytest

from modeldocs.diff import KINDS
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.reporting.merging import compressed
from modeldocs.loaders.caffe.format import schema
from modeldocs.loaders.caffe.operation import EMITTERS
from modeldocs.site.pair import alignment
from modeldocs.site.port import layer_columns, layer_table
from modeldocs.site.port.layer_column import CsvField, LayerColumn
from modeldocs.site.port.layer_row import rows
from modeldocs.site.port.layer_section import LayerSection
from modeldocs.site.port.source import Sources
from modeldocs.site.templating import Templates
from modeldocs.verdict import difference_phrases
from tests.conftest import REPOSITORY
from tests.diff import graphs
from tests.loaders.ports import graph_of, write

NET = """
name: "net"
layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 8 } } }
layer { name: "cut" type: "HardTanh" bottom: "x" top: "y" hard_tanh_param { max: 6 } }
"""


def blocks(heading: str) -> dict[str, str]:
    """The blocks of code below a heading, by language."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"```(\w+)\n(.*?)```", section, re.S))


@pytest.fixture
def hard_tanh(monkeypatch):
    code = blocks("One more operator")
    own = schema.resources.files(schema.__package__).joinpath("caffe.proto").read_text("utf-8")
    declared = schema.declared(own + code["proto"])
    monkeypatch.setattr(schema, "_own", lambda: declared)
    exec(compile(code["python"], "CONTRIBUTING.md", "exec"), {})
    yield
    del EMITTERS["HardTanh"]


@pytest.mark.usefixtures("hard_tanh")
def test_one_more_operator_of_caffe_takes_its_messages_and_a_function(tmp_path):
    graph = graph_of(write(tmp_path, NET, "net.prototxt"), "caffe")
    (layer,) = graph.layers
    assert (layer.operator, layer.attributes) == ("Clip", {"min": -1.0, "max": 6.0})


def test_one_more_column_is_on_the_page_and_in_the_csv(monkeypatch):
    code = blocks("One more column")["python"]
    column = eval(code, {"LayerColumn": LayerColumn, "CsvField": CsvField})
    monkeypatch.setattr(layer_columns, "COLUMNS", (*layer_columns.COLUMNS, column))
    graph = graphs.resnet50()
    section = LayerSection(graph, Sources(()), (), Templates())
    assert 'data-key="rank"' in section.html()
    cells = Templates().macros("layer_cells").cells(section.table[0], [column])
    assert str(cells) == '<td class="mr-more mr-number">4</td>'
    header, first, *_ = layer_table.csv_bytes(rows(graph)).decode().splitlines()
    assert header.endswith(",rank") and first.endswith(",4")


def test_one_more_kind_of_change_has_all_its_words(monkeypatch):
    module: dict[str, object] = {}
    exec(compile(blocks("One more kind of change")["python"], "CONTRIBUTING.md", "exec"), module)
    monkeypatch.setitem(KINDS, "precision", module["WORDS"])
    graph = graphs.resnet50()
    layer = next(layer for layer in graph.layers if layer.operator == "Conv")
    pair = (layer.id,), (layer.id,)
    finding = Finding("precision", "computes", "Conv", pair, None, "float32", "float16")
    (change,) = compressed([finding], (graph, graph))
    assert change.title == "computed as float32 → float16 in one Conv layer (conv1)"
    assert change.text == "B rounds to float16."
    assert difference_phrases.phrase(change) == "float16 in Conv"
    assert alignment.describe(change, (layer,), (layer,)) == "float32 → float16"
