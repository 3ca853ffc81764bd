"""Caffe: `deploy.prototxt`, `train_val.prototxt` and `.caffemodel`, of BVLC Caffe and its forks.

A definition is parsed, never executed; weights are not needed, and used where they lie beside it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx_ir as ir

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import binary, layers, source, weights
from modeldocs.loaders.caffe.tokens import Tokens
from modeldocs.loaders.reference import Design, Proven

__all__ = ["CaffeLoader", "layers"]

SUFFIXES = (".prototxt", ".pbtxt", ".prototext")
TORCH_SUFFIX = ".pt"
"""What Faster R-CNN's authors call text definitions, and PyTorch its archives."""

LOOK_AT = 2**20


class CaffeLoader:
    """Loads Caffe network definitions, in text and in binary format."""

    framework = "caffe"
    title = "Caffe"
    distribution: str | None = None
    extra: str | None = None
    weights = (".caffemodel",)

    def recognises(self, path: Path) -> bool:
        """Whether a file is a network definition: it has layers or inputs, a solver has none.

        Weights that lie beside their definition are no source of their own.
        """
        suffix = path.suffix.lower()
        if suffix not in (*SUFFIXES, TORCH_SUFFIX, binary.SUFFIX) or not path.is_file():
            return False
        if suffix == binary.SUFFIX:
            return binary.recognises(path) and not _is_beside_its_definition(path)
        with path.open("rb") as file:
            start = file.read(LOOK_AT)
        if suffix == TORCH_SUFFIX and b"\0" in start:
            return False
        return _defines_network(source.decoded(start), path.name)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """OpenCV runs definitions to prove them; reading them takes nothing."""
        return "opencv" if proving else None

    def load(self, request: LoadRequest) -> ir.Model:
        """The definition as an ONNX graph, with the weights that lie beside it.

        `request.args` may hold `phase` (TEST where not given), `stage` and `level`, and `weights`,
        the name of a `.caffemodel` in the definition's folder. A batch of images is drawn as one
        unless `request.inputs` gives shapes or the layers need the batch.

        Raises:
            ModeldocsError: the definition cannot be read, with line, column, reason and mend.
        """
        return source.assembled(source.read(request), request).model(request.name)

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """What OpenCV makes of the definition with designed weights, and the graph with the same.

        Phase TRAIN is proven as inference: OpenCV does not train.

        Raises:
            ModeldocsError: the definition cannot be read, or OpenCV cannot run it.
        """
        from modeldocs.loaders.caffe.proof import refer

        found = source.read(request)
        state = replace(found.network.state, phase="TEST")
        found = replace(found, network=replace(found.network, state=state))
        return refer(source.assembled(found, request), request.name, design)


def _is_beside_its_definition(path: Path) -> bool:
    """Whether a definition in the same folder takes these weights for its own."""
    definitions = [p for p in sorted(path.parent.iterdir()) if p.suffix.lower() in SUFFIXES]
    return any(
        (place := weights.find(definition, {})) is not None
        and place.path == path
        and CaffeLoader().recognises(definition)
        for definition in definitions
    )


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
