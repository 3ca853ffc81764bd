"""Caffe: `deploy.prototxt` and `train_val.prototxt`, of BVLC Caffe and of its forks.

The definition is parsed, never executed; weights are not needed.
"""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import layers
from modeldocs.loaders.caffe.assembly import assemble
from modeldocs.loaders.caffe.inputs import choose_shapes, network_inputs
from modeldocs.loaders.caffe.network import Network, read_network
from modeldocs.loaders.caffe.tokens import Tokens

__all__ = ["CaffeLoader", "layers"]

SUFFIXES = (".prototxt", ".pbtxt", ".prototext")
MAX_BYTES = 64 * 2**20
LOOK_AT = 2**20


class CaffeLoader:
    """Loads Caffe network definitions in text format."""

    framework = "caffe"
    title = "Caffe"
    distribution: str | None = None
    extra: str | None = None

    def recognises(self, path: Path) -> bool:
        """Whether a file is a network definition: it has layers or inputs, a solver has none."""
        if path.suffix.lower() not in SUFFIXES or not path.is_file():
            return False
        with path.open("rb") as file:
            return _defines_network(_decoded(file.read(LOOK_AT)), path.name)

    def load(self, request: LoadRequest) -> ir.Model:
        """The definition as an ONNX graph without weights.

        `request.args` may hold `phase` (TEST where not given), `stage` and `level`. A batch of
        images is drawn as one unless `request.inputs` gives shapes or the layers need the batch.

        Raises:
            ModeldocsError: the definition cannot be read, with line, column, reason and mend.
        """
        path = Path(request.root, request.path or "")
        network = read_network(_text(path), request.relative(path), request.args)
        try:
            return _load(network, request, single=True)
        except ModeldocsError as error:
            return _load_whole_batch(network, request, error)


def _load(network: Network, request: LoadRequest, *, single: bool) -> ir.Model:
    inputs = network_inputs(network)
    shapes = choose_shapes(inputs, request.inputs, network.file, single=single)
    return assemble(network, inputs, shapes, name=request.name)


def _load_whole_batch(network: Network, request: LoadRequest, error: ModeldocsError) -> ir.Model:
    """Load with the source's batch, for layers that hold its number; else tell the first error."""
    try:
        return _load(network, request, single=False)
    except ModeldocsError:
        raise error from None


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MAX_BYTES else None
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror})", file=path, mend="check its path"
        ) from None
    if data is None:
        raise ModeldocsError(
            f"the file has {size:,} bytes, a definition has at most {MAX_BYTES:,}",
            file=path,
            mend="give the definition, not the weights",
        )
    return _decoded(data)


def _decoded(data: bytes) -> str:
    # Comments come in any encoding; what is no UTF-8 must not stop the definition.
    return data.decode("utf-8-sig", "replace")


def _defines_network(text: str, file: str) -> bool:
    """Whether `layer {` or `input: "…"` stands at the top level; the rest may be broken."""
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
