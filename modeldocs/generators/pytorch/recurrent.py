"""Recurrent layers in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import recurrent, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


def _recurrent(name: str) -> Lowering:
    """`nn.LSTM`, `nn.GRU` or `nn.RNN`, batch first."""

    def lowering(site: Site) -> ast.expr:
        found = recurrent.recurrence(site)
        if name == "nn.GRU" and not site.layer.number("linear_before_reset", 0):
            raise site.unsupported("PyTorch resets after the product with the state")
        layer = site.member(
            call(
                name,
                input_size=found.inputs,
                hidden_size=found.units,
                bias=found.has_bias,
                batch_first=True,
                bidirectional=found.directions == 2,
            ),
            weight_ih_l0=1,
            weight_hh_l0=2,
            bias_ih_l0=3,
        )
        result = call(layer, recurrent.sequence(site))
        if found.used == (0,):
            site.gives((0, found.sequence))
            return _item(result, 0)
        if found.used == (1,):
            site.gives((1, None))
            return _item(_item(result, 1), 0) if name == "nn.LSTM" else _item(result, 1)
        if name == "nn.LSTM":
            raise site.unsupported("its steps and its last states are both read")
        site.gives((0, found.sequence), (1, None))
        return result

    return lowering


def _item(source: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(value=source, slice=syntax.literal(place), ctx=ast.Load())


TABLE: dict[str, Lowering] = {
    "GRU": _recurrent("nn.GRU"),
    "LSTM": _recurrent("nn.LSTM"),
    "RNN": _recurrent("nn.RNN"),
}
