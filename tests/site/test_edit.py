"""The page that edits a network: with clicks, on a server, and what a published site has of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from ..browser import AXE, OpenTab
from .served import Served, serving
from .test_every_page import Watch

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

BLOCK = """\
layer {{ name: "block{0}/conv" type: "Convolution" bottom: "{1}" top: "block{0}/conv"
  convolution_param {{ num_output: 4 kernel_size: 3 pad: 1 }} }}
layer {{ name: "block{0}/relu" type: "ReLU" bottom: "block{0}/conv" top: "block{0}/relu" }}
layer {{ name: "block{0}/add" type: "Eltwise" bottom: "{1}" bottom: "block{0}/relu"
  top: "block{0}" }}
"""
NET = (
    'name: "net"\ninput: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8\n'
    'layer { name: "stem" type: "Convolution" bottom: "data" top: "stem"\n'
    "  convolution_param { num_output: 4 kernel_size: 3 pad: 1 } }\n"
    + "".join(
        BLOCK.format(number, f"block{number - 1}" if number > 1 else "stem")
        for number in range(1, 4)
    )
    + 'layer { name: "pool" type: "Pooling" bottom: "block3" top: "pool"\n'
    "  pooling_param { pool: AVE kernel_size: 2 stride: 2 } }\n"
    'layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc"\n'
    "  inner_product_param { num_output: 10 } }\n"
)
"""A network of three equal blocks, each of a convolution whose result is added to what it reads."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    few = ", parity: false, generate: false"  # what a port that is saved would wait for
    with serving(tmp_path_factory.mktemp("edited"), {"net": NET}, few) as one:
        yield one


class Editor:
    """The page as a reader uses it."""

    def __init__(self, tab: Page, served: Served) -> None:
        self.tab, self.served = tab, served

    def open(self, query: str = "?port=net/caffe") -> None:
        self.tab.goto(f"{self.served.address}/edit/index.html{query}")
        self.settle()

    def settle(self) -> None:
        """Wait until the server has answered."""
        shown = self.tab.locator(".mr-edit-network")
        expect(shown).to_be_visible(timeout=60_000)
        expect(shown).not_to_have_attribute("aria-busy", "true", timeout=60_000)
        expect(self.tab.locator(".mr-edit-status")).not_to_contain_text("ing…")

    def press(self, name: str, place: Locator | None = None) -> None:
        within = place or self.tab.locator("article")
        within.get_by_role("button", name=name, exact=True).click()
        self.settle()

    def row(self, identity: str) -> Locator:
        return self.tab.locator(f".mr-edit-table tr[data-id='{identity}']")

    def select(self, identity: str) -> Locator:
        """Select a row; its form."""
        self.row(identity).get_by_role("button").click()
        return self.tab.get_by_role("complementary", name="Selected layer")

    @property
    def edits(self) -> list[str]:
        return self.tab.locator(".mr-edit-list li > code").all_inner_texts()

    def total(self, name: str) -> str:
        place = self.tab.locator(".mr-edit-totals > div", has_text=name)
        return place.locator("dd").inner_text().replace("becomes", "")


@pytest.fixture
def editor(new_tab: Page, served: Served) -> Editor:
    new_tab.set_viewport_size({"width": 1300, "height": 900})
    return Editor(new_tab, served)


def test_the_page_of_a_port_leads_to_its_editor(editor: Editor) -> None:
    editor.tab.goto(f"{editor.served.address}/models/net/ports/caffe/")
    editor.tab.get_by_role("link", name="Edit this network").click()
    editor.settle()
    expect(editor.tab.get_by_label("Port", exact=True)).to_have_value("net/caffe")
    assert editor.row("conv-1").inner_text().split()[:3] == ["stem", "conv-1", "Conv"]
    assert editor.edits == []
    editor.tab.get_by_role("link", name="The port's page").click()
    expect(editor.tab.locator("h1")).to_contain_text("net")


