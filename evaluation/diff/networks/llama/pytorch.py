"""Llama: rotary positions, several query heads to a key, gated dense layers."""

import torch
from torch import nn

INPUTS = {"tokens": ((1, 48), "int64")}

VOCABULARY, WIDTH, HEADS, KEYS, INNER, BLOCKS = 1000, 64, 8, 2, 176, 10
HEAD = WIDTH // HEADS


def angles(length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of every position and pair of features, length x HEAD."""
    steps = 10000.0 ** (-torch.arange(0, HEAD, 2).float() / HEAD)
    turned = torch.outer(torch.arange(length).float(), steps)
    both = torch.cat((turned, turned), dim=-1)
    return both.cos(), both.sin()


def rotated(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, KEYS * HEAD, bias=False)
        self.value = nn.Linear(WIDTH, KEYS * HEAD, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        query = self.query(x).unflatten(2, (HEADS, HEAD)).transpose(1, 2)
        key = self.key(x).unflatten(2, (KEYS, HEAD)).transpose(1, 2)
        value = self.value(x).unflatten(2, (KEYS, HEAD)).transpose(1, 2)
        query, key = rotated(query, cosine, sine), rotated(key, cosine, sine)
        key = key.repeat_interleave(HEADS // KEYS, dim=1)
        value = value.repeat_interleave(HEADS // KEYS, dim=1)
        read = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.RMSNorm(WIDTH, eps=1e-5)
        self.attention = Attention()
        self.norm2 = nn.RMSNorm(WIDTH, eps=1e-5)
        self.gate = nn.Linear(WIDTH, INNER, bias=False)
        self.up = nn.Linear(WIDTH, INNER, bias=False)
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x), cosine, sine)
        read = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(read)) * self.up(read))


class Llama(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        cosine, sine = angles(tokens.shape[1])
        for block in self.blocks:
            x = block(x, cosine, sine)
        return self.head(self.norm(x))
