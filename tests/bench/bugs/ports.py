"""The ports of a family loaded: those of frameworks by way of the store."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Final

import onnx

from modeldocs import build, loaders
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.loaders.isolated import Loaded

from .families import FOLDER, Family

REPOSITORY: Final = FOLDER.parents[2]
RIGHT: Final = "right"
"""Name of the port without a bug, in the style of A."""


def load(families: dict[str, Family]) -> dict[tuple[str, str], Loaded]:
    """Each port by family and bug; `RIGHT` stands for the one in the other style."""
    models = tuple(_model(name, family) for name, family in families.items())
    catalog = Catalog(root=str(FOLDER), models=models)
    results = build.load(catalog, Store(REPOSITORY / ".modeldocs"))
    found = {
        (model.id, _bug(port)): results.loaded(model, port)
        for model in models
        for port in model.ports
    }
    for name, family in families.items():
        if _written(name, family):
            found |= {(name, case.bug): _from_onnx(name, family, case.bug) for case in family.cases}
    return found


def _model(name: str, family: Family) -> Model:
    ports = [_port(name, family, family.a, RIGHT)]
    if not _written(name, family):
        ports += [_port(name, family, family.b, case.bug) for case in family.cases]
    return Model(id=name, folder=str(FOLDER / name), ports=tuple(ports))


def _port(name: str, family: Family, file: str, bug: str) -> Port:
    path = FOLDER / name / file
    right = bug == RIGHT
    return Port(
        name=bug.replace(" ", "-") or "port",
        framework=loaders.recognise(path) or "",
        request=LoadRequest(
            root=str(path.parent),
            path=str(path),
            entry=None if right else "network",
            args={} if right else {"bug": bug},
            inputs=family.inputs if right else (family.inputs_b or family.inputs),
            dtypes=family.dtypes,
            name=name,
        ),
    )


def _bug(port: Port) -> str:
    return str(port.request.args.get("bug", RIGHT))


def _written(name: str, family: Family) -> bool:
    """Whether a family's other style is a function that writes ONNX."""
    return "import onnx" in (FOLDER / name / family.b).read_text(encoding="utf-8")


def _from_onnx(name: str, family: Family, bug: str) -> Loaded:
    module = importlib.import_module(f"{__package__}.{name}.{Path(family.b).stem}")
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        path = Path(folder, f"{name}.onnx")
        onnx.save(module.network(bug), path)
        request = LoadRequest(root=folder, path=str(path), name=name)
        return isolated.load("onnx", request, Limits())
