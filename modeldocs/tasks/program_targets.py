"""The targets that a model's programs are made in, and the port that they are made from."""

from __future__ import annotations

from modeldocs import generators
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.tasks.results import Results


def choose(catalog: Catalog, results: Results, only: str | None = None) -> None:
    """Note the targets of each model of which a port loaded; with `only`, no others than that."""
    for model in catalog.models:
        port = source(model, results)
        if port is not None:
            named = (name for name in _targets(model, port) if only in (None, name))
            results.targets[model.id] = tuple(named)


def source(model: Model, results: Results) -> Port | None:
    """The first port that loaded, the reference before others; None where none did."""
    ports = model.reference_first()
    return next((one for one in ports if results.loaded(model, one).graph is not None), None)


def _targets(model: Model, port: Port) -> list[str]:
    """The targets that the manifest chooses, but those of the framework that the port is in."""
    setting = model.manifest.generate
    names = setting if isinstance(setting, list) else generators.targets()
    if setting is False:
        return []
    return [
        name for name in dict.fromkeys(names) if generators.target(name).framework != port.framework
    ]
