"""Small nets of recurrent layers, in each direction and with each output read."""

from __future__ import annotations

import numpy as np

from ..normal.nets import Net

STEPS = "float[7,2,5] x"
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def net(
    operator: str,
    direction: str = "forward",
    reads: str = "y",
    bias: bool = True,
    given: str = "",
    more: str = "",
) -> Net:
    """A net of one layer; `reads` are its outputs by letter, and `given` what it starts with."""
    count = 2 if direction == "bidirectional" else 1
    width, units = GATES[operator] * 3, 3
    outputs = [name if name in reads else "" for name in "yhc"]
    while not outputs[-1]:
        outputs.pop()
    shapes = {
        "y": f"float[7,{count},2,3] y", "h": f"float[{count},2,3] h", "c": f"float[{count},2,3] c"
    }  # fmt: skip
    starts = {"s": "h0", "t": "c0"}
    inputs = [STEPS] + [f"float[{count},2,3] {starts[one]}" for one in given]
    operands = ["x", "w", "r", "b" if bias else "", "", *(
        starts[one] if one in given else "" for one in "st"
    )]  # fmt: skip
    while not operands[-1]:
        operands.pop()
    weights = {"w": (count, width, 5), "r": (count, width, units)}
    if bias:
        weights["b"] = (count, 2 * width)
    return Net(
        f"agraph ({', '.join(inputs)}) => ({', '.join(shapes[one] for one in reads)}) "
        f"{{ {', '.join(outputs)} = {operator} <hidden_size: int = 3, "
        f'direction: string = "{direction}"{more}> ({", ".join(operands)}) }}',
        **weights,
    )


AFTER = ", linear_before_reset: int = 1"

NETS = {
    **{
        f"{operator}, {direction}, {reads}": net(operator, direction, reads)
        for operator in GATES
        for direction in ("forward", "reverse", "bidirectional")
        for reads in ("y", "h", "yh")
    },
    **{
        f"GRU, reset after, {direction}, {reads}": net("GRU", direction, reads, more=AFTER)
        for direction in ("forward", "reverse", "bidirectional")
        for reads in ("y", "yh")
    },
    **{
        f"LSTM, {direction}, {reads}": net("LSTM", direction, reads)
        for direction in ("forward", "reverse", "bidirectional")
        for reads in ("yhc", "c", "hc", "yc")
    },
    **{f"{operator} without bias": net(operator, bias=False) for operator in GATES},
    "GRU, reset after, without bias": net("GRU", bias=False, more=AFTER),
    "LSTM of given states": net("LSTM", given="st"),
    "LSTM of a given state": net("LSTM", given="s", reads="yc"),
    "LSTM of a given cell, bidirectional": net("LSTM", "bidirectional", given="t"),
    "LSTM of given states, bidirectional": net("LSTM", "bidirectional", "yhc", given="st"),
    "LSTM of given states, reverse": net("LSTM", "reverse", "yhc", given="st"),
    "GRU of a given state": net("GRU", given="s", more=AFTER),
    "RNN of a given state, bidirectional": net("RNN", "bidirectional", "yh", given="s"),
    "LSTM, one on the other": Net(
        "agraph (float[7,2,5] x) => (float[7,2,3] y, float[2,3] g) { "
        "a, h = LSTM <hidden_size: int = 3> (x, w, r, b) s = Squeeze (a, o) "
        "q, k = GRU <hidden_size: int = 3, linear_before_reset: int = 1> (s, v, t, d) "
        "y = Squeeze (q, o) z = Constant <value_ints: ints = [0]> () g = Squeeze (k, z) }",
        w=(1, 12, 5), r=(1, 12, 3), b=(1, 24), v=(1, 9, 3), t=(1, 9, 3), d=(1, 18),
        o=np.array([1]),
    ),
}  # fmt: skip
