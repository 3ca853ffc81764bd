"""The function of a program that samples images, which Keras has not."""

from __future__ import annotations

from typing import Final

_GRID_SAMPLE: Final = '''
def grid_sample(
    x: KerasTensor,
    grid: KerasTensor,
    mode: str = "linear",
    align_corners: bool = False,
    padding: str = "zeros",
) -> KerasTensor:
    """Values of images at places, x before y, from -1 to 1 across the image.

    What lies outside is zeros, or with the padding "border" the nearest pixel.
    """
    _, height, width, channels = x.shape
    rows, columns = grid.shape[1:3]
    size = ops.array([width, height], dtype="float32")
    places = (grid + 1) / 2 * (size - 1) if align_corners else ((grid + 1) * size - 1) / 2
    if padding == "border":
        places = ops.clip(places, 0.0, size - 1)
    flat = ops.reshape(x, (-1, height * width, channels))

    def pixels(corner: KerasTensor) -> KerasTensor:
        inside = ops.cast(ops.clip(corner, 0.0, size - 1), "int32")
        number = ops.reshape(inside[..., 1] * width + inside[..., 0], (-1, rows * columns, 1))
        found = ops.reshape(
            ops.take_along_axis(flat, number, axis=1), (-1, rows, columns, channels)
        )
        is_inside = ops.all(
            ops.logical_and(corner >= 0, corner < size), axis=-1, keepdims=True
        )
        return ops.where(is_inside, found, 0.0)

    if mode == "nearest":
        return pixels(ops.round(places))
    first = ops.floor(places)
    steps = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
    corners = [first + ops.array(step) for step in steps]
    shares = [
        ops.prod(1 - ops.abs(places - one), axis=-1, keepdims=True) for one in corners
    ]
    return sum(share * pixels(one) for share, one in zip(shares, corners))
'''

HELPERS: Final = {"grid_sample": _GRID_SAMPLE.strip()}
"""The code of each helper, by the name that programs call it by."""
