"""Views of a traced program, made independent of strides, which ONNX has no notion of.

Before torch writes ONNX it runs a program on fake tensors twice more: to decompose operators, and
to insert conversions of types. Results may have other strides then, and a view that was possible be
so no longer. Since it was possible where the port ran, it is a reshape of the same values: as soon
as no operator changes a tensor in place, an operator of our own, which copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.pytorch import operators

if TYPE_CHECKING:
    import torch


def free_of_strides(request: LoadRequest, exported: torch.export.ExportedProgram) -> None:
    """Write views as reshapes, and those of storage as views of the tensor that owns it.

    Raises:
        ModeldocsError: the program has no tensor with all of a storage that it views.
    """
    import torch

    aten = torch.ops.aten
    reshapes = {
        aten.view.default: aten.reshape.default,
        aten._unsafe_view.default: aten.reshape.default,
        aten.view_as.default: aten.reshape_as.default,
    }
    for module in _graph_modules(exported):
        for node in list(module.graph.nodes):
            node.target = reshapes.get(node.target, node.target)
            if node.target is aten.as_strided.default:
                _read_from_owner(request, node)
        module.recompile()
    decompose = exported.run_decompositions

    def decomposed(*args: Any, **kwargs: Any) -> torch.export.ExportedProgram:
        program = decompose(*args, **kwargs)
        _use_own_reshapes(program)
        return program

    # The exporter calls it, and then runs what it returns once more.
    exported.run_decompositions = decomposed


def _use_own_reshapes(functional: torch.export.ExportedProgram) -> None:
    """Replace views of a functional program by an operator that takes any strides.

    Those of complex numbers stay: the exporter writes them with an axis more.
    """
    import torch

    aten, own = torch.ops.aten, operators.own_operators()["reshape"]
    for module in _graph_modules(functional):
        for node in module.graph.nodes:
            is_view = node.target in (aten.view.default, aten._unsafe_view.default)
            if is_view and not node.meta["val"].is_complex():
                node.target = own
        module.recompile()


def _graph_modules(exported: torch.export.ExportedProgram) -> Iterator[torch.fx.GraphModule]:
    """The graph of a program, and those of its branches."""
    import torch

    for module in exported.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            yield module


def _read_from_owner(request: LoadRequest, view: torch.fx.Node) -> None:
    """Let a view of storage read a tensor whose elements are in the order of that storage."""
    import torch

    source: Any = view.args[0]
    size, stride, *given = view.args[1:]
    offset = given[0] if given else view.kwargs.get("storage_offset")
    if offset is None:
        offset = source.meta["val"].storage_offset()
    owner = next((node for node in _aliased(source) if _spans_storage(node.meta["val"])), None)
    if owner is None:
        raise ModeldocsError(
            "views by as_strided memory that no tensor of the network has as a whole",
            file=request.source,
            fix="take its elements by slices, `unfold` or `gather`",
        )
    order = _storage_order(owner.meta["val"])
    with view.graph.inserting_before(view):
        owner = view.graph.call_function(torch.ops.aten.permute.default, (owner, order))
    view.args, view.kwargs = (owner, size, stride, offset), {}


def _aliased(node: torch.fx.Node) -> Iterator[torch.fx.Node]:
    """A node, and those that it is a view of, to the one that made the storage."""
    import torch

    current: Any = node
    storage = node.meta["val"].untyped_storage()._cdata
    while isinstance(current, torch.fx.Node):
        value = current.meta.get("val")
        if isinstance(value, torch.Tensor):
            if value.untyped_storage()._cdata != storage:
                return
            yield current
        elif not isinstance(value, list | tuple):  # the pieces of a split are views, too
            return
        current = current.args[0] if current.args else None


def _spans_storage(value: torch.Tensor) -> bool:
    """Whether a tensor has each element of its storage once."""
    size = value.numel() * value.element_size()
    return size == value.untyped_storage().nbytes() and bool(
        value.permute(_storage_order(value)).is_contiguous()
    )


def _storage_order(value: torch.Tensor) -> list[int]:
    """The axes of a tensor by descending stride."""
    return sorted(range(value.ndim), key=lambda axis: -value.stride(axis))
