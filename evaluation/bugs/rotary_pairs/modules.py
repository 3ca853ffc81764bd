"""A decoder whose neighbouring features are turned as complex numbers, with shared keys."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, SHARED, PART = 72, 10, 32, 4, 2, 8


def turns(base: float) -> torch.Tensor:
    speed = base ** -(torch.arange(0, PART, 2) / PART)
    angle = torch.outer(torch.arange(LENGTH), speed).view(1, LENGTH, 1, -1)
    return torch.polar(torch.ones_like(angle), angle)


def turn(x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * by).flatten(3)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH, eps=1e-5), nn.RMSNorm(WIDTH, eps=1e-5)
        self.q, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(WIDTH, SHARED * PART, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(WIDTH, 48, bias=False) for _ in range(2))
        self.down = nn.Linear(48, WIDTH, bias=False)

    def forward(self, x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q = turn(self.q(read).view(1, LENGTH, HEADS, PART), by)
        k = turn(self.k(read).view(1, LENGTH, SHARED, PART), by)
        v = self.v(read).view(1, LENGTH, SHARED, PART)
        k, v = (y.repeat_interleave(HEADS // SHARED, dim=2).transpose(1, 2) for y in (k, v))
        made = F.scaled_dot_product_attention(q.transpose(1, 2), k, v, is_causal=True)
        x = x + self.o(made.transpose(1, 2).reshape(1, LENGTH, WIDTH))
        read = self.norm2(x)
        return x + self.down(F.silu(self.gate(read)) * self.up(read))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.RMSNorm(WIDTH, eps=1e-5), nn.Linear(WIDTH, WORDS, bias=False)
        self.by = turns(10000.0)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x, self.by)
        return self.head(self.norm(x))
