"""What a symbol or a block stores: arguments and auxiliary states by name."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.loaders import LoadRequest, checkpoint_layout
from modeldocs.loaders.checkpoint_layout import PLAIN, CheckpointLayout, StoredTensor
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet import source
from modeldocs.loaders.mxnet.assembly import assemble
from modeldocs.loaders.reference import Arrays

_SYMBOL, _BLOCK = "arg: and aux:", "the block's names"
_STATE = re.compile(r"(moving|running)_(mean|var)$")


def layout(request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
    """The parameters of a symbol, or of the block that it was traced from, and the values of those
    that are not mapped: ones for what runs as 1, zeros for the rest.

    Raises:
        ModeldocsError: it cannot be read or run.
    """
    block: Any = None
    if source.is_json(request):
        assembled = assemble(source.read(request), request)
    else:
        port = source.build(request)
        block, assembled = port.block, assemble(port.read(), port.with_own_inputs(request))
    values = {name: assembled.model.graph.initializers[name] for name in assembled.uses}
    tensors = [StoredTensor(name, sizes(shape_of(one)), _type(one)) for name, one in values.items()]
    own = {
        one.name: np.full(one.shape, assembled.uses[one.name].fixed, one.dtype)
        for one in tensors
        if one.name not in mapped
    }
    named = tuple(f"{'aux' if _STATE.search(one.name) else 'arg'}:{one.name}" for one in tensors)
    found = checkpoint_layout.plain(tensors)
    spellings = {PLAIN: found.spellings[PLAIN], _SYMBOL: named}
    written = _SYMBOL
    if block is not None:
        inside = {one.name: path for path, one in block._collect_params_with_prefix().items()}
        spellings[_BLOCK] = tuple(inside.get(one.name, one.name) for one in tensors)
        written = _BLOCK
    replaced = msgspec.structs.replace(found, spellings=spellings, written={".params": written})
    return replaced, own


def _type(value: ir.Value) -> str:
    return str(value.dtype.numpy()) if value.dtype is not None else "float32"
