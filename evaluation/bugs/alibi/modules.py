"""A decoder with slopes in place of positions, held as one bias of all heads; scores are capped."""

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 56, 14, 32, 8
CAP = 20.0


def bias() -> torch.Tensor:
    slopes = 2.0 ** (-8.0 / HEADS * torch.arange(1, HEADS + 1))
    apart = torch.arange(LENGTH)[None, :] - torch.arange(LENGTH)[:, None]
    late = torch.full((LENGTH, LENGTH), float("-inf")).triu(1)
    return slopes.view(-1, 1, 1) * apart.float() + late


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm1(x)).view(LENGTH, 3, HEADS, -1).permute(1, 2, 0, 3)
        score = CAP * torch.tanh(q @ k.transpose(1, 2) / 2.0 / CAP)
        read = (score + bias).softmax(-1) @ v
        x = x + self.out(read.transpose(0, 1).reshape(1, LENGTH, WIDTH))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.register_buffer("bias", bias(), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x, self.bias)
        return self.head(self.norm(x))
