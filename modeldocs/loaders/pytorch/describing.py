"""What each node is told to come from: module, settings, line; which tensors are parameters."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.pytorch.construction import LINE

if TYPE_CHECKING:
    import torch

Frame = tuple[str | None, int | None]

_SCOPES = "pkg.torch.onnx.name_scopes"
_CLASSES = "pkg.torch.onnx.class_hierarchy"
_FX = "pkg.torch.onnx.fx_node"
_STACK = "pkg.torch.onnx.stack_trace"


def name_graph(model: ir.Model, request: LoadRequest) -> None:
    """Name the graph after the model, and drop what the exporter says of itself."""
    model.graph.name = request.name
    model.graph.doc_string = None
    model.graph.metadata_props.clear()
    model.metadata_props.clear()


def describe(model: ir.Model, request: LoadRequest, module: torch.nn.Module | None) -> None:
    """Attach to each node what the port said of it, in place of the exporter's own words.

    `module` is the one that was traced, None where only its program is left.
    """
    teller = _Teller(request, module)
    for node in model.graph:
        provenance = teller.provenance(node)
        node.metadata_props.clear()
        if provenance is not None:
            origin.attach(node, provenance)


class _Teller:
    """Tells of nodes what their module, its settings and the lines of the source are."""

    def __init__(self, request: LoadRequest, module: torch.nn.Module | None) -> None:
        self.request = request
        self.modules = dict(module.named_modules()) if module is not None else {}
        own = callables.OwnFiles(request)
        self.is_own = own.__contains__ if module is not None else _is_somebodys

    def provenance(self, node: ir.Node) -> origin.Provenance | None:
        props = node.metadata_props
        if _SCOPES not in props or _CLASSES not in props:
            return None
        scopes: list[str] = ast.literal_eval(props[_SCOPES])
        classes: list[str] = ast.literal_eval(props[_CLASSES])
        path, call = (scopes[-2] if len(scopes) > 1 else ""), scopes[-1]
        kind = classes[-2] if len(classes) > 1 else ""
        frame = self._frame(props.get(_STACK, ""))
        said = {"call": props.get(_FX, "").split("call_function", 1)[-1]}
        if kind.startswith("torch.nn.modules."):
            leaf = self.modules.get(path)
            name, source = path or call, _module_origin(kind, path, leaf, said)
            frame = self._made(leaf) or frame
        else:
            name = f"{path}.{call}" if path else call
            source, leaf = Origin(operator=classes[-1], name=name, attributes=said), None
        source = msgspec.structs.replace(source, file=frame[0], line=frame[1])
        steps = tuple(
            Module(path=step, kind=_short(kind))
            for step, kind in zip(scopes[:-1], classes[:-1], strict=False)
            if step
        )
        return origin.Provenance(
            origins=(source,), modules=steps, name=name, padding=_strategy(leaf)
        )

    def _made(self, leaf: torch.nn.Module | None) -> Frame | None:
        """The line that made a module."""
        made = getattr(leaf, LINE, None)
        return (self.request.relative(made[0]), made[1]) if made else None

    def _frame(self, stack: str) -> Frame:
        """Innermost frame of a stack trace that lies in the port's own files."""
        found: Frame = (None, None)
        for line in stack.splitlines():
            parts = line.strip().split('"')
            if len(parts) == 3 and parts[0] == "File " and self.is_own(parts[1]):
                number = parts[2].split(",")[1].split()[-1]
                found = self.request.relative(parts[1]), int(number)
        return found


def _is_somebodys(file: str) -> bool:
    """Whether a file on another machine is not of a library."""
    return "site-packages" not in file and "dist-packages" not in file


def _short(kind: str) -> str:
    name = kind.rsplit(".", 1)[-1]
    return f"nn.{name}" if kind.startswith("torch.nn.") else name


def _strategy(leaf: torch.nn.Module | None) -> str | None:
    """`same`, `valid` or `ceil`, where a module of torch's says so."""
    padding = getattr(leaf, "padding", None)
    if getattr(leaf, "ceil_mode", False):
        return "ceil"
    return padding if isinstance(padding, str) else None


def _module_origin(
    kind: str, path: str, leaf: torch.nn.Module | None, said: dict[str, Any]
) -> Origin:
    """What one of torch's modules was told; the call alone where it is not there to ask."""
    settings = {
        key: origin.plain(getattr(leaf, key))
        for key in (*getattr(type(leaf), "__constants__", ()), "eps", "momentum", "p")
        if hasattr(leaf, key)
    }
    settings = settings | {"training": False} if settings else said
    operator = f"torch.nn.{kind.rsplit('.', 1)[-1]}"
    return Origin(operator=operator, name=path, attributes=settings)


def mark_parameters(model: ir.Model, module: torch.nn.Module) -> None:
    """Tell parameters and running statistics from constants such as masks and positions.

    A parameter that takes no gradient is not trainable.
    """
    learned = {n: p.requires_grad for n, p in module.named_parameters(remove_duplicate=False)}
    held = statistics(module)
    for name, value in model.graph.initializers.items():
        if name in learned:
            origin.mark_parameter(value, trainable=learned[name])
        elif name in held:
            origin.mark_parameter(value, trainable=False)


def statistics(module: torch.nn.Module) -> set[str]:
    """Names of buffers that hold running statistics, and scales and shifts that are frozen.

    They are vectors of floating-point numbers that are saved with the weights, several of one
    length in one module, whatever they are called. Masks and positions are none of them, nor how
    many batches the statistics saw.
    """
    found = {
        name
        for name, _ in module.named_buffers(remove_duplicate=False)
        if name.endswith(("running_mean", "running_var"))
    }
    for path, owner in module.named_modules(remove_duplicate=False):
        vectors = {
            name: len(held)
            for name, held in owner.named_buffers(recurse=False)
            if held.is_floating_point()
            and held.ndim == 1
            and name not in owner._non_persistent_buffers_set
        }
        lengths = Counter(vectors.values())
        prefix = f"{path}." if path else ""
        found |= {prefix + name for name, length in vectors.items() if lengths[length] > 1}
    return found


def unread(model: ir.Model, module: torch.nn.Module) -> tuple[str, ...]:
    """A note on the module's parameters that no layer reads."""
    read = {str(v.name) for node in model.graph for v in node.inputs if v is not None}
    aliases: dict[object, list[str]] = {}
    for name, param in module.named_parameters(remove_duplicate=False):
        aliases.setdefault(place(param), []).append(name)
    found = sorted(names[0] for names in aliases.values() if not read.intersection(names))
    if not found:
        return ()
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return (f"parameters that are there but never read: {', '.join(found[:3])}{more}",)


def place(param: torch.nn.Parameter) -> object:
    """What is the same for parameters that are one: an archive holds it once, under two names."""
    if param.device.type != "cpu" or type(param).__name__ == "FakeTensor" or not param.numel():
        return id(param)
    return param.data_ptr(), tuple(param.shape)
