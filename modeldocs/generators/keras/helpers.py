"""Small layers and functions that a program has where Keras has nothing of the kind."""

from __future__ import annotations

from typing import Final

from modeldocs.generators import heads, resampling
from modeldocs.generators.keras import indexing_helpers, sampling_helpers

_PARAMETER: Final = '''
class Parameter(layers.Layer):
    """A tensor that is learned, the same whatever the layer is called with."""

    def __init__(self, shape: tuple[int, ...], **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.size = shape

    def build(self, _: object) -> None:
        self.value = self.add_weight(shape=self.size, initializer="zeros", name="value")

    def call(self, _: KerasTensor) -> KerasTensor:
        return ops.convert_to_tensor(self.value)
'''

_CONSTANT: Final = '''
class Constant(layers.Layer):
    """A tensor that is the same whatever the layer is called with."""

    def __init__(self, value: KerasTensor, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.value = value

    def call(self, _: KerasTensor) -> KerasTensor:
        return ops.convert_to_tensor(self.value)
'''

_FOR_EACH: Final = '''
class ForEachItem(layers.Layer):
    """A tensor once for each item of a batch."""

    def call(self, tensor: KerasTensor, batch: KerasTensor) -> KerasTensor:
        return ops.broadcast_to(tensor, (ops.shape(batch)[0], *tensor.shape[1:]))
'''

_LOCAL_RESPONSE: Final = '''
def local_response_norm(
    x: KerasTensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> KerasTensor:
    """Images divided by a power of the mean square of neighbouring channels."""
    channels = x.shape[-1]
    around = [[0, 0]] * (len(x.shape) - 1) + [[(size - 1) // 2, size // 2]]
    squares = ops.pad(ops.square(x), around)
    total = squares[..., :channels]
    for place in range(1, size):
        total = total + squares[..., place : place + channels]
    return x / (k + alpha / size * total) ** beta
'''

_MEAN_INSIDE: Final = '''
def mean_inside(
    x: KerasTensor, pool_size: int | tuple, strides: int | tuple, pads: list[list[int]]
) -> KerasTensor:
    """Means of windows over what lies inside of the image, not over its padding."""
    inside = ops.pad(ops.ones((1, *x.shape[1:-1], 1)), pads)
    share = ops.average_pool(inside, pool_size, strides)
    return ops.average_pool(ops.pad(x, pads), pool_size, strides) / share
'''

_ROTARY: Final = '''
def rotary_angles(
    length: int, speeds: int, base: float = 10000.0, first: int = 0
) -> KerasTensor:
    """Angles of positions, length x speeds: each speed by the same factor less than the last."""
    positions = ops.arange(first, first + length, dtype="float32")
    return ops.outer(positions, base ** (-ops.arange(speeds, dtype="float32") / speeds))
'''

_GRID: Final = '''
def grid_numbers(
    sizes: tuple[int, ...], steps: tuple[int, ...], first: int = 0
) -> KerasTensor:
    """Integers that start at `first` and grow by a step along each axis."""
    axes = [ops.arange(size) * step for size, step in zip(sizes, steps)]
    return first + sum(ops.meshgrid(*axes, indexing="ij"))
'''

_WINDOWS: Final = '''
def parts_of_shifted_windows(
    image: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]
) -> KerasTensor:
    """By window of a rolled image: which of its tokens come from parts that are apart."""

    def parts(axis: int) -> KerasTensor:
        places = ops.arange(image[axis])
        borders = (places >= image[axis] - window[axis], places >= image[axis] - shift[axis])
        numbers = sum(ops.cast(border, "int32") for border in borders)
        return ops.reshape(numbers, (-1, window[axis]))

    rows, columns = parts(0), parts(1)
    labels = 3 * rows[:, None, :, None] + columns[:, None]
    labels = ops.reshape(labels, (-1, window[0] * window[1]))
    return labels[:, :, None] != labels[:, None, :]
'''

HELPERS: Final = (
    indexing_helpers.HELPERS
    | sampling_helpers.HELPERS
    | {
        "ForEachItem": _FOR_EACH.strip(),
        "Constant": _CONSTANT.strip(),
        "attention_of_heads": heads.helper("ops", "KerasTensor", "ops.softmax"),
        "Parameter": _PARAMETER.strip(),
        "grid_numbers": _GRID.strip(),
        "local_response_norm": _LOCAL_RESPONSE.strip(),
        "mean_inside": _MEAN_INSIDE.strip(),
        "resampled": resampling.helper("ops", "KerasTensor"),
        "parts_of_shifted_windows": _WINDOWS.strip(),
        "rotary_angles": _ROTARY.strip(),
    }
)
"""The code of each helper, by the name that programs call it by."""
