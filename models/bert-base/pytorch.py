"""BERT base: the encoder and its pooler, every token reading all others."""

import torch
from torch import nn

INPUTS = {"input_ids": ((1, 128), "int64"), "token_type_ids": ((1, 128), "int64")}

VOCABULARY, POSITIONS, TYPES = 30522, 512, 2
WIDTH, HEADS, BLOCKS = 768, 12, 12
EPSILON, DROPOUT = 1e-12, 0.1


class Embeddings(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.types = nn.Embedding(TYPES, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, input_ids: torch.Tensor, token_type_ids: torch.Tensor) -> torch.Tensor:
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.words(input_ids) + self.types(token_type_ids) + self.positions(places)
        return self.dropout(self.norm(x))


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            projection(x).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        read = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.output(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention, then two dense layers; each is added to what came in, then normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = SelfAttention()
        self.dropout1 = nn.Dropout(DROPOUT)
        self.norm1 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.intermediate = nn.Linear(WIDTH, 4 * WIDTH)
        self.gelu = nn.GELU()
        self.output = nn.Linear(4 * WIDTH, WIDTH)
        self.dropout2 = nn.Dropout(DROPOUT)
        self.norm2 = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm1(x + self.dropout1(self.attention(x)))
        return self.norm2(x + self.dropout2(self.output(self.gelu(self.intermediate(x)))))


class BertBase(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = Embeddings()
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.tanh = nn.Tanh()

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The last block's states, 1 x 128 x 768, and the pooled first one, 1 x 768."""
        states = self.blocks(self.embeddings(input_ids, token_type_ids))
        return states, self.tanh(self.pooler(states[:, 0]))
