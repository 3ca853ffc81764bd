"""A decoder of modules: fused attention, norms before, the words' matrix again at the end."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 90, 10, 32, 4


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH, eps=1e-6), nn.RMSNorm(WIDTH, eps=1e-6)
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.o = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 48, bias=False), nn.Linear(WIDTH, 48, bias=False)
        self.down = nn.Linear(48, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q, k, v = (f(read).unflatten(-1, (HEADS, -1)).transpose(1, 2) for f in self._three())
        made = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(made.transpose(1, 2).flatten(2))
        read = self.norm2(x)
        return x + self.down(F.silu(self.gate(read)) * self.up(read))

    def _three(self) -> tuple[nn.Module, nn.Module, nn.Module]:
        return self.q, self.k, self.v


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(1, LENGTH, WIDTH))
        self.blocks = nn.Sequential(Block(), Block())
        self.norm = nn.RMSNorm(WIDTH, eps=1e-6)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places
        return self.head(self.norm(self.blocks(x)))