def test_settings_are_set_and_what_follows_is_shown(editor: Editor) -> None:
    watch = Watch(editor.tab, editor.served.address)
    editor.open()
    form = editor.select("gemm-1")
    expect(form.get_by_label("units")).to_have_value("10")
    form.get_by_label("units").fill("20")
    editor.press("Set")
    assert editor.edits == ["--set gemm-1.units=20"]
    assert "1×10" in editor.row("gemm-1").locator("del").all_inner_texts()
    assert "1×20" in editor.row("gemm-1").locator("ins").all_inner_texts()
    assert "mr-edit-same" in (editor.row("conv-1").get_attribute("class") or "")
    assert editor.total("MACs").split()[1] > editor.total("MACs").split()[0]
    expect(form.get_by_label("units")).to_have_value("20")
    form.get_by_label("units").fill("30")
    editor.press("Set")
    assert editor.edits == ["--set gemm-1.units=30"]
    assert watch.heard == []


def test_an_activation_becomes_another(editor: Editor) -> None:
    editor.open()
    editor.select("relu-1").get_by_label("operator", exact=True).select_option("Gelu")
    editor.press("Set")
    assert editor.edits == ["--set relu-1.operator=Gelu"]
    assert "Gelu" in editor.row("relu-1").inner_text()


def test_layers_and_blocks_are_taken_out(editor: Editor) -> None:
    editor.open()
    editor.select("relu-2")
    editor.press("Remove the layer")
    expect(editor.row("relu-2")).to_contain_class("mr-edit-gone")
    block = editor.tab.locator(".mr-edit-group", has_text="block3")
    block.first.get_by_role("button").click()
    editor.press("Remove the block")
    expect(editor.row("relu-3")).to_contain_class("mr-edit-gone")
    assert editor.edits[0] == "--remove relu-2" and len(editor.edits) == 2
    assert editor.total("Layers").split() == ["12", "8"]


def test_a_layer_is_put_in_with_settings_and_a_name_and_then_edited(editor: Editor) -> None:
    editor.open()
    form = editor.select("conv-1")
    form.get_by_label("Operator", exact=True).select_option("Conv")
    insert = form.locator("form", has_text="Insert after it")
    insert.get_by_label("kernel_shape").fill("5")
    insert.get_by_label("pads").fill("2")
    insert.get_by_label("name").fill("extra")
    editor.press("Insert", form)
    assert editor.edits == ["--insert after=conv-1:Conv:kernel_shape=5:pads=2:name=extra"]
    expect(editor.row("extra")).to_contain_class("mr-edit-new")
    assert "5×5 pad 2" in editor.row("extra").inner_text()
    editor.select("extra").locator("form", has_text="Settings").get_by_label("group").fill("4")
    editor.press("Set")
    assert editor.edits[1] == "--set extra.group=4"
    assert "groups 4" in editor.row("extra").inner_text()


def test_operators_that_need_more_axes_are_not_offered(editor: Editor) -> None:
    editor.open()
    options = editor.select("gemm-1").get_by_label("Operator", exact=True).locator("option")
    offered = options.all_inner_texts()
    assert "Relu" in offered and "Gemm" in offered and "Conv" not in offered


def test_a_block_is_repeated_more_and_fewer_times(editor: Editor) -> None:
    editor.open()
    repeat = editor.tab.locator(".mr-edit-group", has_text="× 3")
    repeat.get_by_role("button").click()
    count = editor.tab.get_by_label("Number of instances")
    expect(count).to_have_value("3")
    count.fill("5")
    editor.press("Repeat")
    expect(editor.tab.locator(".mr-edit-group", has_text="× 5")).to_have_count(1)
    assert editor.tab.locator("tr.mr-edit-new").count() == 6
    assert editor.total("Layers").split() == ["12", "18"]
    expect(count).to_have_value("5")
    count.fill("2")
    editor.press("Repeat")
    assert len(editor.edits) == 1 and editor.edits[0].endswith("=2")
    assert editor.total("Layers").split() == ["12", "9"]


def test_an_input_has_another_shape(editor: Editor) -> None:
    editor.open()
    editor.tab.get_by_label("Input data").fill("2, 3, 16, 16")
    editor.press("Change shapes")
    assert editor.edits == ["--input data=2,3,16,16"]
    assert "2×4×16×16" in editor.row("conv-1").inner_text()
    assert "was 1,3,8,8" in editor.tab.locator(".mr-edit-inputs").inner_text()


