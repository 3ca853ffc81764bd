"""Swin transformer: attention in windows that shift by half a window in every second block."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 112, 112)}

WIDTH, DEPTHS, HEADS, WINDOW = 24, (2, 2, 6, 2), (2, 4, 8, 16), 7


def windows(x: torch.Tensor) -> torch.Tensor:
    """N x H x W x C as windows x tokens x C."""
    n, h, w, c = x.shape
    x = x.view(n, h // WINDOW, WINDOW, w // WINDOW, WINDOW, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, WINDOW * WINDOW, c)


def whole(x: torch.Tensor, size: int) -> torch.Tensor:
    """Windows laid out as a plane again."""
    count = size // WINDOW
    x = x.view(-1, count, count, WINDOW, WINDOW, x.shape[-1])
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size, size, x.shape[-1])


def places() -> torch.Tensor:
    """Which row of the table of biases each pair of tokens of a window reads."""
    axes = torch.meshgrid(torch.arange(WINDOW), torch.arange(WINDOW), indexing="ij")
    flat = torch.stack(axes).flatten(1)
    apart = (flat[:, :, None] - flat[:, None, :]).permute(1, 2, 0) + WINDOW - 1
    return apart[..., 0] * (2 * WINDOW - 1) + apart[..., 1]


def shifted_mask(size: int, shift: int) -> torch.Tensor:
    """Windows x tokens x tokens: -100 between tokens that only the shift brought together."""
    regions = torch.zeros(1, size, size, 1)
    cuts = (slice(0, -WINDOW), slice(-WINDOW, -shift), slice(-shift, None))
    for number, (rows, columns) in enumerate((r, c) for r in cuts for c in cuts):
        regions[:, rows, columns] = number
    held = windows(regions).squeeze(2)
    return (held[:, None, :] - held[:, :, None]).ne(0) * -100.0


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, mask: torch.Tensor | None) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.biases = nn.Parameter(torch.zeros((2 * WINDOW - 1) ** 2, heads))
        self.register_buffer("places", places(), persistent=False)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count, tokens, width = x.shape
        parts = self.qkv(x).reshape(count, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind(0)
        score = (query * (width // self.heads) ** -0.5) @ key.transpose(-2, -1)
        bias = self.biases[self.places.view(-1)].view(tokens, tokens, -1)
        score = score + bias.permute(2, 0, 1).unsqueeze(0)
        if self.mask is not None:
            held = score.view(-1, self.mask.shape[0], self.heads, tokens, tokens)
            score = (held + self.mask[None, :, None]).view(-1, self.heads, tokens, tokens)
        read = score.softmax(dim=-1) @ value
        return self.output(read.transpose(1, 2).reshape(count, tokens, width))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, size: int, shift: int) -> None:
        super().__init__()
        self.size, self.shift = size, shift
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, shifted_mask(size, shift) if shift else None)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        if self.shift:
            read = torch.roll(read, (-self.shift, -self.shift), (1, 2))
        read = whole(self.attention(windows(read)), self.size)
        if self.shift:
            read = torch.roll(read, (self.shift, self.shift), (1, 2))
        x = x + read
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    """Each square of four tokens as one of twice the width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4 * width)
        self.reduction = nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        corners = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return self.reduction(self.norm(torch.cat(corners, -1)))


class Swin(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 2, stride=2)
        self.norm1 = nn.LayerNorm(WIDTH)
        stages: list[nn.Module] = []
        width, size = WIDTH, 56
        for stage, depth in enumerate(DEPTHS):
            if stage:
                stages.append(Merging(width))
                width, size = 2 * width, size // 2
            shift = WINDOW // 2 if size > WINDOW else 0
            stages += [
                Block(width, HEADS[stage], size, shift if n % 2 else 0) for n in range(depth)
            ]
        self.stages = nn.Sequential(*stages)
        self.norm2 = nn.LayerNorm(width)
        self.head = nn.Linear(width, 100)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.norm1(self.patches(image).permute(0, 2, 3, 1))
        return self.head(self.norm2(self.stages(x)).mean((1, 2)))
