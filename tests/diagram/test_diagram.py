"""The diagram: every layer once, modules as frames, and hostile names as nothing but text."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from modeldocs import diagram
from modeldocs.diagram import COLOURS, Drawing
from modeldocs.diagram.drawing import level_dots
from modeldocs.diagram.metrics import width
from modeldocs.diagram.thumbnail import HEIGHT, MAX_BARS, WIDTH, thumbnail
from modeldocs.diagram.whole import MAX_BOXES, whole_dot
from modeldocs.ir import GraphInput, GraphOutput, Layer, LayerGraph, Module, Operand, TensorType
from modeldocs.ir.operators import FAMILIES
from modeldocs.isolation import Limits

from ..steps import reshaped

IMAGE = TensorType(shape=(1, 8, 16, 16), dtype="float32")
SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
TEXTS = (f"{SVG}text", f"{SVG}tspan")
XML = "{http://www.w3.org/XML/1998/namespace}"
ELEMENTS = {
    SVG + name
    for name in ("svg", "g", "a", "path", "polygon", "polyline", "text", "tspan", "ellipse")
}
ATTRIBUTES = {
    "class", "role", "aria-label", "width", "height", "viewBox", "id", "transform", "fill", "d",
    "stroke", "stroke-width", "points", "x", "y", "text-anchor", "font-family", "font-size",
    "font-style", "font-weight", "cx", "cy", "rx", "ry", "stroke-dasharray", "stroke-opacity",
    "fill-opacity", f"{XLINK}href", f"{XLINK}title", f"{XML}space",
}  # fmt: skip
HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '"',
    "'",
    r"\N \G \L \n \\ \q",
    "\\",
    "a\nb\r\nc\td",
    "\x00\x01\x1b[31m\x7f\x85",
    "x" * 10_000,
    "\u202eright to left\u202c",
    "<b>bold</b>",
    "<<TABLE>>",
    "&amp;&lt;&#60;&nosuch;",
    "]]>",
    "-->",
    "<!-- comment -->",
    '"];} digraph { evil [URL="javascript:alert(1)"] }',
    "\ud800",
    "网络 😀 é",
    "<x>",
    "",
    " ",
]


def layer(name: str, operator: str, *inputs: str, module: str = "", kind: str = "Block") -> Layer:
    """A layer whose id is its name, in the modules of a dotted path."""
    steps = [step for step in module.split(".") if step]
    paths = [".".join(steps[: n + 1]) for n in range(len(steps))]
    return Layer(
        id=name,
        name=name,
        operator=operator,
        inputs=tuple(Operand(slot=n, value=value, type=IMAGE) for n, value in enumerate(inputs)),
        outputs=(IMAGE,),
        modules=tuple(Module(path=path, kind=kind) for path in paths),
    )


def graph(*layers: Layer, name: str = "net", end: str | None = None) -> LayerGraph:
    outputs = [GraphOutput(name="y", source=Operand(slot=0, value=end, type=IMAGE))] if end else []
    return LayerGraph(
        name=name,
        inputs=(GraphInput(id="input-1", name="x", type=IMAGE),),
        layers=layers,
        outputs=tuple(outputs),
    )


def chain(length: int, operator: str = "Conv", per_module: int = 0) -> LayerGraph:
    layers = [
        layer(
            f"conv-{n}",
            operator,
            f"conv-{n - 1}" if n > 1 else "input-1",
            module=f"block{(n - 1) // per_module}" if per_module else "",
        )
        for n in range(1, length + 1)
    ]
    return graph(*layers, end=f"conv-{length}")


RESIDUAL = graph(
    layer("conv-1", "Conv", "input-1", module="stem"),
    layer("bn-1", "BatchNormalization", "conv-1", module="stem"),
    layer("relu-1", "Relu", "bn-1", module="stem"),
    layer("conv-2", "Conv", "relu-1", module="body.block"),
    layer("add-1", "Add", "conv-2", "relu-1", module="body.block"),
    layer("gemm-1", "Gemm", "add-1"),
    end="gemm-1",
)


@pytest.fixture(scope="module")
def residual() -> Drawing:
    return diagram.draw(RESIDUAL)


def parsed(drawing: Drawing) -> ElementTree.Element:
    """The SVG's tree, found to hold nothing but drawing and links inside the page."""
    assert drawing.failure is None
    return checked(drawing.svg, r"#[a-z0-9-]+")


