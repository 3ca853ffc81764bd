"""A network of tokens whose layers have settings that a generator can get wrong."""

import torch
from torch import nn

INPUTS = {"tokens": ((1, 12), "int64")}


class Tokens(nn.Module):
    """Embedded tokens, attention, and what stands around it."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(40, 16)
        self.norm = nn.LayerNorm(16, eps=4e-3)
        self.query_key_value = nn.Linear(16, 48, bias=False)
        self.output = nn.Linear(16, 16)
        self.scale = nn.RMSNorm(16, eps=2e-3)
        self.gate = nn.Linear(16, 24)
        self.back = nn.Linear(24, 16)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens)
        query, key, value = (
            part.unflatten(2, (4, 4)).transpose(1, 2)
            for part in self.query_key_value(self.norm(x)).chunk(3, dim=2)
        )
        read = nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=0.3
        )
        x = x + self.output(read.transpose(1, 2).flatten(2))
        y = nn.functional.gelu(self.gate(self.scale(x)), approximate="tanh")
        x = x - 0.5 * self.back(y)
        return torch.log_softmax(self.head(x[:, 2:-1].amax(dim=1)), dim=-1)
