"""Edits of one attribute: another value that the layer computes by."""

from __future__ import annotations

from typing import Any

from modeldocs.ir import Layer

from .draft import replace
from .edit import Bench, Edit
from .shapes import held, inferred, read, window

Stated = dict[str, Any]


def attribute(bench: Bench) -> Edit | None:
    """Another value of one attribute that the layer computes by."""
    layer = bench.pick(*_ATTRIBUTES)
    if layer is None:
        return None
    told = bench.chance.choice(_ATTRIBUTES[layer.operator])
    changed = _CHANGES[told](layer, bench)
    if changed is None or all(layer.attributes.get(key) == changed[key] for key in changed):
        return None
    bench.draft.state(layer.id, **changed)
    bench.claims.change(layer.id)
    before = layer.attributes.get(told)
    return Edit("attribute", (layer.id,), (layer.id,), told, before, changed[told])


def _epsilon(layer: Layer, bench: Bench) -> Stated | None:
    return {"epsilon": layer.attributes["epsilon"] * bench.chance.choice([1.001, 10.0, 0.01])}


def _pads(layer: Layer, bench: Bench) -> Stated | None:
    """The same padding, a pixel of it on the other side: windows lie otherwise, shapes do not."""
    pads = window(layer, "pads", 0)
    rank = len(pads) // 2
    if not any(pads[:rank]):
        return None
    starts = [size - 1 if size else 0 for size in pads[:rank]]
    ends = [pads[rank + i] + pads[i] - starts[i] for i in range(rank)]
    return {"pads": starts + ends}


def _dilations(layer: Layer, bench: Bench) -> Stated | None:
    kernel, pads = window(layer, "kernel_shape", 1), window(layer, "pads", 0)
    if layer.attributes.get("dilations", [1, 1]) != [1, 1] or any(k % 2 == 0 for k in kernel):
        return None
    wider = [pad + (kernel[i % len(kernel)] - 1) // 2 for i, pad in enumerate(pads)]
    return None if max(kernel) == 1 else {"dilations": [2] * len(kernel), "pads": wider}


def _kernel(layer: Layer, bench: Bench) -> Stated | None:
    kernel, pads = window(layer, "kernel_shape", 1), window(layer, "pads", 0)
    if max(window(layer, "dilations", 1)) > 1:
        return None
    weight = held(layer)
    wider = [size + 2 for size in kernel]
    if weight is not None:
        changed = replace(weight, shape=(*weight.shape[:2], *wider))
        others = [changed if one is weight else one for one in layer.parameters]
        bench.draft.put(replace(layer, parameters=tuple(others)))
    return {"kernel_shape": wider, "pads": [pad + 1 for pad in pads]}


def _group(layer: Layer, bench: Bench) -> Stated | None:
    weight, channels = held(layer), read(layer)[1]
    if weight is None or layer.attributes.get("group", 1) != 1:
        return None
    fitting = [g for g in (2, 4) if channels % g == 0 and weight.shape[0] % g == 0]
    return {"group": bench.chance.choice(fitting)} if fitting else None


def _ceil(layer: Layer, bench: Bench) -> Stated | None:
    """Only where it gives another size; else both round alike."""
    turned = {"ceil_mode": 1 - layer.attributes.get("ceil_mode", 0)}
    other = inferred(replace(layer, attributes={**layer.attributes, **turned}))
    return turned if other.outputs != layer.outputs else None


def _count(layer: Layer, bench: Bench) -> Stated | None:
    padded = any(window(layer, "pads", 0))
    counted = layer.attributes.get("count_include_pad", 0)
    return {"count_include_pad": 1 - counted} if padded else None


def _alpha(layer: Layer, bench: Bench) -> Stated | None:
    return {"alpha": layer.attributes["alpha"] / layer.attributes["size"]}


def _beta(layer: Layer, bench: Bench) -> Stated | None:
    return {"beta": 0.5}


def _size(layer: Layer, bench: Bench) -> Stated | None:
    return {"size": layer.attributes["size"] + 2}


def _approximate(layer: Layer, bench: Bench) -> Stated | None:
    exact = layer.attributes.get("approximate", "none") == "none"
    return {"approximate": "tanh" if exact else "none"}


def _most(layer: Layer, bench: Bench) -> Stated | None:
    return {"max": layer.attributes.get("max", 6.0) / 2}


def _scale(layer: Layer, bench: Bench) -> Stated | None:
    return {"scale": layer.attributes.get("scale", 0.125) ** 2}


def _causal(layer: Layer, bench: Bench) -> Stated | None:
    """Not beside a mask of its own, which may be that very one."""
    masked = len(layer.inputs) > 3 or "attn_mask" in layer.attributes
    return None if masked else {"is_causal": 1 - layer.attributes.get("is_causal", 0)}


_CHANGES = {
    "epsilon": _epsilon,
    "pads": _pads,
    "dilations": _dilations,
    "kernel_shape": _kernel,
    "group": _group,
    "ceil_mode": _ceil,
    "count_include_pad": _count,
    "alpha": _alpha,
    "beta": _beta,
    "size": _size,
    "approximate": _approximate,
    "max": _most,
    "scale": _scale,
    "is_causal": _causal,
}
_ATTRIBUTES = {
    "BatchNormalization": ["epsilon"],
    "LayerNormalization": ["epsilon"],
    "LpNormalization": ["epsilon"],
    "Conv": ["pads", "dilations", "kernel_shape", "group"],
    "MaxPool": ["pads", "kernel_shape", "ceil_mode"],
    "AveragePool": ["pads", "kernel_shape", "ceil_mode", "count_include_pad"],
    "LRN": ["alpha", "beta", "size"],
    "Gelu": ["approximate"],
    "Clip": ["max"],
    "Attention": ["scale", "is_causal"],
}
