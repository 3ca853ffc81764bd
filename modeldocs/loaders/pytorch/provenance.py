"""Provenance of nodes: the module they come from, its settings, and the line of the source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import msgspec
import onnx_ir as ir

from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import own_files

if TYPE_CHECKING:
    import torch

Location = tuple[str | None, int | None]
"""A file and a line of it, as far as they are known."""

_SCOPES = "pkg.torch.onnx.name_scopes"
_CLASSES = "pkg.torch.onnx.class_hierarchy"
_FX = "pkg.torch.onnx.fx_node"
_STACK = "pkg.torch.onnx.stack_trace"


def attach(model: ir.Model, request: LoadRequest, module: torch.nn.Module | None) -> None:
    """Attach to each node its provenance, in place of the exporter's own metadata.

    `module` is the one that was traced, None where only its program is left.
    """
    reader = _MetadataReader(request, module)
    for node in model.graph:
        provenance = reader.provenance(node)
        node.metadata_props.clear()
        if provenance is not None:
            origin.attach(node, provenance)


class _MetadataReader:
    """Reads the exporter's metadata of nodes, together with the modules they come from."""

    def __init__(self, request: LoadRequest, module: torch.nn.Module | None) -> None:
        self.request = request
        self.modules = dict(module.named_modules()) if module is not None else {}
        own = own_files.OwnFiles(request)
        self.is_own = own.__contains__ if module is not None else _is_no_library

    def provenance(self, node: ir.Node) -> origin.Provenance | None:
        props = node.metadata_props
        if _SCOPES not in props or _CLASSES not in props:
            return None
        scopes: list[str] = ast.literal_eval(props[_SCOPES])
        classes: list[str] = ast.literal_eval(props[_CLASSES])
        path, call = (scopes[-2] if len(scopes) > 1 else ""), scopes[-1]
        kind = classes[-2] if len(classes) > 1 else ""
        location = self._call_location(props.get(_STACK, ""))
        call_text = {"call": props.get(_FX, "").split("call_function", 1)[-1]}
        if kind.startswith("torch.nn.modules."):
            leaf = self.modules.get(path)
            name, source = path or call, _module_origin(kind, path, leaf, call_text)
            location = self._construction_location(leaf) or location
        else:
            name = f"{path}.{call}" if path else call
            source, leaf = Origin(operator=classes[-1], name=name, attributes=call_text), None
        source = msgspec.structs.replace(source, file=location[0], line=location[1])
        modules = tuple(
            Module(path=scope, kind=_short_class(kind))
            for scope, kind in zip(scopes[:-1], classes[:-1], strict=False)
            if scope
        )
        return origin.Provenance(
            origins=(source,), modules=modules, name=name, padding=_padding_strategy(leaf)
        )

    def _construction_location(self, leaf: torch.nn.Module | None) -> Location | None:
        line = getattr(leaf, own_files.LINE, None)
        return (self.request.relative(line[0]), line[1]) if line else None

    def _call_location(self, stack: str) -> Location:
        """The innermost frame of a stack trace that is in the port's own files."""
        location: Location = (None, None)
        for line in stack.splitlines():
            parts = line.strip().split('"')
            if len(parts) == 3 and parts[0] == "File " and self.is_own(parts[1]):
                number = parts[2].split(",")[1].split()[-1]
                location = self.request.relative(parts[1]), int(number)
        return location


def _is_no_library(file: str) -> bool:
    """Whether a file on another machine is not of an installed package."""
    return "site-packages" not in file and "dist-packages" not in file


def _short_class(kind: str) -> str:
    name = kind.rsplit(".", 1)[-1]
    return f"nn.{name}" if kind.startswith("torch.nn.") else name


def _padding_strategy(leaf: torch.nn.Module | None) -> str | None:
    """`same`, `valid` or `ceil`, where one of torch's own modules has such a setting."""
    padding = getattr(leaf, "padding", None)
    if getattr(leaf, "ceil_mode", False):
        return "ceil"
    return padding if isinstance(padding, str) else None


def _module_origin(
    kind: str, path: str, leaf: torch.nn.Module | None, call_text: dict[str, Any]
) -> Origin:
    """The settings of one of torch's own modules; the text of the call where it is not known."""
    settings = {
        key: origin.plain(getattr(leaf, key))
        for key in (*getattr(type(leaf), "__constants__", ()), "eps", "momentum", "p")
        if hasattr(leaf, key)
    }
    settings = settings | {"training": False} if settings else call_text
    operator = f"torch.nn.{kind.rsplit('.', 1)[-1]}"
    return Origin(operator=operator, name=path, attributes=settings)
