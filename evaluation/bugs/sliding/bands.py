"""The decoder with bands cut by triangles, scores by einsum; `bug` is in the second block."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 64, 20, 32, 4
WINDOWS = {"window of nine": 9, "window of seven": 7, "window of the other": 12}


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


def band(length: int, bug: str) -> torch.Tensor:
    length = WINDOWS.get(bug, length)
    full = torch.ones(LENGTH, LENGTH)
    if bug == "both sides":
        return full.tril(length - 1).triu(1 - length)
    if bug == "no end":
        return full.tril()
    if bug == "one ahead":
        return full.tril(1).triu(1 - length)
    if bug == "looks ahead":
        return full.triu().tril(length - 1)
    made = full.tril().triu(1 - length)
    if bug == "first always seen":
        made[:, 0] = 1
    return made


class Layer(nn.Module):
    def __init__(self, length: int, bug: str) -> None:
        super().__init__()
        self.length, self.bug = length, bug
        self.wq, self.wk, self.wv, self.wo = (weight(WIDTH, WIDTH) for _ in range(4))
        self.bq, self.bk, self.bv, self.bo = (weight(WIDTH) for _ in range(4))
        self.w1, self.b1, self.w2, self.b2 = weight(64, 32), weight(64), weight(32, 64), weight(32)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = F.layer_norm(x, (WIDTH,), self.s1, self.t1)
        names = ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv))
        q, k, v = (F.linear(read, w, b).unflatten(-1, (HEADS, 8)) for w, b in names)
        score = torch.einsum("bqhd,bkhd->bhqk", q / 8**0.5, k)
        if self.bug == "capped":
            score = 5 * torch.tanh(score / 5)
        score = score - (1 - band(self.length, self.bug)) * 1e5
        read = torch.einsum("bhqk,bkhd->bqhd", torch.softmax(score, -1), v).reshape(x.shape)
        x = x + F.linear(read, self.wo, self.bo)
        wide = F.linear(F.layer_norm(x, (WIDTH,), self.s2, self.t2), self.w1, self.b1)
        return x + F.linear(wide * wide.sigmoid(), self.w2, self.b2)


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.table, self.ends = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.one, self.two = Layer(12, ""), Layer(8, bug)
        self.s, self.t = weight(WIDTH), weight(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.two(self.one(F.embedding(tokens, self.table)))
        return F.linear(F.layer_norm(x, (WIDTH,), self.s, self.t), self.ends)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
