"""vit-b-16/pytorch in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}


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
            )
            .transpose(1, 2)
            .flatten(2)
        )
        return self.output(x)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(768, eps=1e-6)
        self.attention = SelfAttention()
        self.norm2 = nn.LayerNorm(768, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(768, 3072), nn.GELU(), nn.Linear(3072, 768))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VitB16(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 768, 16, stride=16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, 768))
        self.positions = nn.Parameter(torch.zeros(1, 197, 768))
        self.blocks = nn.Sequential(*(Block() for _ in range(12)))
        self.norm = nn.LayerNorm(768, eps=1e-6)
        self.head = nn.Linear(768, 1000)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).permute(0, 2, 3, 1).flatten(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1)
        return self.head(self.norm(self.blocks(x + self.positions))[:, 0])
