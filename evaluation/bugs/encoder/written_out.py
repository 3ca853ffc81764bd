"""The encoder with attention written out in einsum; `bug` is what is wrong in the second block."""

import math

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 100, 12, 32, 4


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.in_w, self.in_b = nn.Parameter(torch.randn(3 * WIDTH, WIDTH)), zeros(3 * WIDTH)
        self.out_w = nn.Parameter(torch.randn(WIDTH, WIDTH))
        self.out_b = None if bug == "bias" else zeros(WIDTH)
        self.up_w, self.up_b = nn.Parameter(torch.randn(64, WIDTH)), zeros(64)
        self.down_w, self.down_b = nn.Parameter(torch.randn(WIDTH, 64)), zeros(WIDTH)
        self.g1, self.h1, self.g2, self.h2 = ones(), zeros(WIDTH), ones(), zeros(WIDTH)

    def norm(self, x: torch.Tensor, gain: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
        eps = 1e-12 if self.bug == "epsilon" and gain is self.g2 else 1e-5
        mean = x.mean(-1, keepdim=True)
        spread = (x - mean).pow(2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(spread + eps) * gain + shift

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        heads = 8 if self.bug == "heads" else HEADS
        made = x @ self.in_w.t() + self.in_b
        parts = [made[..., n * WIDTH : (n + 1) * WIDTH] for n in range(3)]
        order = {"query and key": (1, 0, 2), "key and value": (0, 2, 1)}.get(self.bug, (0, 1, 2))
        q, k, v = (parts[n].view(*x.shape[:2], heads, WIDTH // heads) for n in order)
        score = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if self.bug != "scale":
            score = score / math.sqrt(WIDTH // heads)
        if self.bug != "mask":
            places = torch.arange(LENGTH)
            far = (places.unsqueeze(1) - places).abs() > (3 if self.bug == "window" else 4)
            score = score.masked_fill(far, float("-inf"))
        share = score.softmax(-2 if self.bug == "softmax axis" else -1)
        read = torch.einsum("bhqk,bkhd->bqhd", share, v).reshape(x.shape)
        read = read @ self.out_w.t()
        return read if self.out_b is None else read + self.out_b

    def dense(self, x: torch.Tensor) -> torch.Tensor:
        x = x @ self.up_w.t() + self.up_b
        if self.bug == "tanh":
            x = nn.functional.gelu(x, approximate="tanh")
        else:
            x = 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
        return x @ self.down_w.t() + self.down_b

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.bug == "norms first":
            x = x + self.attend(self.norm(x, self.g1, self.h1))
            return x + self.dense(self.norm(x, self.g2, self.h2))
        if self.bug == "no sum":
            x = self.norm(self.attend(x), self.g1, self.h1)
            return self.norm(x + self.dense(x), self.g2, self.h2)
        read = self.norm(x + self.attend(x), self.g1, self.h1)
        kept = x if self.bug == "older sum" else read
        return self.norm(kept + self.dense(read), self.g2, self.h2)


def zeros(width: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(width))


def ones() -> nn.Parameter:
    return nn.Parameter(torch.ones(WIDTH))


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.table = nn.Parameter(torch.randn(WORDS, WIDTH))
        self.positions = nn.Parameter(torch.randn(LENGTH + 2, WIDTH))
        self.first = nn.LayerNorm(WIDTH)
        self.one, self.two = Layer(""), Layer(bug)
        self.pool_w, self.pool_b = nn.Parameter(torch.randn(WIDTH, WIDTH)), zeros(WIDTH)
        self.end_w, self.end_b = nn.Parameter(torch.randn(5, WIDTH)), zeros(5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.table[tokens]
        start = 2 if self.bug == "offset" else 0
        places = self.positions[start : start + LENGTH]
        if self.bug == "no positions":
            x = self.first(x)
        elif self.bug == "positions late":
            x = self.first(x) + places
        else:
            x = self.first(x + places)
        x = self.two(self.one(x))
        x = x[:, -1] if self.bug == "last token" else x[:, 0]
        x = x @ self.pool_w.t() + self.pool_b
        x = x.tanh() if self.bug != "pooler" else x
        return (x @ self.end_w.t() + self.end_b).log_softmax(-1)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
