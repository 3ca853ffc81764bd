"""The windows cut by unfolded axes, shifted by joining slices, heads by einsum; `bug` is in the
second block.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

HIGH, WIDE, WIDTH, HEADS, SIDE = 8, 12, 32, 4, 4
SHIFTS = {"shift of one": 1, "shift of three": 3, "shifted back": -2}


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


def shifted(x: torch.Tensor, by: int) -> torch.Tensor:
    for axis in (1, 2):
        x = torch.cat([x.narrow(axis, by % x.shape[axis], x.shape[axis] - by % x.shape[axis]),
                       x.narrow(axis, 0, by % x.shape[axis])], axis)  # fmt: skip
    return x


def offsets(bug: str) -> torch.Tensor:
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    down, right = row[:, None] - row + SIDE - 1, column[:, None] - column + SIDE - 1
    if bug == "rows and columns":
        down, right = right, down
    made = down * (2 * SIDE - 1) + right
    return torch.from_numpy(made.T.copy() if bug == "index transposed" else made)


def hidden(bug: str) -> torch.Tensor:
    row, column = np.meshgrid(np.arange(HIGH), np.arange(WIDE), indexing="ij")
    wrapped = (row >= HIGH - 2) * 2 + (column >= WIDE - 2)
    if bug == "mask of rows alone":
        wrapped = (row >= HIGH - 2) * 2
    of = wrapped.reshape(HIGH // SIDE, SIDE, WIDE // SIDE, SIDE).swapaxes(1, 2).reshape(-1, SIDE**2)
    return torch.from_numpy(of[:, :, None] != of[:, None, :])[:, None]


class Layer(nn.Module):
    def __init__(self, shift: int, bug: str) -> None:
        super().__init__()
        self.bug, self.shift = bug, SHIFTS.get(bug, shift)
        self.wq, self.wk, self.wv, self.wo = (weight(WIDTH, WIDTH) for _ in range(4))
        self.bq, self.bk, self.bv, self.bo = (weight(WIDTH) for _ in range(4))
        self.w1, self.b1, self.w2, self.b2 = weight(64, 32), weight(64), weight(32, 64), weight(32)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))
        self.bias = weight((2 * SIDE - 1) ** 2, HEADS)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        names = ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv))
        q, k, v = (F.linear(x, w, b).unflatten(-1, (HEADS, 8)) for w, b in names)
        score = torch.einsum("nqhd,nkhd->nhqk", q, k) / 8**0.5
        score = score + F.embedding(offsets(self.bug), self.bias).permute(2, 0, 1)
        if self.shift and self.bug != "no mask":
            score = score.masked_fill(hidden(self.bug), float("-inf"))
        read = torch.einsum("nhqk,nkhd->nqhd", score.softmax(-1), v).flatten(2)
        return F.linear(read, self.wo, self.bo)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = F.layer_norm(x, (WIDTH,), self.s1, self.t1)
        if self.shift:
            read = shifted(read, self.shift)
        high, wide = HIGH // SIDE, WIDE // SIDE
        cut = read.unflatten(2, (wide, SIDE)).unflatten(1, (high, SIDE)).transpose(2, 3)
        if self.bug == "windows turned":
            cut = cut.transpose(3, 4)
        made = self.attend(cut.flatten(3, 4).flatten(0, 2))
        made = made.view(1, high, wide, SIDE, SIDE, WIDTH).transpose(2, 3).reshape(x.shape)
        if self.shift and self.bug != "not shifted back":
            made = shifted(made, -self.shift)
        x = made + x
        wide_ = F.linear(F.layer_norm(x, (WIDTH,), self.s2, self.t2), self.w1, self.b1)
        return F.linear(F.gelu(wide_), self.w2, self.b2) + x


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.kernel, self.offset = weight(WIDTH, 3, 2, 2), weight(WIDTH)
        self.one, self.two = Layer(0, ""), Layer(2, bug)
        self.s, self.t, self.w, self.b = weight(WIDTH), weight(WIDTH), weight(9, WIDTH), weight(9)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.conv2d(x, self.kernel, self.offset, 2).movedim(1, -1)
        x = F.layer_norm(self.two(self.one(x)), (WIDTH,), self.s, self.t)
        return F.linear(x.flatten(1, 2).mean(1), self.w, self.b)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
