"""Recurrent layers in Keras."""

from __future__ import annotations

import ast

from modeldocs.generators import recurrent
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call


def _recurrent(name: str) -> Lowering:
    """`layers.LSTM`, `layers.GRU` or `layers.SimpleRNN`, in both directions if need be."""

    def lowering(site: Site) -> ast.expr:
        found = recurrent.recurrence(site)
        both = found.directions == 2
        if len(found.used) > 1 and both:
            raise site.unsupported("its steps and its last states are both read")
        settings: dict[str, object] = {"units": found.units}
        if name == "layers.GRU":
            settings["reset_after"] = bool(site.layer.number("linear_before_reset", 0))
        layer = call(
            name,
            **settings,
            use_bias=found.has_bias,
            return_sequences=0 in found.used,
            return_state=len(found.used) > 1,
        )
        if both:
            layer = call("layers.Bidirectional", layer)
        made = site.member(layer, kernel=1, recurrent_kernel=2, bias=3)
        forms = [(0, found.sequence), (1, found.state), (2, found.state)]
        if len(found.used) > 1:
            site.gives(*forms[: 3 if name == "layers.LSTM" else 2])
        else:
            site.gives(forms[found.used[0]])
        return call(made, recurrent.sequence(site))

    return lowering


TABLE: dict[str, Lowering] = {
    "GRU": _recurrent("layers.GRU"),
    "LSTM": _recurrent("layers.LSTM"),
    "RNN": _recurrent("layers.SimpleRNN"),
}
