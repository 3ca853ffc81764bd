"""Saved graphs as programs: which MetaGraph, which signature, which nodes are in and out."""

from __future__ import annotations

from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow import attributes, ends, variables
from modeldocs.loaders.tensorflow.program import Feed, Fetch, Program, Ref

_DEFAULT = "serving_default"
_SERVING = "serve"


def serving(request: LoadRequest, file: str, saved: Any) -> Any:
    """The MetaGraph of a SavedModel that serves, unless `tags` name another.

    Raises:
        ModeldocsError: it has none of those tags.
    """
    wanted = request.args.get("tags", [_SERVING])
    tags = set(wanted.split(",") if isinstance(wanted, str) else map(str, wanted))
    held = [(set(meta.meta_info_def.tags), meta) for meta in saved.meta_graphs]
    fits = [meta for has, meta in held if has == tags] or [m for has, m in held if tags <= has]
    if "tags" not in request.args and len(held) == 1:
        fits = [held[0][1]]
    if not fits:
        has = "; ".join(", ".join(sorted(has)) or "none" for has, _ in held) or "no MetaGraph"
        raise ModeldocsError(
            f"has no MetaGraph with the tags {', '.join(sorted(tags))} (it has: {has})",
            file=file,
            fix='name others: --args \'{"tags": ["serve"]}\'',
        )
    return fits[0]


def read(request: LoadRequest, program: Program, meta: Any) -> None:
    """Fill in what a MetaGraph says: one of its signatures, else the ends of its graph.

    Raises:
        ModeldocsError: it has no such signature, or no end can be told.
    """
    program.variables = variables.collected(meta)
    signature = _signature(request, program, meta)
    if "outputs" in request.args or signature is None:
        ends.find(program, request.args.get("outputs"))
        return
    nodes = {node.name: node for node in meta.graph_def.node}
    for key, held in sorted(signature.inputs.items()):
        name, _ = _tensor(program, key, held)
        node = nodes.get(name)
        if node is not None and _is_setting(node, held):
            continue
        program.feeds.append(Feed(key, name, attributes.dims(held.tensor_shape), other=name))
    for key, held in sorted(signature.outputs.items()):
        program.fetches.append(Fetch(key, _tensor(program, key, held)))
    program.variables |= variables.bound(meta, {fetch.ref[0] for fetch in program.fetches})


def _is_setting(node: Any, held: Any) -> bool:
    """Whether an input is a number that has a default: whether to train, what to keep."""
    return node.op == "PlaceholderWithDefault" and attributes.dims(held.tensor_shape) == ()


def _signature(request: LoadRequest, program: Program, meta: Any) -> Any:
    """The signature asked for, else the one that serves, else the only one; None without any."""
    asked = request.args.get("signature", request.entry)
    held = {n: s for n, s in meta.signature_def.items() if not n.startswith("__") and s.outputs}
    if asked is not None:
        if asked not in held:
            raise program.error(
                f"has no signature {asked!r}",
                fix=f"use one of: {', '.join(sorted(held)) or 'none, name outputs instead'}",
            )
        return held[asked]
    if _DEFAULT in held or not held:
        return held.get(_DEFAULT)
    return held[sorted(held)[0]]


def _tensor(program: Program, key: str, held: Any) -> Ref:
    name, _, index = held.name.partition(":")
    if held.WhichOneof("encoding") not in (None, "name") or not name:
        raise program.error(
            f"{key!r} of the signature is no dense tensor", fix="use a signature of dense tensors"
        )
    return name, int(index) if index.isdecimal() and len(index) < 7 else 0
