"""A decoder of modules whose heads share keys and values, with biases and layer norms."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, SHARED = 70, 9, 32, 4, 2


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.key, self.value = nn.Linear(WIDTH, 16), nn.Linear(WIDTH, 16)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.bend = nn.GELU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q = self.query(read).view(1, LENGTH, HEADS, 8).transpose(1, 2)
        k = self.key(read).view(1, LENGTH, SHARED, 8).transpose(1, 2)
        v = self.value(read).view(1, LENGTH, SHARED, 8).transpose(1, 2)
        made = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.out(made.transpose(1, 2).reshape(1, LENGTH, WIDTH))
        return x + self.down(self.bend(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.blocks(self.words(tokens))))
