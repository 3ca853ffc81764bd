"""The sections of a record that tell what was measured, where, how, and by whom.

None (`null` in the file) means unknown, never zero. Every field is documented beside it, and the
published schema carries these words.
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
    """Base of the sections: immutable, every field written, an unknown field refused."""


def field_docs(section: type[Section]) -> dict[str, str]:
    """The text below each field of a section, on one line, by field name."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(section))).body[0]
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            said = _text(text)
            if said:
                found[field.target.id] = " ".join(said.split())
    return found


def _text(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value if isinstance(node.value.value, str) else None
    return None


class Model(Section, frozen=True):
    """What was measured."""

    id: str
    """The model's id in the catalog."""
    port: str | None = None
    """The port's id."""
    source_hash: str | None = None
    """`blake2b:<hex>` of the bytes of the port's source file."""
    params: Count | None = None
    """Number of trainable values."""


class Run(Section, frozen=True):
    """What was asked for."""

    date: Date
    """Day of the run, ISO; `2016` or `2016-05` where the day is not known."""
    task: Literal["inference", "training"] | None = None
    """Training is forward, backward and an SGD step."""
    batch: Positive | None = None
    """Samples a step."""
    input_shapes: dict[str, tuple[Count, ...]] | None = None
    """Shapes by input name, the batch included; the name `""` is the only positional input."""
    synthetic_input: bool | None = None
    """True where inputs were made up on the device, so that no input pipeline is in the time."""
    iterations: Positive | None = None
    """Iterations that an imported profile covers."""
    command: str | None = None
    """The command as the user typed it."""
    commit: str | None = None
    """Commit of the repository that holds the source."""
    dirty: bool | None = None
    """True where the source, or a tracked file beside it, was not as `commit` holds it."""
    tag: str | None = None
    """Tells apart runs that are alike in all else; ends the file's name."""


class Clocks(Section, frozen=True):
    """Clock rates."""

    core_mhz: Amount | None = None
    """Rate of the multiprocessors, in MHz."""
    memory_mhz: Amount | None = None
    """Rate of the memory, in MHz."""


class Device(Section, frozen=True):
    """What the steps ran on; for a CPU run, the processor."""

    name: str
    """Name as the device tells it, or the plain statement that it is not known."""
    kind: Literal["cpu", "cuda", "unknown"] = "unknown"
    """What kind of device it is."""
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
    """How the device is attached: `PCIe 4.0 x16`."""


class Host(Section, frozen=True):
    """The machine around the device; neither its name nor its user."""

    cpu: str | None = None
    """Model of the processor."""
    physical_cores: Positive | None = None
    """Cores, each counted once."""
    logical_cores: Positive | None = None
    """Processors that the run could use."""
    os: str | None = None
    """Operating system and its version."""


class Software(Section, frozen=True):
    """Versions of what ran the model."""

    framework: str | None = None
    """The framework, as it spells itself."""
    framework_version: str | None = None
    """Its version, the build's suffix included."""
    python: str | None = None
    """Version of Python."""
    modeldocs: str | None = None
    """Version of modeldocs that measured."""
    cuda: str | None = None
    """CUDA version that the framework was built for."""
    cudnn: str | None = None
    """Version of cuDNN in use."""
    threads: Positive | None = None
    """Threads that the framework computes one operator with."""


class Numerics(Section, frozen=True):
    """What decides the numbers that come out, and with them the kernels that are chosen."""

    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    """Type of parameters, inputs and activations."""
    amp: bool | None = None
    """Whether automatic mixed precision was on."""
    tf32: bool | None = None
    """Whether float32 matrix products may use TF32."""
    cudnn_benchmark: bool | None = None
    """Whether cuDNN tried its algorithms and took the fastest."""
    cudnn_deterministic: bool | None = None
    """Whether cuDNN was held to deterministic algorithms."""
    channels_last: bool | None = None
    """Whether images lay in NHWC order in memory."""
    compiled: bool | None = None
    """Whether a compiler took the model as a whole."""
    cuda_graph: bool | None = None
    """Whether the steps were replayed from a CUDA graph."""


class Method(Section, frozen=True):
    """How the steps were timed."""

    timer: str | None = None
    """The clocks read."""
    warmup_steps: Count | None = None
    """Fewest steps that a process ran before it timed any."""
    warmup_us: Amount | None = None
    """Shortest time that a process warmed up for."""
    steps: Count | None = None
    """Timed steps of all processes together."""
    processes: Positive | None = None
    """Fresh processes that timed, one after another."""
    sync: str | None = None
    """When the host waited for the device."""


class Raw(Section, frozen=True):
    """A raw file that quantities were read from, kept beside the record."""

    path: str
    """File name, which is the hash and the format's suffix."""
    hash: str
    """`blake2b:<hex>` of its bytes."""
    format: str
    """Format by name: `kineto`, `nvprof-csv`, `nsys-sqlite`."""


class Figure(Section, frozen=True):
    """A figure as the source prints it."""

    name: str
    """What it is called there."""
    value: float
    """The printed number."""
    unit: str
    """The printed unit; `1` for a plain number."""


class Provenance(Section, frozen=True):
    """Where an imported record comes from, and what the source does not say."""

    title: str
    """Title of the source."""
    citation: str
    """How to cite it, in words."""
    page: str | None = None
    """Page, table or figure in it."""
    tool: str | None = None
    """What made its figures."""
    units: str | None = None
    """What its units were taken to mean, and why."""
    figures: tuple[Figure, ...] = ()
    """Its figures in its own units."""
    rounding: str | None = None
    """How exact the raw quantities are, and which were worked out from others."""
    unknown: str | None = None
    """What it does not say."""
