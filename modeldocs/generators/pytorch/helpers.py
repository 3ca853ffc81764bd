"""Small classes and functions that a program has where PyTorch has nothing of the kind."""

from __future__ import annotations

from typing import Final

from modeldocs.generators.pytorch import indexing_helpers

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

_CAPPED: Final = '''
def capped_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    softcap: float,
) -> torch.Tensor:
    """Attention with scores between -softcap and softcap."""
    if enable_gqa:
        shared = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(shared, dim=-3) for x in (key, value))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = softcap * torch.tanh(query @ key.transpose(-2, -1) * scale / softcap)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.where(attn_mask, float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    if is_causal:
        earlier = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.where(earlier, float("-inf"))
    return scores.softmax(-1) @ value
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

_TO_DEPTH: Final = '''
def space_to_depth(x: torch.Tensor, factor: int) -> torch.Tensor:
    """Make channels of the blocks of an image: the place in a block counts first."""
    x = F.pixel_unshuffle(x, factor).unflatten(1, (-1, factor**2))
    return x.transpose(1, 2).flatten(1, 2)
'''

_TO_SPACE: Final = '''
def depth_to_space(x: torch.Tensor, factor: int) -> torch.Tensor:
    """Make blocks of an image of its channels: the place in a block counts first."""
    x = x.unflatten(1, (factor**2, -1)).transpose(1, 2).flatten(1, 2)
    return F.pixel_shuffle(x, factor)
'''

HELPERS: Final = (
    indexing_helpers.HELPERS
    | {
        "depth_to_space": _TO_SPACE.strip(),
        "capped_attention": _CAPPED.strip(),
        "grid_numbers": _GRID.strip(),
        "parts_of_shifted_windows": _WINDOWS.strip(),
        "rotary_angles": _ROTARY.strip(),
        "space_to_depth": _TO_DEPTH.strip(),
    }
    | {f"BatchNormWithoutScale{rank}d": _BATCH_NORM.format(rank=rank).strip() for rank in (1, 2, 3)}
)
"""The code of each helper, by the name that programs call it by."""
