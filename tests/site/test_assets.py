"""The style sheets and the scripts of pages."""

from modeldocs import shipped
from modeldocs.site import tree


def test_every_style_has_its_place_in_the_cascade() -> None:
    files = {path.stem for path in (shipped.templates() / "styles").glob("*.css")}
    assert files == set(shipped.STYLES)


def test_what_is_loaded_late_is_beside_the_style_sheet_and_script() -> None:
    files = {path.name for path in (shipped.templates() / "late").iterdir()}
    assert files == set(tree.LATE)
    assert {f"assets/modeldocs-{name}" for name in files} <= {
        page.path for page in tree.asset_pages()
    }
