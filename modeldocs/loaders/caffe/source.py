"""Files of Caffe: which are networks, which weights belong to one, and how a request is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, limited_files
from modeldocs.loaders.caffe.format import wire
from modeldocs.loaders.caffe.format.tokens import Tokens
from modeldocs.loaders.caffe.program import CaffeNet, read_network, saved_network

if TYPE_CHECKING:
    from modeldocs.loaders.caffe.format.blobs import Blob

DEFINITIONS = (".prototxt", ".pbtxt", ".prototext")
TORCH_SUFFIX = ".pt"
"""The suffix of Faster R-CNN's definitions, and of PyTorch's archives."""

WEIGHTS = ".caffemodel"
ARGUMENT = "weights"
MAX_BYTES = 64 * 2**20
_RECOGNISED_BYTES = 2**20
_RECOGNISED_BINARY = 512


@dataclass(frozen=True, slots=True)
class CaffeSource:
    """A network, and blobs by layer from the file `weights`, if any.

    `sure` is whether the blobs are known to be the network's own.
    """

    network: CaffeNet
    blobs: dict[str, list[Blob]] = field(default_factory=dict)
    weights: str = ""
    sure: bool = True
    notes: tuple[str, ...] = ()

    def in_phase(self, phase: str) -> CaffeSource:
        """The same layers with another phase for what they compute."""
        state = replace(self.network.state, phase=phase)
        return replace(self, network=replace(self.network, state=state))


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """A `.caffemodel` beside a definition, and whether it is `sure` to belong to it."""

    path: Path
    sure: bool


def read(request: LoadRequest) -> CaffeSource:
    """The network that a request names.

    Raises:
        ModeldocsError: a file cannot be read, with line, column, reason and fix.
    """
    # Recognising a file, which this module does as well, needs no numpy.
    from modeldocs.loaders.caffe.format import binary

    path = Path(request.root, request.path or "")
    file = request.relative(path)
    if path.suffix.lower() == WEIGHTS:
        saved = binary.read(path, file)
        return CaffeSource(saved_network(saved.net, file, request.args), saved.blobs, file)
    fix = "give the definition, not the weights"
    text = _decoded(limited_files.read(path, MAX_BYTES, file=path, what="a definition", fix=fix))
    network = read_network(text, file, request.args)
    beside = weights_of(path, request.args)
    if beside is None:
        return CaffeSource(network)
    name = request.relative(beside.path)
    try:
        return CaffeSource(network, binary.read(beside.path, name).blobs, name, beside.sure)
    except ModeldocsError as error:
        if beside.sure:
            raise
        return CaffeSource(network, notes=(f"{name} is not used: {error.reason}",))


def recognises(path: Path) -> bool:
    """Whether a file is a network definition: it has layers or inputs, unlike a solver's.

    Weights beside their definition do not count as one of their own.
    """
    suffix = path.suffix.lower()
    if suffix not in (*DEFINITIONS, TORCH_SUFFIX, WEIGHTS) or not path.is_file():
        return False
    if suffix == WEIGHTS:
        return _is_network(path) and not _belongs_to_definition(path)
    with path.open("rb") as file:
        start = file.read(_RECOGNISED_BYTES)
    if suffix == TORCH_SUFFIX and b"\0" in start:
        return False
    return _defines_network(_decoded(start), path.name)


def weights_of(definition: Path, args: dict[str, Any]) -> WeightsFile | None:
    """The weights of a definition: those that `args` name, of its own name, or the only ones.

    Raises:
        ModeldocsError: `args` name a file that does not exist.
    """
    named = args.get(ARGUMENT)
    if named is not None:
        path = definition.parent / str(named)
        if not isinstance(named, str) or not path.is_file():
            raise ModeldocsError(
                f"there are no weights {named!r} beside it",
                file=definition.name,
                fix="name a .caffemodel in the definition's folder",
            )
        return WeightsFile(path, sure=True)
    own = definition.with_suffix(WEIGHTS)
    if own.is_file():
        return WeightsFile(own, sure=True)
    others = sorted(definition.parent.glob(f"*{WEIGHTS}"))
    return WeightsFile(others[0], sure=False) if len(others) == 1 else None


def _decoded(data: bytes) -> str:
    """A definition's text; comments may be in any encoding, so errors are replaced."""
    return data.decode("utf-8-sig", "replace")


def _is_network(path: Path) -> bool:
    """Whether a file starts as a network in binary form: with its name, an input or a layer."""
    with path.open("rb") as file:
        start = file.read(_RECOGNISED_BINARY)
    known = [wire.header(number, wire.BYTES) for number in (1, 2, 3, 100)]
    return any(start.startswith(head) for head in known)


def _belongs_to_definition(path: Path) -> bool:
    """Whether these weights are those of a definition in the same folder."""
    for definition in sorted(path.parent.iterdir()):
        if definition.suffix.lower() in DEFINITIONS:
            weights = weights_of(definition, {})
            if weights is not None and weights.path == path and recognises(definition):
                return True
    return False


def _defines_network(text: str, file: str) -> bool:
    """Whether `layer {` or `input: "…"` is at the top level; the rest may be invalid."""
    tokens = Tokens(text, file)
    depth, name = 0, ""
    while (token := tokens.next()).kind != "end":
        opens = token.text in ("{", "<", "[") and token.kind == "mark"
        if depth == 0 and opens and token.text != "[" and name in ("layer", "layers"):
            return True
        if depth == 0 and token.kind == "string" and name == "input":
            return True
        depth += opens - (token.text in ("}", ">", "]") and token.kind == "mark")
        if depth == 0 and token.text != ":":
            name = token.text if token.kind == "word" else ""
    return False