def checked(svg: str, leads_to: str) -> ElementTree.Element:
    """An SVG's tree, found to hold nothing but drawing and links of that form."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        assert element.tag in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
        link = element.get(f"{XLINK}href")
        assert link is None or re.fullmatch(leads_to, link)
    assert "<!" not in svg and "<?" not in svg
    return root


def texts(root: ElementTree.Element) -> list[str]:
    """All texts, each of one look."""
    parts = (element.text or "" for element in root.iter() if element.tag in TEXTS)
    return [part.strip("\xa0 ") for part in parts]


def links(root: ElementTree.Element) -> list[str]:
    return [a.get(f"{XLINK}href", "") for a in root.iter(f"{SVG}a")]


class TestLayers:
    def test_each_is_drawn_once_and_leads_to_its_row(self, residual):
        assert sorted(links(parsed(residual))) == sorted(
            ["#input-1", *(f"#{one.id}" for one in RESIDUAL.layers), "#output-1"]
        )

    def test_each_can_be_led_to_from_its_row(self, residual):
        ids = [element.get("id") for element in parsed(residual).iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        assert {"d-input-1", "d-conv-1", "d-add-1", "d-output-1"} <= set(ids)
        assert all(any(found.endswith(f"r-{one.id}") for found in ids) for one in RESIDUAL.layers)

    def test_those_that_follow_one_to_one_share_a_box(self, residual):
        boxes = re.findall(r'id="d-([a-z0-9-]+)"', residual.dot.replace("&#45;", "-"))
        assert "bn-1" not in boxes and "relu-1" not in boxes
        assert re.search(r'^\s*conv_1 \[.*ID="r-bn-1".*ID="r-relu-1"', residual.dot, re.M)

    def test_each_family_has_its_colour(self, residual):
        assert set(FAMILIES) <= set(COLOURS)
        for kind in ("convolution", "normalization", "elementwise", "linear"):
            assert residual.svg.count(COLOURS[kind]) >= 1

    def test_shapes_stand_on_the_edges(self, residual):
        assert texts(parsed(residual)).count("1×8×16×16") >= 5

    def test_plumbing_is_told_on_the_edge(self):
        operand = Operand(slot=0, value="conv-1", type=IMAGE, steps=(reshaped((1, 8), (8,)),))
        flat = Layer(id="gemm-1", name="gemm", operator="Gemm", inputs=(operand,))
        drawn = diagram.draw(graph(layer("conv-1", "Conv", "input-1"), flat))
        assert "reshape" in texts(parsed(drawn))

    def test_a_layer_that_reads_a_value_twice_has_one_edge_of_one_shape(self):
        drawn = diagram.draw(graph(layer("mul-1", "Mul", "input-1", "input-1")))
        assert drawn.dot.count("->") == 1


class TestModules:
    def test_each_that_holds_several_operators_is_a_frame_inside_its_own(self, residual):
        assert "stem" in " ".join(texts(parsed(residual)))
        assert residual.dot.count("subgraph") == 3
        assert re.search(r"&#160;body  .*?&#160;body\.block  ", residual.dot, re.S)

    def test_one_of_a_single_operator_is_none(self):
        drawn = diagram.draw(
            graph(layer("conv-1", "Conv", "input-1", module="a"), layer("relu-1", "Relu", "conv-1"))
        )
        assert "subgraph" not in drawn.dot


def test_the_same_graph_is_the_same_bytes_whatever_the_hash_seed(residual):
    code = (
        "import sys; from modeldocs import diagram, ir; "
        "drawn = diagram.draw(ir.decode(sys.stdin.buffer.read())); "
        "sys.stdout.write(drawn.dot + drawn.svg)"
    )
    from modeldocs.ir import encode

    made = subprocess.run(
        [sys.executable, "-c", code],
        input=encode(RESIDUAL),
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
    )
    assert made.stdout.decode() == residual.dot + residual.svg


@pytest.fixture(scope="module")
def drawn() -> Drawing:
    """All hostile names in one graph, in every place that a model has for a name."""
    shape = TensorType(shape=tuple(HOSTILE), dtype="float32")
    layers = [
        Layer(
            id=f"op-{n}",
            name=name,
            operator=name or "Op",
            inputs=(Operand(slot=0, value=before, type=shape if n == 3 else IMAGE, steps=(name,)),),
            outputs=(TensorType(shape=(name,), dtype=name),),
            modules=(Module(path=name, kind=name), Module(path=f"{name}.in", kind="")),
        )
        for n, (name, before) in enumerate(
            zip(HOSTILE, ["input-1", *(f"op-{n}" for n in range(len(HOSTILE)))], strict=False)
        )
    ]
    pairs = [
        Layer(
            id=f"relu-{n}",
            name="relu",
            operator="Relu",
            inputs=(Operand(slot=0, value=one.id, type=TensorType(shape=("<x>",), dtype="")),),
            modules=one.modules,
        )
        for n, one in enumerate(layers)
    ]
    return diagram.draw(graph(*layers, *pairs, name=" ".join(HOSTILE[:8]), end="op-1"))


class TestHostileNames:
    def test_the_drawings_hold_no_element_of_theirs(self, drawn):
        parsed(drawn)
        assert drawn.levels
        for level in drawn.levels:
            checked(level.svg, r"(\.\./index\.html)?#[a-z0-9-]+|(levels/)?[a-z0-9.-]+\.svg")

    def test_they_are_its_text(self, drawn):
        said = " ".join(texts(parsed(drawn)))
        for name in (
            "</script><img src=x onerror=alert(1)>",
            r"\N \G \L \n \\ \q",
            "<b>bold</b>",
            "&amp;&lt;&#60;&nosuch;",
            "<!-- comment -->",
            "网络 😀 é",
            "<<TABLE>>",
        ):
            assert name[:39] in said
        assert "\u202e" not in drawn.svg and "\x1b" not in drawn.svg

    def test_they_are_titles_of_their_boxes(self, drawn):
        titles = [a.get(f"{XLINK}title") for a in parsed(drawn).iter(f"{SVG}a")]
        assert r"\N \G \L \n \\ \q" in titles
        assert "</script><img src=x onerror=alert(1)>" in titles

    def test_long_ones_are_cut(self, drawn):
        assert max(map(len, texts(parsed(drawn)))) < 250
        assert len(drawn.svg) < 400_000

    def test_every_layer_is_there(self, drawn):
        assert len(links(parsed(drawn))) == 2 * len(HOSTILE) + 2


class TestSize:
    def test_a_large_graph_is_drawn_by_module_with_a_note(self):
        drawn = diagram.draw(chain(1_200, per_module=100))
        assert drawn.note == "1,200 layers, drawn by module; the table lists all of them."
        said = texts(parsed(drawn))
        assert "block0" in said and any("Block · 100 layers" in text for text in said)
        assert len(links(parsed(drawn))) == 12 + 2

    def test_one_too_large_for_that_too_says_so(self):
        drawn = diagram.draw(chain(MAX_BOXES + 1))
        assert drawn.failure.reason == "is too large to draw (401 layers)"
        assert drawn.failure.fix == "see the table of its layers"
        assert drawn.svg == ""

    def test_one_without_layers_says_so(self):
        assert diagram.draw(graph()).failure.reason == "has no layer to draw"

    def test_an_output_that_is_an_input_is_drawn(self):
        drawn = diagram.draw(graph(layer("conv-1", "Conv", "input-1"), end="input-1"))
        assert "#output-1" in links(parsed(drawn))

    def test_one_that_takes_too_long_is_stopped_and_keeps_its_dot(self):
        drawn = diagram.draw(chain(400), Limits(seconds=0.1))
        assert drawn.failure.reason == "was stopped after 0.1 s"
        assert (drawn.svg, drawn.dot.startswith("digraph")) == ("", True)


class TestThumbnail:
    @pytest.mark.parametrize("layers", [0, 1, 80, 81, 5_000])
    def test_is_a_small_svg_of_a_bar_a_layer(self, layers):
        made = thumbnail(chain(layers) if layers else graph())
        root = ElementTree.fromstring(made)
        assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
        bars = list(root.iter(f"{SVG}rect"))
        assert min(layers, 1) <= len(bars) <= min(layers, MAX_BARS)
        assert len(made) < 12_000
        for bar in bars:
            left, width = float(bar.get("x")), float(bar.get("width"))
            assert 0 <= left < left + width <= WIDTH
            assert 0 < float(bar.get("height")) <= HEIGHT

    def test_is_the_same_for_the_same_graph(self):
        assert thumbnail(RESIDUAL) == thumbnail(RESIDUAL)

    def test_leaves_out_what_only_follows(self):
        assert thumbnail(RESIDUAL).count("<rect") == 3
        only = graph(layer("relu-1", "Relu", "input-1"))
        assert thumbnail(only).count("<rect") == 1

    def test_holds_no_name(self):
        assert "evil" not in thumbnail(graph(layer("evil", "evil", "input-1")))

    @pytest.mark.parametrize("dims", [None, (), ("n", "c", "h"), (1, 8, 0, 0), (1, 1, 10**30)])
    def test_takes_any_shape(self, dims):
        odd = Layer(id="a", name="a", operator="Conv", outputs=(TensorType(shape=dims, dtype=""),))
        ElementTree.fromstring(thumbnail(graph(odd)))


def font_folders() -> list[Path]:
    """The folders of the machine's fonts, each as if it were the only one; the last has none."""
    fonts = Path("/usr/share/fonts")
    return [*sorted({file.parent for file in fonts.rglob("*.ttf")}), fonts / "none"]


