"""The style sheets and the scripts of pages."""

from modeldocs import package_data
from modeldocs.site import page_writer


def test_every_style_has_its_place_in_the_cascade() -> None:
    files = {path.stem for path in (package_data.templates() / "styles").glob("*.css")}
    assert files == set(package_data.STYLES)


def test_what_is_loaded_late_is_beside_the_style_sheet_and_script() -> None:
    files = {path.name for path in (package_data.templates() / "late").iterdir()}
    assert files == set(page_writer.LATE)
    assert {f"assets/modeldocs-{name}" for name in files} <= {
        page.path for page in page_writer.asset_pages()
    }
