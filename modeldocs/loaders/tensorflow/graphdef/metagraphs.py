"""Saved graphs as programs: which MetaGraph, which signature, which inputs and outputs."""

from __future__ import annotations

from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow.graphdef import attributes, ends, messages, variables
from modeldocs.loaders.tensorflow.program import FedPlaceholder, Fetch, GraphDefProgram, Ref

_DEFAULT = "serving_default"
_SERVING = "serve"


def program(request: LoadRequest, file: str, data: bytes, *, text: bool) -> GraphDefProgram:
    """The program in a file's binary or text data.

    Raises:
        ModeldocsError: it cannot be read, or has no output.
    """
    lines: dict[str, int] = {}
    if text:
        message, lines = messages.from_text(file, data)
    else:
        message = messages.from_binary(file, data)
    saved_model, meta_graph, _ = messages.message_types()
    if isinstance(message, saved_model):
        message = _meta_graph(request, file, message)
    is_meta_graph = isinstance(message, meta_graph)
    graph = message.graph_def if is_meta_graph else message
    places: dict[str, tuple[str | None, int | None]] = {n: (file, at) for n, at in lines.items()}
    program = GraphDefProgram(file, graph, [], [], places=places, name=request.name)
    if is_meta_graph:
        _add_ends(request, program, message)
    else:
        ends.find(program, request.args.get("outputs"))
    return program


def _meta_graph(request: LoadRequest, file: str, saved_model: Any) -> Any:
    """The MetaGraph of a SavedModel that serves, or the one that `tags` name.

    Raises:
        ModeldocsError: it has none of those tags.
    """
    value = request.args.get("tags", [_SERVING])
    tags = set(value.split(",") if isinstance(value, str) else map(str, value))
    tagged = [(set(meta.meta_info_def.tags), meta) for meta in saved_model.meta_graphs]
    matches = [meta for own, meta in tagged if own == tags]
    matches = matches or [meta for own, meta in tagged if tags <= own]
    if "tags" not in request.args and len(tagged) == 1:
        matches = [tagged[0][1]]
    if not matches:
        available = "; ".join(", ".join(sorted(own)) or "none" for own, _ in tagged)
        raise ModeldocsError(
            f"has no MetaGraph with the tags {', '.join(sorted(tags))} "
            f"(it has: {available or 'no MetaGraph'})",
            file=file,
            fix='name others: --args \'{"tags": ["serve"]}\'',
        )
    return matches[0]


def _add_ends(request: LoadRequest, program: GraphDefProgram, meta: Any) -> None:
    """Set the inputs and outputs of one of a MetaGraph's signatures, else those of its graph.

    Raises:
        ModeldocsError: it has no such signature, or no output can be found.
    """
    program.variables = variables.collected(meta)
    signature = _signature(request, program, meta)
    if "outputs" in request.args or signature is None:
        ends.find(program, request.args.get("outputs"))
        return
    nodes = {node.name: node for node in meta.graph_def.node}
    for key, tensor in sorted(signature.inputs.items()):
        name, _ = _ref(program, key, tensor)
        node = nodes.get(name)
        if node is not None and _is_setting(node, tensor):
            continue
        program.feeds.append(
            FedPlaceholder(key, name, attributes.dims(tensor.tensor_shape), other=name)
        )
    for key, tensor in sorted(signature.outputs.items()):
        program.fetches.append(Fetch(key, _ref(program, key, tensor)))
    program.variables |= variables.bound(meta, {fetch.ref[0] for fetch in program.fetches})


def _is_setting(node: Any, tensor: Any) -> bool:
    """Whether an input is a number with a default, such as whether to train."""
    return node.op == "PlaceholderWithDefault" and attributes.dims(tensor.tensor_shape) == ()


def _signature(request: LoadRequest, program: GraphDefProgram, meta: Any) -> Any:
    """The requested signature, else the one that serves, else the first; None without any."""
    requested = request.args.get("signature", request.entry)
    signatures = {
        name: signature
        for name, signature in meta.signature_def.items()
        if not name.startswith("__") and signature.outputs
    }
    if requested is not None:
        if requested not in signatures:
            raise program.error(
                f"has no signature {requested!r}",
                fix=f"use one of: {', '.join(sorted(signatures)) or 'none, name outputs instead'}",
            )
        return signatures[requested]
    if _DEFAULT in signatures or not signatures:
        return signatures.get(_DEFAULT)
    return signatures[sorted(signatures)[0]]


def _ref(program: GraphDefProgram, key: str, tensor: Any) -> Ref:
    name, _, index = tensor.name.partition(":")
    if tensor.WhichOneof("encoding") not in (None, "name") or not name:
        raise program.error(
            f"{key!r} of the signature is no dense tensor", fix="use a signature of dense tensors"
        )
    return name, int(index) if index.isdecimal() and len(index) < 7 else 0
