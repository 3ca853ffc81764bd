"""The cells of recurrent layers in Flax, and what they hold of ONNX's weights.

ONNX has the gates of an LSTM as input, output, forget, cell, and those of a GRU as update, reset,
new; it has a bias for each product. Flax's cells have other orders, and one bias where the two are
added up. A program has cells of its own, made from Flax's, where these have too few biases or one
too many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from modeldocs.generators.recurrent import Recurrence
from modeldocs.generators.site import Site, WeightSlot

_KERNEL, _RECURRENT, _BIAS = 1, 2, 3

_GATES: Final = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": ()}
_COUNTS: Final = {"LSTM": 4, "GRU": 3, "RNN": 1}


@dataclass(frozen=True)
class Cell:
    """A cell: what it is called, the order of its gates, their number, and which product has its
    biases: `dense_i` or `dense_h`, each its own where `both`.
    """

    name: str
    gates: tuple[int, ...]
    count: int
    biased: str
    both: bool = False


def cell(site: Site, found: Recurrence) -> Cell:
    """The cell of a layer."""
    kind = site.layer.operator
    gates, count = _GATES[kind], _COUNTS[kind]
    if kind == "LSTM":
        name = "nnx.OptimizedLSTMCell" if found.has_bias else "LSTMCellWithoutBias"
        return Cell(name, gates, count, "dense_h")
    if kind == "RNN":
        name = "nnx.SimpleCell" if found.has_bias else "SimpleCellWithoutBias"
        return Cell(name, gates, count, "dense_i")
    is_after = bool(site.layer.number("linear_before_reset", 0))
    if not found.has_bias:
        name = "GRUCellWithoutBias" if is_after else "EarlyResetGRUCellWithoutBias"
        return Cell(name, gates, count, "dense_i")
    if is_after:
        return Cell("GRUCellWithBiases", gates, count, "", both=True)
    return Cell("EarlyResetGRUCell", gates, count, "dense_i")


def weights(own: Cell, found: Recurrence) -> dict[str, WeightSlot]:
    """What a layer of these cells holds, by path."""
    held: dict[str, WeightSlot] = {}
    paths = ("forward_rnn.cell", "backward_rnn.cell") if found.directions == 2 else ("cell",)
    width = own.count * found.units
    for direction, path in enumerate(paths):
        for product, slot, size in (
            ("dense_i", _KERNEL, found.inputs),
            ("dense_h", _RECURRENT, found.units),
        ):
            held[f"{path}.{product}.kernel"] = WeightSlot(
                slot,
                axes=(found.directions * width, size),
                order=(1, 0),
                columns=(direction * width, (direction + 1) * width),
                gates=own.gates,
            )
        if not found.has_bias:
            continue
        first = 2 * direction * width
        whole = (1, 2 * found.directions * width)
        for place, product in enumerate(("dense_i", "dense_h") if own.both else (own.biased,)):
            start = first + place * width
            held[f"{path}.{product}.bias"] = WeightSlot(
                _BIAS,
                axes=whole,
                columns=(start, start + width * (1 if own.both else 2)),
                summed=1 if own.both else 2,
                gates=own.gates,
            )
    return held


_LSTM: Final = '''
class LSTMCellWithoutBias(nnx.OptimizedLSTMCell):
    """A cell of a long short-term memory that adds no bias."""

    def __init__(self, in_features: int, hidden_features: int, *, rngs: nnx.Rngs) -> None:
        super().__init__(in_features, hidden_features, rngs=rngs)
        width = 4 * hidden_features
        self.dense_h = nnx.Linear(hidden_features, width, use_bias=False, rngs=rngs)
'''

_SIMPLE: Final = '''
class SimpleCellWithoutBias(nnx.SimpleCell):
    """A simple recurrent cell that adds no bias."""

    def __init__(self, in_features: int, hidden_features: int, *, rngs: nnx.Rngs) -> None:
        super().__init__(in_features, hidden_features, rngs=rngs)
        self.dense_i = nnx.Linear(in_features, hidden_features, use_bias=False, rngs=rngs)
'''

_GRU: Final = '''
class GRUCellWithoutBias(nnx.GRUCell):
    """A gated recurrent cell that adds no bias."""

    def __init__(self, in_features: int, hidden_features: int, *, rngs: nnx.Rngs) -> None:
        super().__init__(in_features, hidden_features, rngs=rngs)
        width = 3 * hidden_features
        self.dense_i = nnx.Linear(in_features, width, use_bias=False, rngs=rngs)
'''

_GRU_BIASES: Final = '''
class GRUCellWithBiases(nnx.GRUCell):
    """A gated recurrent cell that adds a bias to the product with the state, too."""

    def __init__(self, in_features: int, hidden_features: int, *, rngs: nnx.Rngs) -> None:
        super().__init__(in_features, hidden_features, rngs=rngs)
        self.dense_h = nnx.Linear(hidden_features, 3 * hidden_features, rngs=rngs)
'''

_CALL: Final = """
    def __call__(self, carry: jax.Array, inputs: jax.Array) -> tuple[jax.Array, jax.Array]:
        own = jnp.split(self.dense_i(inputs), 3, axis=-1)
        kernels = jnp.split(self.dense_h.kernel[...], 3, axis=-1)
        reset = nnx.sigmoid(own[0] + carry @ kernels[0])
        update = nnx.sigmoid(own[1] + carry @ kernels[1])
        new = nnx.tanh(own[2] + (reset * carry) @ kernels[2])
        carry = (1 - update) * new + update * carry
        return carry, carry
"""

_EARLY: Final = (
    '''
class EarlyResetGRUCell(nnx.GRUCell):
    """A gated recurrent cell that resets the state before the product with it."""
'''
    + _CALL
)

_EARLY_PLAIN: Final = (
    _GRU.replace("GRUCellWithoutBias", "EarlyResetGRUCellWithoutBias").replace(
        "adds no bias", "resets the state before the product with it, and adds no bias"
    )
    + _CALL
)

HELPERS: Final = {
    "EarlyResetGRUCell": _EARLY.strip(),
    "EarlyResetGRUCellWithoutBias": _EARLY_PLAIN.strip(),
    "GRUCellWithBiases": _GRU_BIASES.strip(),
    "GRUCellWithoutBias": _GRU.strip(),
    "LSTMCellWithoutBias": _LSTM.strip(),
    "SimpleCellWithoutBias": _SIMPLE.strip(),
}
"""The code of each cell of a program, by name."""
