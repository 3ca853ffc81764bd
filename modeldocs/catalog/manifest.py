"""The fields of `model.yml`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from modeldocs.isolation import Limits

NAME = "model.yml"

RECORDS = "benchmarks"
"""The folder of a model that holds its recorded benchmarks."""
Size = Annotated[int, msgspec.Meta(ge=1, lt=2**40)]
"""One dimension of an input."""

Dtype = Literal[
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
]
"""Element types of an input."""


PairPolicy = Literal["all", "reference", "nearest"]
"""Which pairs of ports are compared: all, each port with the reference, or also with its nearest
other port; see `modeldocs.tasks.pairs`."""


ProgramTargets = bool | list[str]
"""The targets that a model's programs are made in: all, none, or those of these names."""


class ManifestPart(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of the parts of a manifest; an unknown field is a mistake."""


class InputEntry(ManifestPart, frozen=True):
    """An input's shape, and its element type where it is not float32."""

    shape: list[Size]
    dtype: Dtype = "float32"


class Paper(ManifestPart, frozen=True):
    """Where the model was published."""

    title: str
    url: str | None = None
    year: int | None = None


class Accuracy(ManifestPart, frozen=True):
    """How well trained weights of the model do, as published: the share that is right, in percent.

    `metric` is `top-1` or what else was counted, `weights` are those that it is of.
    """

    percent: Annotated[float, msgspec.Meta(ge=0, le=100)]
    metric: str = "top-1"
    dataset: str = ""
    weights: str = ""
    url: str | None = None


class LimitsEntry(ManifestPart, frozen=True):
    """Limits of loading a port; see `modeldocs.isolation.Limits`."""

    seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = Limits().seconds
    memory_mb: Annotated[int, msgspec.Meta(ge=64, lt=2**30)] = Limits().memory_mb


class EnvironmentEntry(ManifestPart, frozen=True):
    """An environment of a port's own; see `modeldocs.environments.declared`."""

    requirements: list[str]
    python: Annotated[str, msgspec.Meta(pattern=r"^3\.(1[1-9]|[2-9][0-9])(\.[0-9]+)?$")] | None = (
        None
    )


class PortEntry(ManifestPart, frozen=True):
    """A port: its file or module, how it is built, and its inputs."""

    framework: str | None = None
    file: str | None = None
    module: str | None = None
    entry: str | None = None
    args: dict[str, Any] = {}
    inputs: dict[str, list[Size] | InputEntry] = {}
    limits: LimitsEntry = LimitsEntry()
    environment: EnvironmentEntry | None = None
    notes: str = ""


class Manifest(ManifestPart, frozen=True):
    """All of `model.yml`; every field may be left out."""

    title: str | None = None
    summary: str = ""
    task: str | None = None
    tags: list[str] = []
    paper: Paper | None = None
    accuracy: Accuracy | None = None
    licence: str | None = None
    owner: str | None = None
    inputs: dict[str, list[Size] | InputEntry] = {}
    ports: dict[str, PortEntry] = {}
    reference: str | None = None
    pairs: PairPolicy | list[tuple[str, str]] | None = None
    generate: ProgramTargets | None = None
    notes: str = ""
