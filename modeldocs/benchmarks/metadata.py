"""The sections of a record that describe the model, the device, the software and the method.

None (`null` in the file) means unknown, never zero. The text below each field is its description
in the published schema.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Date = Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the sections: immutable; all fields are written, unknown fields are refused."""


def field_docs(section: type[Section]) -> dict[str, str]:
    """The text below each field of a section, on one line, by field name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(section))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs = {}
    for field, following in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = _text(following)
            if text:
                docs[field.target.id] = " ".join(text.split())
    return docs


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else None
    return None


class MeasuredModel(Section, frozen=True):
    """The model that was measured."""

    id: str
    """The model's id in the catalog."""
    port: str | None = None
    """The port's id."""
    source_hash: str | None = None
    """`blake2b:<hex>` of the bytes of the port's source file."""
    params: Count | None = None
    """Number of trainable values."""
    layers_of: str | None = None
    """`model/port` whose layers the blocks were matched with."""


class RunOptions(Section, frozen=True):
    """The options of the run."""

    date: Date
    """Day of the run, ISO; `2016` or `2016-05` where the day is not known."""
    task: Literal["inference", "forward-backward", "training"] | None = None
    """Training is forward, backward and an SGD step; forward-backward leaves that step out."""
    batch: Positive | None = None
    """Samples per step."""
    input_shapes: dict[str, tuple[Count, ...]] | None = None
    """Shapes by input name, including the batch; the name `""` is a single positional input."""
    synthetic_input: bool | None = None
    """True where inputs were generated on the device, so that no input pipeline is timed."""
    iterations: Positive | None = None
    """Iterations that the profile covers."""
    command: str | None = None
    """The user's command."""
    commit: str | None = None
    """Commit of the repository that holds the source."""
    dirty: bool | None = None
    """True where the source, or a tracked file of its repository, differed from `commit`."""
    tag: str | None = None
    """A name that tells runs with equal options apart; the end of the file's name."""


class Clocks(Section, frozen=True):
    """Clock rates."""

    core_mhz: Amount | None = None
    """Rate of the multiprocessors, in MHz."""
    memory_mhz: Amount | None = None
    """Rate of the memory, in MHz."""


class Device(Section, frozen=True):
    """The device that the steps ran on; for a CPU run, the processor."""

    name: str
    """Name that the device reports, or a statement that it is unknown."""
    kind: Literal["cpu", "cuda", "unknown"] = "unknown"
    """Kind of device."""
    count: Positive | None = None
    """Number of devices used."""
    compute_capability: str | None = None
    """CUDA compute capability, `9.0`."""
    memory_bytes: Count | None = None
    """Memory of one device."""
    driver: str | None = None
    """Version of the driver."""
    power_limit_w: Amount | None = None
    """Power limit in force, in watts."""
    clocks_before: Clocks | None = None
    """Clocks before the first timed process."""
    clocks_after: Clocks | None = None
    """Clocks right after the last timed step."""
    temperature_before_c: float | None = None
    """Temperature before the first timed process, in degrees Celsius."""
    temperature_after_c: float | None = None
    """Temperature right after the last timed step, in degrees Celsius."""
    throttle_reasons: str | None = None
    """The driver's bit mask of reasons active after the last timed step, as it prints it."""
    link: str | None = None
    """Connection of the device: `PCIe 4.0 x16`."""


class Host(Section, frozen=True):
    """The machine of the device, without its name and its users."""

    cpu: str | None = None
    """Model of the processor."""
    physical_cores: Positive | None = None
    """Cores, each counted once."""
    logical_cores: Positive | None = None
    """Logical processors available to the run."""
    os: str | None = None
    """Operating system and its version."""


class Software(Section, frozen=True):
    """Versions of the software that ran the model."""

    framework: str | None = None
    """Name of the framework."""
    framework_version: str | None = None
    """Its version, including the suffix of the build."""
    python: str | None = None
    """Version of Python."""
    modeldocs: str | None = None
    """Version of modeldocs that measured."""
    cuda: str | None = None
    """CUDA version that the framework was built for."""
    cudnn: str | None = None
    """Version of cuDNN in use."""
    threads: Positive | None = None
    """Threads that the framework uses for one operator."""


class Numerics(Section, frozen=True):
    """Settings that decide precision and the choice of kernels."""

    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    """Type of parameters, inputs and activations; with `amp`, that of the parameters."""
    amp: bool | None = None
    """Whether automatic mixed precision was on."""
    tf32: bool | None = None
    """Whether float32 matrix products may use TF32."""
    cudnn_benchmark: bool | None = None
    """Whether cuDNN tried its algorithms and took the fastest."""
    cudnn_deterministic: bool | None = None
    """Whether cuDNN was restricted to deterministic algorithms."""
    channels_last: bool | None = None
    """Whether images were in NHWC order in memory."""
    compiled: bool | None = None
    """Whether the whole model was compiled."""
    cuda_graph: bool | None = None
    """Whether the steps were replayed from a CUDA graph."""


class Method(Section, frozen=True):
    """How the steps were timed."""

    timer: str | None = None
    """The clocks that were read."""
    warmup_steps: Count | None = None
    """Minimum over the processes of the steps before the first timed step."""
    warmup_us: Amount | None = None
    """Minimum over the processes of the time of warming up."""
    steps: Count | None = None
    """Timed steps of all processes."""
    processes: Positive | None = None
    """Processes that timed steps, one after another."""
    sync: str | None = None
    """When the host waited for the device."""


class Raw(Section, frozen=True):
    """A raw file, kept beside the record, that quantities were read from."""

    path: str
    """File name: the hash and the suffix of the format."""
    hash: str
    """`blake2b:<hex>` of its bytes."""
    format: str
    """Name of the format: `kineto`, `nvprof-csv`, `nsys-sqlite`."""


class PrintedFigure(Section, frozen=True):
    """A figure as printed in the source."""

    name: str
    """Its name in the source."""
    value: float
    """The printed number."""
    unit: str
    """The printed unit; `1` for a plain number."""


class RecordSource(Section, frozen=True):
    """The source of an imported record, and what that does not state."""

    title: str
    """Title of the source."""
    citation: str
    """Its citation, as text."""
    page: str | None = None
    """Page, table or figure in it."""
    url: str | None = None
    """Address of the source."""
    commit: str | None = None
    """Commit of the source's repository."""
    licence: str | None = None
    """Licence of the source."""
    file: str | None = None
    """Path of the file in the source that the quantities were read from."""
    hash: str | None = None
    """`blake2b:<hex>` of the bytes of that file."""
    format: str | None = None
    """Format of that file."""
    model: str | None = None
    """The source's own name of the model."""
    dated: str | None = None
    """What the date of the run is where the source does not state its day."""
    tool: str | None = None
    """The tool that produced its figures."""
    units: str | None = None
    """How its units were interpreted, and why."""
    figures: tuple[PrintedFigure, ...] = ()
    """Its figures in its own units."""
    rounding: str | None = None
    """Precision of the raw quantities, and which of them were computed from others."""
    unknown: str | None = None
    """What the source does not state."""
