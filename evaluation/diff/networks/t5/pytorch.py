"""T5: an encoder and a decoder with biases for relative positions and norms without a mean."""

import math

import torch
from torch import nn

INPUTS = {"source": ((1, 40), "int64"), "target": ((1, 24), "int64")}

VOCABULARY, WIDTH, HEADS, INNER, BLOCKS = 1000, 64, 4, 256, 6
BUCKETS, FARTHEST = 32, 128


class Norm(nn.Module):
    """Scales by the root of the mean square; no mean is taken off and nothing added."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def buckets(rows: int, columns: int, both: bool) -> torch.Tensor:
    """The bucket of each pair of positions, finer for near ones."""
    apart = torch.arange(columns)[None, :] - torch.arange(rows)[:, None]
    count = BUCKETS // 2 if both else BUCKETS
    start = (apart > 0) * count if both else torch.zeros_like(apart)
    apart = apart.abs() if both else (-apart).clamp(min=0)
    exact = count // 2
    grown = torch.log(apart.clamp(min=1) / exact) / math.log(FARTHEST / exact)
    far = (exact + (grown * (count - exact)).long()).clamp(max=count - 1)
    return start + torch.where(apart < exact, apart, far)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.output = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, bias: torch.Tensor | None
    ) -> torch.Tensor:
        query = self.query(x).unflatten(2, (HEADS, -1)).transpose(1, 2)
        key = self.key(memory).unflatten(2, (HEADS, -1)).transpose(1, 2)
        value = self.value(memory).unflatten(2, (HEADS, -1)).transpose(1, 2)
        score = query @ key.transpose(2, 3)
        if bias is not None:
            score = score + bias
        read = score.softmax(dim=-1) @ value
        return self.output(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, crossed: bool) -> None:
        super().__init__()
        self.norm1, self.own = Norm(), Attention()
        self.norm2 = Norm() if crossed else None
        self.cross = Attention() if crossed else None
        self.norm3 = Norm()
        self.wide = nn.Linear(WIDTH, INNER, bias=False)
        self.narrow = nn.Linear(INNER, WIDTH, bias=False)

    def forward(
        self, x: torch.Tensor, bias: torch.Tensor, memory: torch.Tensor | None = None
    ) -> torch.Tensor:
        read = self.norm1(x)
        x = x + self.own(read, read, bias)
        if self.cross is not None:
            x = x + self.cross(self.norm2(x), memory, None)
        return x + self.narrow(torch.relu(self.wide(self.norm3(x))))


class T5(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.near = nn.Embedding(BUCKETS, HEADS)
        self.before = nn.Embedding(BUCKETS, HEADS)
        self.encoder = nn.ModuleList(Block(False) for _ in range(BLOCKS))
        self.decoder = nn.ModuleList(Block(True) for _ in range(BLOCKS))
        self.norm1, self.norm2 = Norm(), Norm()
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        memory, length = self.tokens(source), source.shape[1]
        bias = self.near(buckets(length, length, True)).permute(2, 0, 1).unsqueeze(0)
        for block in self.encoder:
            memory = block(memory, bias)
        memory, length = self.norm1(memory), target.shape[1]
        bias = self.before(buckets(length, length, False)).permute(2, 0, 1).unsqueeze(0)
        bias = bias + torch.full((length, length), -1e9).triu(1)
        x = self.tokens(target)
        for block in self.decoder:
            x = block(x, bias, memory)
        return self.head(self.norm2(x))
