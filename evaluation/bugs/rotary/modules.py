"""A decoder whose queries and keys are turned by tables that it holds: rotate-half, all heads."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 80, 12, 32, 2
PART = WIDTH // HEADS


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    first, last = x.chunk(2, dim=-1)
    return torch.cat((-last, first), dim=-1)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q, k, v = (f(read).view(1, LENGTH, HEADS, PART) for f in (self.q, self.k, self.v))
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        q, k = (y * cos + rotate_half(y) * sin for y in (q, k))
        made = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(made.transpose(1, 2).reshape(1, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        speed = 1 / 10000 ** (torch.arange(0, PART, 2).float() / PART)
        angle = torch.outer(torch.arange(LENGTH).float(), speed)
        angle = torch.cat((angle, angle), dim=-1)
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return self.head(self.norm(x))
