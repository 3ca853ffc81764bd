import json

import numpy as np


def converted(file, a):
    """B's weights by name, computed from `a`, the arrays of A's weights by name."""
    def norm(x, axes):
        return np.sqrt(np.square(x).sum(tuple(axes), keepdims=True))

    functions = {
        "read": lambda s: a[s["name"]],
        "full": lambda s: np.full(s["shape"], s["value"]),
        "transpose": lambda s, x: np.transpose(x, s["axes"]),
        "reshape": lambda s, x: np.reshape(x, s["shape"]),
        "flip": lambda s, x: np.flip(x, s["axes"]),
        "slice": lambda s, x: np.take(x, range(s["start"], s["stop"]), s["axis"]),
        "take": lambda s, x: np.take(x, s["indices"], s["axis"]),
        "norm": lambda s, x: norm(x, s["axes"]),
        "weight_norm": lambda s, v, g: g * v / norm(v, s["axes"]),
        "concatenate": lambda s, *x: np.concatenate(x, s["axis"]),
    }
    b = {}
    for weight in json.load(open(file))["weights"]["mapped"]:
        arrays = []
        for step in weight["steps"]:
            function = functions.get(step["op"]) or (lambda s, *x: getattr(np, s["op"])(*x))
            arrays.append(function(step, *(arrays[i] for i in step.get("of", []))))
        b[weight["target"]] = arrays[-1].astype(weight["dtype"])
    return b
