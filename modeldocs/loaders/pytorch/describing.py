"""What each node is told to come from: module, settings, line; which tensors are parameters."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs import origin
from modeldocs.graph import Module, Origin
from modeldocs.loaders import LoadRequest, callables

if TYPE_CHECKING:
    import torch

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


def describe(model: ir.Model, request: LoadRequest, module: torch.nn.Module) -> None:
    """Attach to each node what the port said of it, in place of the exporter's own words."""
    modules = dict(module.named_modules())
    for node in model.graph:
        provenance = _provenance(node, request, modules)
        node.metadata_props.clear()
        if provenance is not None:
            origin.attach(node, provenance)


def _provenance(
    node: ir.Node, request: LoadRequest, modules: dict[str, torch.nn.Module]
) -> origin.Provenance | None:
    props = node.metadata_props
    if _SCOPES not in props or _CLASSES not in props:
        return None
    scopes: list[str] = ast.literal_eval(props[_SCOPES])
    classes: list[str] = ast.literal_eval(props[_CLASSES])
    path, call = (scopes[-2] if len(scopes) > 1 else ""), scopes[-1]
    leaf = modules.get(path)
    steps = tuple(
        Module(path=step, kind=_short(kind))
        for step, kind in zip(scopes[:-1], classes[:-1], strict=False)
        if step
    )
    if leaf is not None and type(leaf).__module__.startswith("torch.nn.modules"):
        source = _module_origin(leaf, path, request, props.get(_STACK, ""))
        padding = getattr(leaf, "padding", None)
        if getattr(leaf, "ceil_mode", False):
            padding = "ceil"
        return origin.Provenance(
            origins=(source,),
            modules=steps,
            name=path or call,
            padding=padding if isinstance(padding, str) else None,
        )
    name = f"{path}.{call}" if path else call
    file, line = _own_frame(props.get(_STACK, ""), request)
    source = Origin(
        operator=classes[-1],
        name=name,
        file=file,
        line=line,
        attributes={"call": props.get(_FX, "").split("call_function", 1)[-1]},
    )
    return origin.Provenance(origins=(source,), modules=steps, name=name)


def _short(kind: str) -> str:
    name = kind.rsplit(".", 1)[-1]
    return f"nn.{name}" if kind.startswith("torch.nn.") else name


def _module_origin(leaf: torch.nn.Module, path: str, request: LoadRequest, stack: str) -> Origin:
    settings = {
        key: origin.plain(getattr(leaf, key))
        for key in getattr(type(leaf), "__constants__", ())
        if hasattr(leaf, key)
    }
    for key in ("eps", "momentum", "p"):
        if hasattr(leaf, key):
            settings[key] = origin.plain(getattr(leaf, key))
    settings["training"] = False
    made = getattr(leaf, "_modeldocs_line", None)
    file, line = (request.relative(made[0]), made[1]) if made else _own_frame(stack, request)
    return Origin(
        operator=f"torch.nn.{type(leaf).__name__}",
        name=path,
        attributes=settings,
        file=file,
        line=line,
    )


def _own_frame(stack: str, request: LoadRequest) -> tuple[str | None, int | None]:
    """Innermost frame of a stack trace that lies in the port's own files."""
    own = callables.OwnFiles(request)
    found: tuple[str | None, int | None] = (None, None)
    for line in stack.splitlines():
        parts = line.strip().split('"')
        if len(parts) == 3 and parts[0] == "File " and parts[1] in own:
            number = parts[2].split(",")[1].split()[-1]
            found = request.relative(parts[1]), int(number)
    return found


def mark_parameters(model: ir.Model, module: torch.nn.Module) -> None:
    """Tell parameters and running statistics from constants such as masks and positions."""
    trainable = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    buffers = {name for name, _ in module.named_buffers(remove_duplicate=False)}
    for name, value in model.graph.initializers.items():
        if name in trainable:
            origin.mark_parameter(value, trainable=True)
        elif name in buffers and name.endswith(("running_mean", "running_var")):
            origin.mark_parameter(value, trainable=False)
