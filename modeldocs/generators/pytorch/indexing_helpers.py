"""Small functions of places that a program has where PyTorch has nothing of the kind."""

from __future__ import annotations

from typing import Final

_TOP_K: Final = '''
def top_k(
    x: torch.Tensor, k: int, dim: int = -1, largest: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k largest or smallest values and their places; of equal values the first ones."""
    values, places = x.sort(dim=dim, descending=largest, stable=True)
    return values.narrow(dim, 0, k), places.narrow(dim, 0, k)
'''

_GATHER_ND: Final = '''
def gather_nd(x: torch.Tensor, indices: torch.Tensor, batch_dims: int) -> torch.Tensor:
    """For each item of the batch, parts at places whose coordinates are the last axis."""
    batch = torch.meshgrid(
        *(torch.arange(size, device=x.device) for size in x.shape[:batch_dims]), indexing="ij"
    )
    ones = (1,) * (indices.ndim - 1 - batch_dims)
    places = [one.reshape(*one.shape, *ones) for one in batch]
    return x[(*places, *indices.unbind(-1))]
'''

_ONE_HOT: Final = '''
def one_hot(indices: torch.Tensor, depth: int) -> torch.Tensor:
    """Whether each place is that of an index, which may count from the back, or be of none."""
    places = torch.arange(depth, device=indices.device)
    indices = indices.unsqueeze(-1)
    return (indices == places) | (indices + depth == places)
'''

HELPERS: Final = {
    "gather_nd": _GATHER_ND.strip(),
    "one_hot": _ONE_HOT.strip(),
    "top_k": _TOP_K.strip(),
}
"""The code of each helper, by the name that programs call it by."""
