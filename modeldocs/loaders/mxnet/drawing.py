"""The ONNX nodes and constants that one operator becomes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin, origin
from modeldocs.loaders.dims import Dims, said
from modeldocs.loaders.emission.builder import Builder
from modeldocs.loaders.mxnet.shapes import impossible
from modeldocs.loaders.mxnet.symbol import SymbolNode

_USUAL_INIT = ("zeros", "ones", '["zero", {}]', '["one", {}]')
"""What MXNet itself says of biases, gammas and running statistics."""


class Drawing(Builder):
    """What is drawn of one operator so far; each node tells the operator that it comes from.

    `read` are variables that it is the first to read: what they say is told with it. `notes` are
    sentences for the reader.
    """

    def __init__(self, node: SymbolNode, read: Sequence[SymbolNode]) -> None:
        told = origin.Provenance(
            origins=(node.origin(), *_variable_origins(node, read)),
            modules=node.modules,
            name=node.name,
        )
        super().__init__(told)
        self.source = node

    def possible(self, shape: Dims) -> Dims:
        """A shape that a tensor can have."""
        wrong = impossible(shape)
        if wrong:
            raise self.error(
                f"would have an output of {said(shape[:9])}: {wrong}",
                fix="check its settings against its input's shape",
            )
        return shape

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, naming the node."""
        return self.source.error(reason, fix=fix)


def _variable_origins(reader: SymbolNode, variables: Sequence[SymbolNode]) -> list[Origin]:
    """What the variables say that nothing else shows, such as `__lr_mult__`."""
    found = []
    for variable in variables:
        told = variable.origin()
        kept = {k: v for k, v in told.attributes.items() if _is_own(reader, k, v)}
        if kept:
            found.append(msgspec.structs.replace(told, attributes=kept))
    return found


def _is_own(reader: SymbolNode, name: str, value: str) -> bool:
    """Whether it is not copied from the operator, nor what Gluon writes for nothing said."""
    usual = {"__lr_mult__": "1.0", "__wd_mult__": "1.0", "__storage_type__": "0"}
    return (
        reader.attributes.get(name) != value
        and usual.get(name) != value
        and (name != "__init__" or value not in _USUAL_INIT)
        and name not in ("__shape__", "__dtype__")
    )
