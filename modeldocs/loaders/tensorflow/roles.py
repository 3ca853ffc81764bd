"""What parameters are for, by the operators that read them and by their names."""

from __future__ import annotations

from typing import Literal

from modeldocs.loaders.tensorflow.graphdef import attributes, constants
from modeldocs.loaders.tensorflow.graphdef.typed_graph import TypedGraph
from modeldocs.loaders.tensorflow.program import HANDLES, GraphNode, Ref

Role = Literal["weight", "bias", "scale", "mean", "var", "slope", "embedding"]
"""`weight` is a kernel of a convolution or a matrix, those of recurrent layers included."""

_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_NORM_SLOTS: dict[int, Role] = {1: "scale", 2: "bias", 3: "mean", 4: "var"}
_KERNELS = (
    "Conv2D", "Conv3D", "DepthwiseConv2dNative", "Conv2DBackpropInput", "Conv3DBackpropInputV2",
    "MatMul", "BatchMatMulV2", "BatchMatMul",
)  # fmt: skip
_SLOTS: dict[tuple[str, int], Role] = {
    **dict.fromkeys(((operator, 1) for operator in _KERNELS), "weight"),
    **dict.fromkeys((("BiasAdd", 1), ("BiasAddV1", 1)), "bias"),
    **dict.fromkeys((("GatherV2", 0), ("Gather", 0), ("ResourceGather", 0)), "embedding"),
    **{(norm, slot): role for norm in _NORMS for slot, role in _NORM_SLOTS.items()},
}
"""Roles by operator and input slot."""

_READS = ("ReadVariableOp", "DisableCopyOnRead", "Cast", "Enter", "RefIdentity", *constants.THROUGH)
_ENDINGS: dict[str, Role] = {
    "moving_variance": "var", "moving_var": "var", "running_var": "var",
    "moving_mean": "mean", "running_mean": "mean", "gamma": "scale", "scale": "scale",
    "beta": "bias", "bias": "bias", "biases": "bias", "alpha": "slope", "embeddings": "embedding",
}  # fmt: skip


def roles(typed: TypedGraph) -> dict[str, Role]:
    """Roles of the variables and constants that stand in a weight's slot, by name of the node."""
    by_node: dict[str, Role] = {}
    for node in typed.flat.nodes.values():
        for slot, ref in enumerate(node.inputs):
            role = _SLOTS.get((node.kind, slot))
            holder = source(typed, ref) if role else None
            if role and holder is not None and _can_be_learnt(holder, typed):
                by_node.setdefault(holder.name, role)
        if _is_frozen_read(node):
            holder = typed.flat.nodes.get(node.inputs[0][0])
            if holder is not None and holder.kind == "Const" and _can_be_learnt(holder, typed):
                rank = len(typed.shape((holder.name, 0)) or ())
                by_rank: Role = "weight" if rank > 1 else "bias"
                by_node.setdefault(holder.name, by_name(holder.name) or by_rank)
    return by_node


def by_name(name: str) -> Role | None:
    """The role that a parameter's name tells, `conv/gamma_1` for example."""
    return _ENDINGS.get(_ending(name))


def _ending(name: str) -> str:
    return name.split("/")[-1].rstrip("_0123456789")


def _is_frozen_read(node: GraphNode) -> bool:
    """Whether a node read a variable before the graph was frozen."""
    is_read = _ending(node.name) in ("read", "ReadVariableOp")
    return is_read and node.kind == "Identity" and bool(node.inputs)


def source(typed: TypedGraph, ref: Ref) -> GraphNode | None:
    """The node that an output originates from, past nodes that read, cast or copy."""
    node = typed.flat.nodes.get(ref[0])
    while node is not None and node.kind in _READS and node.inputs:
        node = typed.flat.nodes.get(node.inputs[0][0])
    return node


def _can_be_learnt(node: GraphNode, typed: TypedGraph) -> bool:
    """Whether a node is a variable, or a constant of floats."""
    if node.kind in HANDLES:
        return True
    shape = typed.shape((node.name, 0))
    dtype = attributes.onnx_type(typed.dtype((node.name, 0)))
    is_float = node.kind == "Const" and dtype is not None and dtype.is_floating_point()
    return is_float and bool(shape) and 0 not in (shape or ())
