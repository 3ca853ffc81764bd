"""A reader of modules: a gated unit over the words, its last state classified."""

import torch
from torch import nn

WORDS, LENGTH, WIDTH = 40, 9, 24


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.long = nn.LSTM(WIDTH, 20, batch_first=True)
        self.gated = nn.GRU(20, 16, batch_first=True)
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x, _ = self.long(self.words(tokens))
        x, _ = self.gated(x)
        return self.head(self.norm(x[:, -1]))
