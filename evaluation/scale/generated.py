"""Generated catalogs: residual networks in Caffe's text format, three ports a model."""

from __future__ import annotations

import random
from pathlib import Path

BLOCK = 4
"""Layers of a residual block."""

BLOCKS = 34
"""Residual blocks of a network; with its ends it has 140 layers."""

PORTS = 3
"""Ports of a model: one as it is, one written otherwise, one with a difference."""


def write(folder: Path, ports: int, seed: int = 0, blocks: int = BLOCKS) -> None:
    """Write a catalog with so many ports."""
    for number in range(ports):
        model = folder / f"net{number // PORTS:04}"
        model.mkdir(parents=True, exist_ok=True)
        name = ("first", "second", "third")[number % PORTS]
        text = network(number // PORTS, number % PORTS, seed, blocks)
        (model / f"{name}.prototxt").write_text(text)


def network(model: int, variant: int, seed: int = 0, blocks: int = BLOCKS) -> str:
    """A network; variant 1 has other names, variant 2 another kernel in one place."""
    draw = random.Random(f"{seed} {model}")
    width = draw.choice((8, 16, 24, 32))
    odd = draw.randrange(blocks) if variant == 2 else -1
    prefix = "b" if variant != 1 else "stage"
    text = [
        f'name: "net{model}"\ninput: "data" input_dim: 1 input_dim: 3 input_dim: 32 input_dim: 32'
    ]
    text.append(_convolution("stem", "data", width, 3))
    last = "stem"
    for number in range(blocks):
        name = f"{prefix}{number}"
        text.append(_convolution(f"{name}a", last, width, 1 if number == odd else 3))
        text.append(_layer(f"{name}r", "ReLU", f"{name}a"))
        text.append(_convolution(f"{name}c", f"{name}r", width, 3))
        text.append(
            f'layer {{ name: "{name}s" type: "Eltwise" bottom: "{last}" bottom: "{name}c" '
            f'top: "{name}s" }}'
        )
        last = f"{name}s"
    text.append(
        f'layer {{ name: "pool" type: "Pooling" bottom: "{last}" top: "pool" '
        "pooling_param { pool: AVE global_pooling: true } }"
    )
    text.append(
        'layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc" '
        "inner_product_param { num_output: 10 } }"
    )
    text.append(_layer("prob", "Softmax", "fc"))
    return "\n".join(text)


def _convolution(name: str, bottom: str, width: int, kernel: int) -> str:
    return (
        f'layer {{ name: "{name}" type: "Convolution" bottom: "{bottom}" top: "{name}" '
        f"convolution_param {{ num_output: {width} kernel_size: {kernel} pad: {kernel // 2} }} }}"
    )


def _layer(name: str, kind: str, bottom: str) -> str:
    return f'layer {{ name: "{name}" type: "{kind}" bottom: "{bottom}" top: "{name}" }}'
