"""Compiled templates: equal environments share them, and no other template is taken for one."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from modeldocs.site.incremental import template_cache
from modeldocs.site.templating import Templates


def environment(source: str, **settings: object) -> jinja2.Environment:
    made = jinja2.Environment(loader=jinja2.DictLoader({"page": source}), **settings)
    template_cache.keep(made)
    return made


def rendered(source: str, **settings: object) -> str:
    return environment(source, **settings).get_template("page").render(x="<")


def test_an_equal_environment_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered("one {{ x }}") == "one <"
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert rendered("one {{ x }}") == "one <"


def test_an_edited_template_is_compiled_again() -> None:
    assert rendered("{{ x }}") == "<"
    assert rendered("{{ x }}{{ x }}") == "<<"
    assert rendered("{{ x }}") == "<"


def test_other_settings_are_other_code() -> None:
    source = "{% if true %}\n{{ x }}{% endif %}"
    assert rendered(source) == "\n<"
    assert rendered(source, autoescape=True) == "\n&lt;"
    assert rendered(source, trim_blocks=True) == "<"


@pytest.mark.parametrize("name", ["filters", "tests"])
def test_a_filter_or_test_of_the_same_name_is_another(name: str) -> None:
    source = '{{ "a" | own }}' if name == "filters" else '{{ "a" is own }}'
    for number in range(2):
        one = environment(source)
        getattr(one, name)["own"] = lambda _, number=number: number
        assert one.get_template("page").render() == str(number)


def test_a_cache_that_is_there_stays() -> None:
    given = jinja2.FileSystemBytecodeCache()
    made = jinja2.Environment(bytecode_cache=given)
    template_cache.keep(made)
    assert made.bytecode_cache is given


def test_what_was_compiled_before_a_page_is_rendered_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home.md.j2").write_text("# {{ title }}, ours")
    (tmp_path / "wrong.md.j2").write_text("{{")
    templates = Templates([tmp_path])
    templates.compile()
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert templates.page("index.md", "home", "Models", {}).content == b"# Models, ours"
    templates.environment.get_template("model.md.j2")
