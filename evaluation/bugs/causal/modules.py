"""An old decoder of modules: norms behind, a mask that is added, learned positions."""

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 60, 11, 24, 3


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 48), nn.Linear(48, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        late = torch.full((LENGTH, LENGTH), -1e9).triu(diagonal=1)
        self.register_buffer("mask", late, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (
            f(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        score = torch.matmul(q, k.transpose(2, 3)) * (WIDTH // HEADS) ** -0.5 + self.mask
        read = torch.matmul(score.softmax(-1), v).transpose(1, 2).flatten(2)
        x = self.norm1(x + self.o(read))
        return self.norm2(x + self.down(torch.relu(self.up(x))))


class Decoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(Block(), Block(), Block())
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(LENGTH).unsqueeze(0)
        return self.head(self.blocks(self.words(tokens) + self.places(places)))
