"""An encoder of modules with a mask of the tokens that count, whose mean is classified."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 50, 10, 32, 4


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q, k, v = (
            f(read).view(1, LENGTH, HEADS, 8).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        made = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.o(made.transpose(1, 2).reshape(1, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(1, LENGTH, WIDTH))
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 7)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places
        bias = (1.0 - mask[:, None, None, :].float()) * -10000.0
        for block in self.blocks:
            x = block(x, bias)
        x = self.norm(x) * mask.unsqueeze(-1).float()
        mean = x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1).float()
        return self.head(mean)
