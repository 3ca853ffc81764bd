"""What parameters are for, told by who reads them and by their names."""

from __future__ import annotations

from typing import Literal

from modeldocs.loaders.tensorflow import attributes, constants
from modeldocs.loaders.tensorflow.program import HANDLES, Operation, Ref
from modeldocs.loaders.tensorflow.typing import Typed

Kind = Literal["weight", "bias", "scale", "mean", "var", "slope", "embedding"]
"""What a parameter is for; `weight` of convolutions, matrices and their recurrent kin."""

_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_NORM_SLOTS: dict[int, Kind] = {1: "scale", 2: "bias", 3: "mean", 4: "var"}
SLOTS: dict[tuple[str, int], Kind] = {
    ("Conv2D", 1): "weight",
    ("Conv3D", 1): "weight",
    ("DepthwiseConv2dNative", 1): "weight",
    ("Conv2DBackpropInput", 1): "weight",
    ("Conv3DBackpropInputV2", 1): "weight",
    ("MatMul", 1): "weight",
    ("BatchMatMulV2", 1): "weight",
    ("BatchMatMul", 1): "weight",
    ("BiasAdd", 1): "bias",
    ("BiasAddV1", 1): "bias",
    ("GatherV2", 0): "embedding",
    ("Gather", 0): "embedding",
    ("ResourceGather", 0): "embedding",
    **{(norm, slot): kind for norm in _NORMS for slot, kind in _NORM_SLOTS.items()},
}
"""What a tensor is for that stands in a slot of an operator."""

_READS = ("ReadVariableOp", "DisableCopyOnRead", "Cast", "Enter", "RefIdentity", *constants.THROUGH)
ENDINGS: dict[str, Kind] = {
    "moving_variance": "var", "moving_var": "var", "running_var": "var",
    "moving_mean": "mean", "running_mean": "mean", "gamma": "scale", "scale": "scale",
    "beta": "bias", "bias": "bias", "biases": "bias", "alpha": "slope", "embeddings": "embedding",
}  # fmt: skip


def readers(typed: Typed, name: str) -> list[Operation]:
    """Operations that read a parameter, past those that only pass it on."""
    found, waiting = [], [name]
    by_name = typed.by_name()
    while waiting:
        for operation in by_name.get(waiting.pop(), ()):
            if operation.kind in _READS:
                waiting.append(operation.name)
            else:
                found.append(operation)
    return found


def kinds(typed: Typed) -> dict[str, Kind]:
    """What variables and constants are for that stand in a weight's slot, by operation name."""
    found: dict[str, Kind] = {}
    for operation in typed.flat.operations.values():
        for slot, ref in enumerate(operation.inputs):
            kind = SLOTS.get((operation.kind, slot))
            held = source(typed, ref) if kind else None
            if kind and held is not None and _may_be(held, typed):
                found.setdefault(held.name, kind)
        if _is_frozen_read(operation):
            held = typed.flat.operations.get(operation.inputs[0][0])
            if held is not None and held.kind == "Const" and _may_be(held, typed):
                found.setdefault(held.name, _by_rank(typed, held))
    return found


def _by_rank(typed: Typed, operation: Operation) -> Kind:
    ending = operation.name.split("/")[-1].rstrip("_0123456789")
    rank = len(typed.shape((operation.name, 0)) or ())
    return ENDINGS.get(ending, "weight" if rank > 1 else "bias")


def _is_frozen_read(operation: Operation) -> bool:
    """Whether an operation was the reading of a variable before the graph was frozen."""
    read = operation.name.split("/")[-1].rstrip("_0123456789") in ("read", "ReadVariableOp")
    return read and operation.kind == "Identity" and bool(operation.inputs)


def source(typed: Typed, ref: Ref) -> Operation | None:
    """The operation that an output goes back to, past those that only pass it on."""
    operation = typed.flat.operations.get(ref[0])
    while operation is not None and operation.kind in _READS and operation.inputs:
        operation = typed.flat.operations.get(operation.inputs[0][0])
    return operation


def _may_be(operation: Operation, typed: Typed) -> bool:
    """Whether an operation holds numbers that can be learnt."""
    if operation.kind in HANDLES:
        return True
    shape, number = typed.shape((operation.name, 0)), typed.dtype((operation.name, 0))
    held = attributes.onnx_type(number)
    known = operation.kind == "Const" and held is not None and held.is_floating_point()
    return known and bool(shape) and 0 not in (shape or ())
