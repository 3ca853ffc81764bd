"""`modeldocs draw`: the diagram of a port as a picture that other programs open."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pypdf
import pytest

from modeldocs.diagram import heat

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("load command")]

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"

BLOCKS = "\n".join(
    f"""layer {{ name: "block{n}/conv" type: "Convolution" bottom: "{bottom}" top: "c{n}"
  convolution_param {{ num_output: 8 kernel_size: 3 pad: 1 }} }}
layer {{ name: "block{n}/relu" type: "ReLU" bottom: "c{n}" top: "r{n}" }}
layer {{ name: "block{n}/sum" type: "Eltwise" bottom: "r{n}" bottom: "{bottom}" top: "s{n}" }}"""
    for n, bottom in enumerate(("data", "s0", "s1", "s2"))
)


@pytest.fixture
def blocks(folder: Path) -> Path:
    """A file of a network of four equal residual blocks."""
    file = folder / "blocks.prototxt"
    shape = "input_dim: 1 input_dim: 8 input_dim: 16 input_dim: 16"
    file.write_text(f'name: "blocks"\ninput: "data" {shape}\n{BLOCKS}\n')
    return file


def texts(file: Path) -> str:
    """All text of an SVG."""
    return " ".join(" ".join(ET.parse(file).getroot().itertext()).split())


def test_writes_the_overview(blocks: Path, run) -> None:
    result = run("draw", blocks.name, "-o", "net.svg")
    assert (result.exit_code, result.stderr) == (0, "written: net.svg\n")
    assert "4 ×" in texts(Path("net.svg"))


def test_a_picture_has_no_links_into_a_site(blocks: Path, run) -> None:
    run("draw", blocks.name, "-o", "net.svg")
    assert not [link for link in ET.parse("net.svg").iter(f"{SVG}a") if link.get(LINK)]


def test_the_whole_graph_has_every_layer(blocks: Path, run) -> None:
    run("draw", blocks.name, "--whole", "-o", "net.svg")
    assert texts(Path("net.svg")).count("Conv 3×3") == 4


def test_a_group_is_opened_by_what_the_page_calls_it(blocks: Path, run) -> None:
    run("draw", blocks.name, "-o", "net.svg")
    run("draw", blocks.name, "--open", "residual block", "-o", "block.svg")
    assert "Conv 3×3" in texts(Path("block.svg"))
    assert "Conv 3×3" not in texts(Path("net.svg"))


def test_groups_are_listed_where_there_is_none_of_that_name(blocks: Path, run) -> None:
    result = run("draw", blocks.name, "--open", "head", "-o", "net.svg")
    assert result.exit_code == 2
    assert "no group “head”" in result.stderr
    assert "choose one of conv-1..add-4x4 (4 × Residual block)" in result.stderr
    assert not Path("net.svg").exists()


def test_png_has_the_pixels_of_its_scale(blocks: Path, run) -> None:
    run("draw", blocks.name, "-o", "net.svg")
    root = ET.parse("net.svg").getroot()
    for scale in (1, 3):
        run("draw", blocks.name, "--scale", str(scale), "-o", "net.png")
        data = Path("net.png").read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        size = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
        wanted = tuple(scale * int(root.get(side, "0")) for side in ("width", "height"))
        assert size == pytest.approx(wanted, abs=scale)


def test_pdf_is_one_page_with_the_text(blocks: Path, run) -> None:
    run("draw", blocks.name, "--whole", "-o", "net.pdf")
    (page,) = pypdf.PdfReader("net.pdf").pages
    assert "Conv" in page.extract_text()


def fills(file: str, name: str) -> set[str]:
    """Colours of the nodes whose text begins so."""
    return {
        str(polygon.get("fill"))
        for link in ET.parse(file).iter(f"{SVG}a")
        if "".join(link.itertext()).strip().startswith(name)
        for polygon in link.iter(f"{SVG}polygon")
    }


def test_nodes_are_coloured_by_their_share(blocks: Path, run) -> None:
    """Each of the four convolutions has a quarter of the MACs, the other layers have none."""
    run("draw", blocks.name, "--whole", "--colour-by", "macs", "-o", "net.svg")
    assert fills("net.svg", "Conv") == {heat.colour(0.25).fill}
    assert fills("net.svg", "Add") == {heat.colour(0).fill}


def test_colours_are_those_of_the_page() -> None:
    assert len(heat.colours()) == len(heat.SHARES) + 2


def test_the_ground_is_white_or_transparent(blocks: Path, run) -> None:
    run("draw", blocks.name, "-o", "white.svg")
    run("draw", blocks.name, "--background", "transparent", "-o", "clear.svg")
    grounds = [ET.parse(file).find(f"{SVG}rect") for file in ("white.svg", "clear.svg")]
    assert grounds[0] is not None and grounds[0].get("fill") == "white"
    assert grounds[1] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "net.gif"], "must end in .svg, .png, .pdf"),
        (["--whole", "--open", "x", "-o", "net.svg"], "exclude each other"),
        (["--colour-by", "time", "-o", "net.svg"], "belong together"),
    ],
)
def test_what_cannot_be_asked_is_told(blocks: Path, run, words: list[str], told: str) -> None:
    result = run("draw", blocks.name, *words)
    assert result.exit_code == 2
    assert told in result.stderr
