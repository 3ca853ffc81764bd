"""The style sheet and the script of every page."""

from modeldocs import shipped


def test_every_style_has_its_place_in_the_cascade() -> None:
    files = {path.stem for path in (shipped.templates() / "styles").glob("*.css")}
    assert files == set(shipped.STYLES)
