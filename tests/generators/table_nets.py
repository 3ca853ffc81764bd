"""Small nets that read constants which follow no law of their own."""

from __future__ import annotations

import numpy as np

from ..normal.nets import Net

Array = np.ndarray

_DISTANCE = np.arange(12)[None, :] - np.arange(12)[:, None]
_SLOPES = np.float32(2) ** -np.arange(2, 10, 2, dtype=np.float32)
_LOWEST = np.finfo(np.float32).min
_SEEN = _DISTANCE <= 0


def _alibi() -> Array:
    """Slopes of heads times distances (Press et al., 2021)."""
    return (-_SLOPES[:, None, None] * np.abs(_DISTANCE)).astype(np.float32)


def _log_coordinates() -> Array:
    """Logarithms of relative positions in a window, of rows and columns (Liu et al., 2021)."""
    line = np.arange(-6, 7) * np.float32(8 / 6)
    line = (np.sign(line) * np.log2(1 + np.abs(line)) / 3).astype(np.float32)
    return np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)


def _decay() -> Array:
    """The decay of retention over the root of its sum (Sun et al., 2023): listed."""
    gamma = 1 - np.float32(2) ** -np.arange(5, 9, dtype=np.float32)
    decay = np.where(_SEEN, gamma[:, None, None] ** -_DISTANCE, 0)
    return (decay / np.sqrt(decay.sum(-1, keepdims=True))).astype(np.float32)


def _places_of_windows() -> Array:
    """The number of a distance of rows and columns, without their signs (Graham et al., 2021)."""
    rows, columns = (one.reshape(-1) for one in np.meshgrid(range(4), range(4), indexing="ij"))
    apart = [np.abs(one[:, None] - one[None, :]) for one in (rows, columns)]
    return (4 * apart[0] + apart[1]).astype(np.int64)


def _added(array: Array, sizes: str) -> Net:
    return Net(f"agraph (float[{sizes}] x) => (float[?,?,?] y) {{ y = Add (x, t) }}", t=array)


def _masked(array: Array, sizes: str) -> Net:
    """Behind a Softmax, since outputs as low as those of masks would hide all others."""
    body = "z = Add (x, t)  y = Softmax (z)"
    return Net(f"agraph (float[{sizes}] x) => (float[?,?,?] y) {{ {body} }}", t=array)


TABLES = {
    "Add, slopes times distances": _added(_alibi(), "4,12,12"),
    "Add, slopes times distances behind a mask": _masked(
        np.where(_SEEN, _alibi(), _LOWEST), "4,12,12"
    ),
    "Add, slopes times positions behind a mask": _masked(
        np.where(_SEEN, _SLOPES[:, None, None] * np.arange(12, dtype=np.float32), -np.inf),
        "4,12,12",
    ),
    "Add, a line for all rows": _added(
        np.tile(np.linspace(-1, 1, 20, dtype=np.float32) ** 3, (1, 9, 1)), "4,9,20"
    ),
    "Add, logarithms of relative positions": _added(_log_coordinates(), "13,13,2"),
    "Add, decay over its sum": _added(_decay(), "4,12,12"),
    "Add, whole numbers of no law": _added(
        np.random.default_rng(1).integers(-9, 9, (4, 6, 7)).astype(np.float32), "4,6,7"
    ),
    "Gemm, of a table": Net(
        "agraph (float[7,7,5] x) => (float[?,?,?] y) { h = MatMul (t, w)  r = Relu (h) "
        "y = Add (x, r) }",
        t=_log_coordinates()[3:10, 3:10],
        w=(2, 5),
    ),
    "Gather, places of windows": Net(
        "agraph (float[3,16] x) => (float[?,?,?] y) { y = Gather <axis: int = 1> (x, t) }",
        t=_places_of_windows(),
    ),
    "Where, neighbours in blocks": Net(
        "agraph (float[4,12,12] x) => (float[?,?,?] y) { y = Where (t, x, n) }",
        t=(np.abs(_DISTANCE - 3) < 2) | (_DISTANCE == -5),
        n=np.float32(-3),
    ),
}
