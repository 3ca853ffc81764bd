"""An encoder in the manner of T5: distances in buckets, no scale, norms without a mean."""

import math

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, COUNT, FAR = 66, 24, 32, 4, 16, 20


def table() -> torch.Tensor:
    apart = torch.arange(LENGTH)[None, :] - torch.arange(LENGTH)[:, None]
    half, exact = COUNT // 2, COUNT // 4
    made, apart = (apart > 0).long() * half, apart.abs()
    share = torch.log(apart.float().clamp(min=1) / exact) / math.log(FAR / exact)
    far = (exact + (share * (half - exact)).long()).clamp(max=half - 1)
    return made + torch.where(apart < exact, apart, far)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH, eps=1e-6), nn.RMSNorm(WIDTH, eps=1e-6)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.wi, self.wo = nn.Linear(WIDTH, 64, bias=False), nn.Linear(64, WIDTH, bias=False)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        q, k, v = (
            f(read).view(1, LENGTH, HEADS, 8).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        share = (torch.matmul(q, k.transpose(3, 2)) + bias).softmax(-1)
        x = x + self.o(torch.matmul(share, v).transpose(1, 2).flatten(2))
        return x + self.wo(torch.relu(self.wi(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.relative = nn.Embedding(WORDS, WIDTH), nn.Embedding(COUNT, HEADS)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.RMSNorm(WIDTH, eps=1e-6)
        self.register_buffer("buckets", table(), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        bias = self.relative(self.buckets).permute(2, 0, 1).unsqueeze(0)
        for block in self.blocks:
            x = block(x, bias)
        return self.norm(x)