def _with_fonts(folder: Path, fonts: Path, program: str, dot: str) -> str:
    """What a program prints on a machine that has only the fonts of a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / "fonts.conf"
    file.write_text(
        f"<fontconfig><dir>{fonts}</dir><cachedir>{folder}</cachedir></fontconfig>", "utf-8"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=dot,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "FONTCONFIG_FILE": str(file)},
    )
    return run.stdout


class TestFonts:
    """The fonts of the machine that builds decide nothing: a browser draws the text."""

    def test_a_drawing_is_the_same_whatever_graphviz_measures_text_with(self, tmp_path):
        program = (
            "import sys; from modeldocs.diagram.layout import _svg, tidy; "
            "sys.stdout.write(tidy(_svg(sys.stdin.read()), 'net'))"
        )
        dots = [whole_dot(RESIDUAL)[0], *(one.dot for one in level_dots(RESIDUAL))]
        drawn = [
            [_with_fonts(tmp_path / str(number), folder, program, dot) for dot in dots]
            for number, folder in enumerate(font_folders())
        ]
        assert all(one == drawn[0] for one in drawn[1:])

    @pytest.mark.parametrize("bold", [False, True])
    def test_widths_are_those_of_arial(self, bold):
        assert width("Conv 3×3 /2 · 64 → 128", 1000, bold=bold) == pytest.approx(
            10_756 if bold else 10_590
        )

    def test_a_letter_with_an_accent_is_as_wide_as_without(self):
        assert width("é", 10) == width("e", 10) == width("e\u0301", 10)
