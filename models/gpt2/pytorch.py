"""GPT-2 small with its language-modelling head, which shares the matrix of the tokens."""

import torch
from torch import nn

INPUTS = {"input_ids": ((1, 128), "int64")}

VOCABULARY, POSITIONS = 50257, 1024
WIDTH, HEADS, BLOCKS = 768, 12, 12
DROPOUT = 0.1


class SelfAttention(nn.Module):
    """Query, key and value from one dense layer; each token reads itself and those before it."""

    def __init__(self) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(2, (HEADS, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=2)
        )
        read = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention, then two dense layers; each reads normalised states and is added to them."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = SelfAttention()
        self.dropout1 = nn.Dropout(DROPOUT)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH),
            nn.GELU(approximate="tanh"),
            nn.Linear(4 * WIDTH, WIDTH),
        )
        self.dropout2 = nn.Dropout(DROPOUT)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.dropout1(self.attention(self.norm1(x)))
        return x + self.dropout2(self.mlp(self.norm2(x)))


class GPT2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Logits of the token after each, 1 x 128 x 50257."""
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.dropout(self.tokens(input_ids) + self.positions(places))
        return self.head(self.norm(self.blocks(x)))
