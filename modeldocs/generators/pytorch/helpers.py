"""Small classes and functions that a program has where PyTorch has nothing of the kind."""

from __future__ import annotations

from typing import Final

_BATCH_NORM: Final = '''
class BatchNormWithoutScale{rank}d(nn.BatchNorm{rank}d):
    """Batch normalization that adds a bias and has no scale."""

    def __init__(self, channels: int, eps: float = 1e-5) -> None:
        super().__init__(channels, eps)
        self.register_parameter("weight", None)
'''

_ROTARY: Final = '''
def rotary_angles(
    length: int, speeds: int, base: float = 10000.0, first: int = 0
) -> torch.Tensor:
    """Angles of positions, length x speeds: each speed by the same factor less than the last."""
    positions = torch.arange(first, first + length, dtype=torch.float32)
    return torch.outer(positions, base ** (-torch.arange(speeds) / speeds))
'''

_GRID: Final = '''
def grid_numbers(
    sizes: tuple[int, ...], steps: tuple[int, ...], first: int = 0
) -> torch.Tensor:
    """Integers that start at `first` and grow by a step along each axis."""
    axes = [torch.arange(size) * step for size, step in zip(sizes, steps)]
    return first + sum(torch.meshgrid(*axes, indexing="ij"))
'''

_WINDOWS: Final = '''
def parts_of_shifted_windows(
    image: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]
) -> torch.Tensor:
    """By window of a rolled image: which of its tokens come from parts that are apart."""

    def parts(axis: int) -> torch.Tensor:
        places = torch.arange(image[axis])
        borders = (places >= image[axis] - window[axis], places >= image[axis] - shift[axis])
        return sum(border.int() for border in borders).view(-1, window[axis])

    rows, columns = parts(0), parts(1)
    labels = 3 * rows[:, None, :, None] + columns[:, None]
    labels = labels.reshape(-1, window[0] * window[1])
    return labels[:, :, None] != labels[:, None, :]
'''

HELPERS: Final = {
    "grid_numbers": _GRID.strip(),
    "parts_of_shifted_windows": _WINDOWS.strip(),
    "rotary_angles": _ROTARY.strip(),
} | {f"BatchNormWithoutScale{rank}d": _BATCH_NORM.format(rank=rank).strip() for rank in (1, 2, 3)}
"""The code of each helper, by the name that programs call it by."""
