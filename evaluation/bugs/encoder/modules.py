"""An encoder of text of modules: positions, two blocks that normalise behind each sum, a head."""

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 100, 12, 32, 4


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(), nn.Linear(64, WIDTH))
        self.register_buffer("far", far(), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read, _ = self.attention(x, x, x, attn_mask=self.far, need_weights=False)
        x = self.norm1(x + read)
        return self.norm2(x + self.mlp(x))


def far() -> torch.Tensor:
    """True for tokens more than four apart, which do not see each other."""
    places = torch.arange(LENGTH)
    return (places[:, None] - places[None, :]).abs() > 4


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH + 2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.words(tokens) + self.places(torch.arange(LENGTH)))
        for block in self.blocks:
            x = block(x)
        return torch.log_softmax(self.head(torch.tanh(self.pooler(x[:, 0]))), dim=-1)
