"""A decoder whose tokens see a window of eight before them, tokens of the first block four more."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, WINDOW = 64, 20, 32, 4, 8


def window(length: int) -> torch.Tensor:
    behind = torch.arange(LENGTH).view(-1, 1) - torch.arange(LENGTH).view(1, -1)
    return torch.where((behind >= 0) & (behind < length), 0.0, float("-inf"))


class Block(nn.Module):
    def __init__(self, length: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.register_buffer("mask", window(length), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (y.view(1, LENGTH, HEADS, -1).transpose(1, 2) for y in parts)
        made = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)
        x = x + self.out(made.transpose(1, 2).flatten(2))
        return x + self.down(F.silu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.Sequential(Block(12), Block(WINDOW))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.blocks(self.words(tokens))))
