"""The options of the plugin, read off mkdocs.yml without MkDocs."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.site import settings
from modeldocs.site.settings import Settings


def read(folder: Path, text: str) -> Settings:
    file = folder / "mkdocs.yml"
    file.write_text(text, encoding="utf-8")
    return settings.read(file)


@pytest.mark.parametrize(
    "plugins",
    ["[search, modeldocs: {models: nets, jobs: 2}]", "{modeldocs: {models: nets, jobs: 2}}"],
)
def test_they_are_found_in_a_list_of_plugins_and_in_a_mapping(tmp_path, plugins):
    assert read(tmp_path, f"plugins: {plugins}\n") == Settings(models="nets", jobs=2)


@pytest.mark.parametrize("text", ["", "plugins: [modeldocs]", "site_name: x", "plugins:"])
def test_what_is_not_given_is_the_default(tmp_path, text):
    assert read(tmp_path, text) == Settings()


def test_tags_that_are_meant_for_mkdocs_are_passed_over(tmp_path):
    text = (
        "markdown_extensions:\n"
        "  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }\n"
        "plugins: [modeldocs: {strict: !ENV [CI, false], parity: false}]\n"
    )
    assert read(tmp_path, text) == Settings(parity=False)


def test_an_option_of_another_type_is_named(tmp_path):
    with pytest.raises(ModeldocsError, match="jobs"):
        read(tmp_path, "plugins: [modeldocs: {jobs: many}]")
    with pytest.raises(ModeldocsError, match="not valid YAML"):
        read(tmp_path, "plugins: [")
