"""ViT-B/16: patches of 16 x 16 as tokens, and one more that the class is read from."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}

SIZE, PATCH = 224, 16
WIDTH, HEADS, BLOCKS = 768, 12, 12
EPSILON = 1e-6


class SelfAttention(nn.Module):
    """Query, key and value from one dense layer; every token reads all others."""

    def __init__(self) -> None:
        super().__init__()
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(2, (HEADS, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=2)
        )
        read = nn.functional.scaled_dot_product_attention(query, key, value)
        return self.output(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention, then two dense layers; each reads normalised states and is added to them."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.attention = SelfAttention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, kernel_size=PATCH, stride=PATCH)
        self.class_token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.zeros(1, (SIZE // PATCH) ** 2 + 1, WIDTH))
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.head = nn.Linear(WIDTH, classes)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token, x], dim=1) + self.positions
        return self.head(self.norm(self.blocks(x))[:, 0])
