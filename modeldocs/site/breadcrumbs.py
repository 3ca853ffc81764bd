"""The bar above a page's heading: where the page is, and its siblings to switch to."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs import generators
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.site import addresses
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.pairs import Pairs

MAX_OPEN = 6
"""Choices that are shown in a row; more of them are in a menu."""


class Switch(Struct, frozen=True):
    """Pages to switch between, in order; `current` is the text of the one that is shown."""

    label: str
    choices: tuple[PageLink, ...]
    current: str

    @property
    def is_menu(self) -> bool:
        """Whether there are too many choices for a row."""
        return len(self.choices) > MAX_OPEN

    @property
    def position(self) -> int:
        """Number of the current choice, from 1."""
        return [link.text for link in self.choices].index(self.current) + 1


class Neighbours(Struct, frozen=True):
    """The pages before and after one in the catalog's order; None at its ends."""

    previous: PageLink | None = None
    next: PageLink | None = None


def of_model(catalog: Catalog, model: Model, templates: Templates) -> str:
    """The bar of a model's page, with the models before and after it."""
    here = addresses.model_folder(model)
    place = [one.id for one in catalog.models].index(model.id)
    around = Neighbours(
        previous=_model(here, catalog.models[place - 1]) if place else None,
        next=_model(here, catalog.models[place + 1]) if catalog.models[place + 1 :] else None,
    )
    return _html([_home(here)], model.title, [], templates, around)


def of_benchmarks(model: Model, templates: Templates) -> str:
    """The bar of the page of a model's benchmarks."""
    here = addresses.benchmarks_folder(model)
    return _html([_home(here), _model(here, model)], "Benchmarks", [], templates)


def of_port(model: Model, port: Port, templates: Templates) -> str:
    """The bar of a port's page, with the model's other ports."""
    here = addresses.port_folder(model, port)
    choices = tuple(
        PageLink(text=one.name, href=addresses.link(here, addresses.port_folder(model, one)))
        for one in model.ports
    )
    switch = Switch(label="Ports", choices=choices, current=port.name)
    return _html([_home(here), _model(here, model)], port.name, [switch], templates)


def of_program(model: Model, target: str, written: Sequence[str], templates: Templates) -> str:
    """The bar of the page of a program, with those in the other targets that have one."""
    here = addresses.program_folder(model, target)
    choices = tuple(
        PageLink(
            text=generators.target(one).title,
            href=addresses.link(here, addresses.program_folder(model, one)),
        )
        for one in written
    )
    current = generators.target(target).title
    switch = Switch(label="Ported to", choices=choices, current=current)
    return _html([_home(here), _model(here, model)], f"Port to {current}", [switch], templates)


def of_pair(model: Model, a: Port, b: Port, compared: Pairs, templates: Templates) -> str:
    """The bar of a diff, with the pages of A and of B against the model's other ports.

    `compared` are the pairs of ports that have a page.
    """
    here = addresses.pair_folder(model, a, b)
    folders = {
        frozenset((one.name, other.name)): addresses.pair_folder(model, one, other)
        for one, other in compared
    }

    def switch(label: str, current: Port, kept: Port) -> Switch:
        choices = tuple(
            PageLink(
                text=one.name, href=addresses.link(here, folders[frozenset((one.name, kept.name))])
            )
            for one in model.ports
            if frozenset((one.name, kept.name)) in folders
        )
        return Switch(label=label, choices=choices, current=current.name)

    switches = [switch("A", a, b), switch("B", b, a)] if len(model.ports) > 2 else []
    name = f"{a.name} vs {b.name}"
    return _html([_home(here), _model(here, model)], name, switches, templates)


def of_changes(templates: Templates) -> str:
    """The bar of the page of all changes of a preview."""
    return _html([_home(addresses.CHANGES)], "Changes", [], templates)


def of_change(model: Model, port: Port, templates: Templates) -> str:
    """The bar of the page of a port before and after."""
    here = addresses.change_folder(model.id, port.name)
    changes = PageLink(text="Changes", href=addresses.link(here, addresses.CHANGES))
    return _html([_home(here), changes], f"{model.title}: {port.name}", [], templates)


def _home(here: str) -> PageLink:
    return PageLink(text="Catalog", href=addresses.link(here, ""))


def _model(here: str, model: Model) -> PageLink:
    return PageLink(text=model.title, href=addresses.link(here, addresses.model_folder(model)))


def _html(
    path: list[PageLink],
    current: str,
    switches: list[Switch],
    templates: Templates,
    around: Neighbours | None = None,
) -> str:
    shown = [switch for switch in switches if len(switch.choices) > 1]
    return templates.html("bar", path=path, current=current, switches=shown, around=around)
