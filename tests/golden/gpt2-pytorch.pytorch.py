"""gpt2/pytorch in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"input_ids": ((1, 128), "int64")}


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(768, 2304)
        self.output = nn.Linear(768, 768)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = self.query_key_value(x).chunk(3, dim=-1)
        x = (
            F.scaled_dot_product_attention(
                query.unflatten(-1, (12, -1)).transpose(1, 2),
                key.unflatten(-1, (12, -1)).transpose(1, 2),
                value.unflatten(-1, (12, -1)).transpose(1, 2),
                is_causal=True,
            )
            .transpose(1, 2)
            .flatten(2)
        )
        return self.output(x)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(768)
        self.attention = SelfAttention()
        self.dropout1 = nn.Dropout(0.1)
        self.norm2 = nn.LayerNorm(768)
        self.mlp = nn.Sequential(
            nn.Linear(768, 3072), nn.GELU(approximate="tanh"), nn.Linear(3072, 768)
        )
        self.dropout2 = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.dropout1(self.attention(self.norm1(x)))
        return x + self.dropout2(self.mlp(self.norm2(x)))


class Gpt2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(50257, 768)
        self.positions_weight = nn.Parameter(torch.zeros(1024, 768))
        self.dropout = nn.Dropout(0.1)
        self.blocks = nn.Sequential(*(Block() for _ in range(12)))
        self.norm = nn.LayerNorm(768)
        self.head = nn.Linear(768, 50257, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        x = self.blocks(
            self.dropout(self.tokens(input_ids) + self.positions_weight[:128])
        )
        return self.head(self.norm(x))
