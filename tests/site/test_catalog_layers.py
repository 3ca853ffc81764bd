"""The page of all layers: what a reader asks of the layers of all ports together."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from playwright.sync_api import Page, expect

from ..browser import OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]


class LayersPage:
    """The page, as one who asks it something sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.goto("/layers/index.html")
        expect(page.locator(".mr-catalog-layers output")).not_to_be_empty()

    def ask(self, text: str) -> list[list[str]]:
        """The rows in view that a text finds, as texts of their cells."""
        self.page.get_by_label("Find").fill(text)
        self.page.get_by_label("Find").press("Enter")
        return self.rows()

    def rows(self) -> list[list[str]]:
        rows = self.page.locator(".mr-all-layers tbody tr:not(.mr-spacer)").all()
        return [row.locator("th, td").all_inner_texts() for row in rows]

    @property
    def told(self) -> str:
        return self.page.locator(".mr-catalog-layers output").inner_text()


@pytest.fixture
def layers(page: Page) -> LayersPage:
    return LayersPage(page)


def asked(site: Path, question: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers from the file that the page reads."""
    file = site / "layers" / "layers.parquet"
    with duckdb.connect() as database:
        database.execute(f"CREATE VIEW layers AS SELECT * FROM '{file}'")
        return database.execute(question).fetchall()


def listed(site: Path, model: str, port: str) -> list[dict[str, str]]:
    """The layers of a port as its own page offers them."""
    file = site / "models" / model / "ports" / port / "layers.csv"
    return list(csv.DictReader(file.open(encoding="utf-8", newline="")))


def test_every_layer_of_every_port_is_there(own_site: Path) -> None:
    ((count,),) = asked(own_site, "SELECT count(*) FROM layers")
    files = own_site.glob("models/*/ports/*/layers.csv")
    rows = [row for file in files for row in csv.DictReader(file.open(newline=""))]
    assert count == len(rows) > 500


def test_parquet_holds_what_the_csv_does(own_site: Path) -> None:
    folder = own_site / "layers"
    columns = asked(own_site, "DESCRIBE SELECT * FROM layers")
    kinds = {name: kind for name, kind, *_ in columns}
    told = {name: kind for name, kind in kinds.items() if kind != "VARCHAR"}
    assert told == {
        "parameters": "BIGINT",
        "macs": "BIGINT",
        "share_of_macs": "DOUBLE",
        "bytes": "BIGINT",
    }
    rows = f"read_csv('{folder}/layers.csv', columns={kinds})"
    assert asked(own_site, f"SELECT * FROM layers EXCEPT ALL SELECT * FROM {rows}") == []


def test_sums_are_those_of_the_ports(own_site: Path) -> None:
    (sums,) = asked(
        own_site,
        "SELECT sum(macs), sum(parameters), sum(share_of_macs) FROM layers"
        " WHERE model = 'resnet50' AND port = 'caffe'",
    )
    rows = listed(own_site, "resnet50", "caffe")
    assert sums[:2] == (
        sum(int(row["macs"]) for row in rows),
        sum(int(row["parameters"]) for row in rows),
    )
    assert sums[2] == pytest.approx(1)


def test_bytes_are_inputs_parameters_and_outputs(own_site: Path) -> None:
    """conv1 of ResNet-50 reads 3×224×224 and 64×3×7×7 values, and writes 64×112×112, of 4 bytes."""
    (row,) = asked(
        own_site,
        "SELECT bytes FROM layers WHERE model = 'resnet50' AND port = 'pytorch' AND name = 'conv1'",
    )
    assert row == (4 * (3 * 224 * 224 + 64 * 3 * 7 * 7 + 64 * 112 * 112),)


def test_every_dilated_layer_of_the_catalog(layers: LayersPage) -> None:
    (row,) = layers.ask("dilation > 1")
    assert row[:3] == ["ssd300-vgg16/caffe", "fc6", "Conv"]
    assert "dilation 6" in row[3]
    assert layers.told.startswith("1 of ")


def test_windows_are_asked_for_as_they_are_said(layers: LayersPage) -> None:
    for text in ("kernel = 7x7 operator = conv", "kernel=7 operator=Conv", 'kernel = "7×7" conv'):
        found = {row[0] for row in layers.ask(text)}
        assert {"resnet50/caffe", "resnet50/pytorch", "inception-bn/mxnet"} <= found


def test_words_must_all_be_found(layers: LayersPage) -> None:
    rows = layers.ask("resnet50 pytorch layer1 conv2")
    assert [row[1] for row in rows] == ["layer1.0.conv2", "layer1.1.conv2", "layer1.2.conv2"]


def test_figures_have_units(layers: LayersPage, own_site: Path) -> None:
    whole = listed(own_site, "resnet50", "pytorch")
    total = sum(int(row["macs"]) for row in whole)
    wanted = [row["name"] for row in whole if int(row["macs"]) > max(118e6, 0.028 * total)]
    rows = layers.ask("resnet50 pytorch macs > 118M share > 2.8%")
    assert [row[1] for row in rows] == wanted
    assert 0 < len(wanted) < 10


def test_what_is_no_column_is_told(layers: LayersPage) -> None:
    layers.ask("dilatation > 1")
    assert "no column “dilatation”" in layers.told


def test_shapes_come_with_their_layers_and_macs(layers: LayersPage) -> None:
    layers.page.get_by_label("Show").select_option("shape")
    layers.ask("resnet50 pytorch operator=conv 3×3")
    first = layers.rows()[0]
    assert first[:6] == ["Conv", "3×3", "1×256×14×14", "1×256×14×14", "5", "1"]
    layers.page.get_by_role("button", name="Conv", exact=True).first.click()
    assert {row[4] for row in layers.rows()} == {"1×256×14×14"}


def test_a_layer_leads_to_its_row_on_the_page_of_its_port(layers: LayersPage) -> None:
    layers.ask("fc6 ssd300")
    layers.page.get_by_role("link", name="fc6").click()
    expect(layers.page).to_have_url(
        re.compile(r"/models/ssd300-vgg16/ports/caffe/index\.html#conv-14$")
    )
    expect(layers.page.locator("tr.mr-selected")).to_contain_text("fc6")


def test_the_address_keeps_the_question(layers: LayersPage, page: Page) -> None:
    layers.ask("kernel = 5x5")
    told = layers.told
    page.reload()
    expect(page.locator(".mr-catalog-layers output")).to_have_text(told)


def test_what_is_shown_is_saved(layers: LayersPage, tmp_path: Path) -> None:
    layers.ask("dilation > 1")
    with layers.page.expect_download() as waiting:
        layers.page.get_by_role("button", name="Save as CSV").click()
    waiting.value.save_as(tmp_path / "layers.csv")
    (row,) = csv.DictReader((tmp_path / "layers.csv").open(newline="", encoding="utf-8"))
    assert (row["name"], row["dilations"]) == ("fc6", "6×6")


def test_it_works_from_a_folder(own_site: Path, open_tab: OpenTab) -> None:
    page = open_tab()
    page.goto((own_site / "layers" / "index.html").as_uri())
    expect(page.locator(".mr-catalog-layers output")).to_contain_text("layers in")


def test_a_phone_shows_names_and_figures(
    own_site: Path, serve: Callable[[Path], str], open_tab: OpenTab
) -> None:
    page = open_tab(base_url=serve(own_site), viewport={"width": 390, "height": 844})
    LayersPage(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
