"""A project's own page that shows parts of the catalog: built by MkDocs, links followed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lxml import html

from ...commands import run_here

REPOSITORY = Path(__file__).parents[3]

PAGE = """# Design

It has {{ figure("lenet/caffe", "parameters") }} parameters and is
{{ verdict("lenet/onnx", "lenet/caffe") }}.

{{ diagram("lenet/caffe") }}

!!! note

    {{ layers("lenet/caffe") }}

{{ diff("lenet/onnx", "lenet/caffe") }}

`{{ diagram("lenet/caffe") }}`
"""

WRONG = """# Wrong

{{ diagram("lenet/cafe") }}

{{ layers("lenet/caffe", part="x") }}

It has {{ figure("lenet/caffe", "weight") }}.
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, store_folder: Path) -> Path:
    """A project with two ports of LeNet, a page that shows them, and one with mistakes."""
    folder = tmp_path_factory.mktemp("embedded")
    (folder / "docs" / "design").mkdir(parents=True)
    (folder / "docs" / "design" / "port.md").write_text(PAGE)
    (folder / "docs" / "wrong.md").write_text(WRONG)
    (folder / "mkdocs.yml").write_text(
        "site_name: own\ntheme: {name: material, font: false}\n"
        f"plugins: [search, {{modeldocs: {{store: {store_folder}, parity: false}}}}]\n"
        "markdown_extensions: [admonition]\n"
    )
    own = folder / "models" / "lenet"
    own.mkdir(parents=True)
    for name in ("caffe.prototxt", "model.onnx"):
        shutil.copy(REPOSITORY / "models" / "lenet" / name, own / name)
    process = run_here("build", cwd=folder)
    assert process.returncode == 0, process.stderr
    (folder / "printed.txt").write_text(process.stdout + process.stderr)
    return folder


def test_text_and_parts_take_the_places_of_calls(project: Path) -> None:
    tree = html.parse(project / "site" / "design" / "port" / "index.html")
    article = tree.find(".//article")
    assert article is not None
    text = " ".join(article.text_content().split())
    assert "It has 431,080 parameters and is ≟ same by structure." in text
    assert article.xpath(".//svg[contains(@class, 'mr-diagram')]")
    rows = article.xpath(".//div[contains(@class, 'admonition')]//tbody/tr")
    assert [row.xpath("string(th)") for row in rows][:2] == ["conv1", "pool1"]
    assert article.xpath(".//div[contains(@class, 'mr-verdict')]")
    assert text.endswith('{{ diagram("lenet/caffe") }}')
    assert "data-late" not in html.tostring(article).decode()


def test_the_extensions_that_pages_need_are_switched_on(project: Path) -> None:
    page = project / "site" / "models" / "lenet" / "ports" / "caffe" / "index.html"
    text = html.parse(page).find(".//article").text_content()
    assert html.parse(page).xpath("//*[@id='architecture-text']")
    assert "{ ." not in text and "{ #" not in text


def test_links_of_parts_lead_to_pages_and_places_that_exist(project: Path) -> None:
    page = project / "site" / "design" / "port" / "index.html"
    article = html.parse(page).find(".//article")
    assert article is not None
    links = article.xpath(".//@href | .//@*[name()='xlink:href']")
    inner = [link for link in links if "models/" in link]
    assert len(inner) > 10
    for link in inner:
        path, _, place = link.partition("#")
        target = page.parent / path
        assert target.is_file(), link
        if place and target.suffix == ".html":
            assert f'id="{place}"' in target.read_text("utf-8"), link


def test_a_mistake_is_told_with_its_place_and_stands_on_the_page(project: Path) -> None:
    printed = " ".join((project / "printed.txt").read_text().split())
    assert "wrong.md:3: no port 'lenet/cafe' in the catalog" in printed
    assert "did you mean lenet/caffe?" in printed
    assert "wrong.md:5: layers: got an unexpected keyword argument 'part'" in printed
    assert "fix: layers takes port, module" in printed
    assert "wrong.md:7: no figure 'weight'" in printed
    shown = (project / "site" / "wrong" / "index.html").read_text("utf-8")
    assert shown.count('class="mr-failure"') == 2
    assert "It has (no figure" in html.fromstring(shown).text_content()