def test_edits_are_undone_and_redone(editor: Editor) -> None:
    editor.open()
    undo, redo = (
        editor.tab.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo")
    )
    expect(undo).to_be_disabled()
    for name in ("relu-1", "relu-2"):
        editor.select(name)
        editor.press("Remove the layer")
    undo.click()
    editor.settle()
    assert editor.edits == ["--remove relu-1"] and editor.tab.url.endswith("&remove=relu-1")
    editor.tab.keyboard.press("Control+z")
    editor.settle()
    expect(editor.tab.locator(".mr-edit-list")).to_contain_text("Nothing is edited yet")
    redo.click()
    editor.settle()
    editor.tab.keyboard.press("Control+Shift+z")
    editor.settle()
    assert editor.edits == ["--remove relu-1", "--remove relu-2"]
    expect(redo).to_be_disabled()
    editor.press("Take back remove relu-1")
    assert editor.edits == ["--remove relu-2"]
    editor.press("Undo all")
    undo.click()
    editor.settle()
    assert editor.edits == ["--remove relu-2"]


def test_a_link_reproduces_the_network_and_gives_the_command(editor: Editor) -> None:
    editor.tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    query = "?port=net/caffe&set=gemm-1.units%3D7&insert=after%3Dstem%3ALeakyRelu%3Aalpha%3D0.2"
    editor.open(query)
    told = ["--set gemm-1.units=7", "--insert after=stem:LeakyRelu:alpha=0.2"]
    assert editor.edits == told
    editor.tab.reload()
    editor.settle()
    assert editor.edits == told and "1×7" in editor.row("gemm-1").inner_text()
    editor.tab.locator(".mr-edit-list").get_by_role("button", name="Copy").click()
    editor.tab.get_by_role("button", name="Copied").wait_for()
    command = editor.tab.evaluate("navigator.clipboard.readText()")
    assert command == f"modeldocs edit net/caffe {' '.join(told)}"


def test_an_edit_that_does_not_fit_is_kept_with_its_reason(editor: Editor) -> None:
    editor.open()
    form = editor.select("conv-2")
    form.locator("form", has_text="Settings").get_by_label("channels").fill("6")
    editor.press("Set")
    expect(editor.tab.locator(".mr-edit-status")).to_have_text("1 of 1 edits cannot be applied.")
    refused = editor.tab.locator(".mr-edit-refused")
    told = refused.inner_text()
    assert "not applied" in told and "Fix:" in told and "--set conv-2.channels=6" in told
    assert re.search(r"caffe\.prototxt:\d+: 'block1/add' \(Add\)", told)
    assert "mr-edit-same" in (editor.row("conv-2").get_attribute("class") or "")
    editor.select("relu-3")
    editor.press("Remove the layer")
    assert len(editor.edits) == 2 and editor.tab.locator(".mr-edit-refused").count() == 1


