"""Which files are Caffe networks, and which weights belong to a definition."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe import wire
from modeldocs.loaders.caffe.tokens import Tokens

DEFINITIONS = (".prototxt", ".pbtxt", ".prototext")
TORCH_SUFFIX = ".pt"
"""What Faster R-CNN's authors call text definitions, and PyTorch its archives."""

WEIGHTS = ".caffemodel"
ARGUMENT = "weights"
_LOOK_AT = 2**20
_LOOK_AT_BINARY = 512


@dataclass(frozen=True, slots=True)
class Beside:
    """A `.caffemodel`, and whether it is `sure` to be of the definition it lies beside."""

    path: Path
    sure: bool


def recognises(path: Path) -> bool:
    """Whether a file is a network definition: it has layers or inputs, a solver has none.

    Weights that lie beside their definition are no source of their own.
    """
    suffix = path.suffix.lower()
    if suffix not in (*DEFINITIONS, TORCH_SUFFIX, WEIGHTS) or not path.is_file():
        return False
    if suffix == WEIGHTS:
        return _is_network(path) and not _is_beside_its_definition(path)
    with path.open("rb") as file:
        start = file.read(_LOOK_AT)
    if suffix == TORCH_SUFFIX and b"\0" in start:
        return False
    return _defines_network(decoded(start), path.name)


def weights(definition: Path, args: dict[str, Any]) -> Beside | None:
    """The weights of a definition: those that `args` name, those of its own name, or the only ones.

    Raises:
        ModeldocsError: `args` name a file that is not there.
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
        return Beside(path, sure=True)
    own = definition.with_suffix(WEIGHTS)
    if own.is_file():
        return Beside(own, sure=True)
    others = sorted(definition.parent.glob(f"*{WEIGHTS}"))
    return Beside(others[0], sure=False) if len(others) == 1 else None


def decoded(data: bytes) -> str:
    """A definition's text: comments come in any encoding, and must not stop it."""
    return data.decode("utf-8-sig", "replace")


def _is_network(path: Path) -> bool:
    """Whether a file starts as a network in binary form: with its name, an input or a layer."""
    with path.open("rb") as file:
        start = file.read(_LOOK_AT_BINARY)
    known = [wire.header(number, wire.BYTES) for number in (1, 2, 3, 100)]
    return any(start.startswith(head) for head in known)


def _is_beside_its_definition(path: Path) -> bool:
    """Whether a definition in the same folder takes these weights for its own."""
    definitions = [p for p in sorted(path.parent.iterdir()) if p.suffix.lower() in DEFINITIONS]
    return any(
        (found := weights(definition, {})) is not None
        and found.path == path
        and recognises(definition)
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
