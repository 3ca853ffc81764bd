"""Ports of the catalog that the site has loaded, by name."""

from __future__ import annotations

from modeldocs.errors import ModeldocsError
from modeldocs.site.build import Built
from modeldocs.site.serving.plan import StoredPort


def find(built: Built, name: str) -> StoredPort:
    """The port that `model/port` names, as the last build left it in the store.

    Raises:
        ModeldocsError: there is none, or it could not be loaded, with the reason.
    """
    model, port = built.catalog.port(name)
    loaded = built.results.loaded(model, port)
    if loaded.failure is not None:
        raise loaded.failure.error()
    if loaded.graph is None or loaded.normal is None:
        raise ModeldocsError(f"{name} was not loaded", fix="build the site again")
    return StoredPort(
        name=name,
        graph=built.results.place.read(loaded.graph),
        normal=built.results.place.read(loaded.normal),
        limits=port.limits,
    )