def test_names_in_an_address_are_texts(editor: Editor) -> None:
    editor.open("?port=net/caffe&remove=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    assert editor.tab.locator(".mr-edit-list img").count() == 0
    assert "no layer or block is called" in editor.tab.locator(".mr-edit-refused").inner_text()
    editor.tab.goto(f"{editor.served.address}/edit/?port=net/other")
    expect(editor.tab.locator(".mr-edit-failure")).to_contain_text("no port 'net/other'")


def test_the_difference_is_the_report_of_the_command_line(editor: Editor) -> None:
    editor.open("?port=net/caffe&set=gemm-1.units%3D7")
    editor.tab.get_by_text("Difference from the port").click()
    report = editor.tab.frame_locator(".mr-edit-part iframe")
    expect(report.locator("h1")).to_have_text("net/caffe against edited", timeout=60_000)
    expect(report.locator("body")).to_contain_text("10 → 7")
    editor.select("gemm-1").get_by_label("units").fill("8")
    editor.press("Set")
    expect(report.locator("body")).to_contain_text("10 → 8", timeout=60_000)
    with editor.tab.expect_download() as download:
        editor.tab.get_by_role("link", name="Save the report").click()
    assert download.value.suggested_filename == "net-caffe-edited.html"


def test_the_network_is_written_in_every_target(editor: Editor) -> None:
    editor.open("?port=net/caffe&set=gemm-1.units%3D7")
    editor.tab.locator("summary", has_text="Code").click()
    place = editor.tab.locator("[data-part=code]")
    for target, text in (("PyTorch", "nn.Linear(64, 7)"), ("Keras", "Dense(7"), ("Flax", "7")):
        place.get_by_role("button", name=target).click()
        expect(place.locator("pre")).to_contain_text(text, timeout=60_000)
        expect(place).to_contain_text("Not proven.")
    place.get_by_role("button", name="ONNX").click()
    link = place.get_by_role("link", name="Download net-caffe-edited.onnx")
    with editor.tab.expect_download() as download:
        link.click()
    import onnx

    model = onnx.load(download.value.path(), load_external_data=False)
    assert [list(one.dims) for one in model.graph.initializer if one.dims[0] == 7]


def test_layers_are_found_by_words(editor: Editor) -> None:
    editor.open()
    editor.tab.get_by_label("Find layers").fill("block2 conv")
    shown = editor.tab.locator(".mr-edit-table tbody tr:visible th")
    assert all("block2" in text for text in shown.all_inner_texts()) and shown.count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_it_is_accessible_and_fits(
    open_tab: OpenTab, served: Served, scheme: str, width: int
) -> None:
    tab = open_tab(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 844})
    editor = Editor(tab, served)
    editor.open("?port=net/caffe&set=gemm-1.units%3D7&remove=relu-1&set=conv-2.channels%3D6")
    editor.select("gemm-1")
    for part in ("Code", "Save as a port"):
        tab.locator("summary", has_text=part).evaluate("one => one.click()")
    tab.add_script_tag(path=str(AXE))
    found = tab.evaluate("axe.run('article', {iframes: false, runOnly: ['wcag2a', 'wcag2aa']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_published_site_gives_the_command_and_holds_no_link(page: Page, own_site: Path) -> None:
    page.goto("/edit/index.html?port=lenet/caffe&set=conv1.channels%3D32&remove=a%20b")
    told = "modeldocs edit lenet/caffe --set conv1.channels=32 --remove 'a b'"
    expect(page.locator(".mr-unserved-command code")).to_have_text(told)
    assert not page.locator(".mr-edit").is_visible()
    port = (own_site / "models/lenet/ports/caffe/index.html").read_text("utf-8")
    assert "Edit this network" not in port
    assert "modeldocs-server" not in (own_site / "edit/index.html").read_text("utf-8")


def test_the_network_is_saved_as_a_port_after_consent(editor: Editor) -> None:
    folder = editor.served.project / "models" / "net"
    editor.open("?port=net/caffe&set=gemm-1.units%3D7")
    editor.tab.locator("summary", has_text="Save as a port").click()
    name = editor.tab.get_by_label("Name of the port")
    save = editor.tab.locator("[data-part=save]")
    name.fill("../narrow")
    save.get_by_role("button", name="Save…").click()
    assert name.evaluate("field => !field.validity.valid")
    name.fill("caffe")
    save.get_by_role("button", name="Save…").click()
    expect(save.locator(".mr-failure")).to_contain_text("models/net/caffe.py")
    name.fill("narrow")
    save.get_by_role("button", name="Save…").click()
    confirm = save.get_by_role("alertdialog")
    expect(confirm).to_contain_text("models/net/narrow.py")
    confirm.get_by_role("button", name="Cancel").click()
    assert not (folder / "narrow.py").exists()
    save.get_by_role("button", name="Save…").click()
    confirm.get_by_role("button", name="Write models/net/narrow.py").click()
    expect(editor.tab.locator(".mr-edit-saved").first).to_contain_text("models/net/narrow.py")
    assert "nn.Linear(64, 7)" in (folder / "narrow.py").read_text()
    page = f"{editor.served.address}/models/net/ports/narrow/"
    editor.tab.goto("about:blank")  # the page would load itself again at the same time
    for _ in range(90):
        if editor.tab.request.get(page).ok:
            break
        editor.tab.wait_for_timeout(1000)
    editor.tab.goto(page, timeout=120_000)
    expect(editor.tab.locator("h1")).to_contain_text("PyTorch")
    editor.tab.get_by_role("link", name="Edit this network").click()
    editor.settle()
    assert "1×7" in editor.row("gemm-1").inner_text()
