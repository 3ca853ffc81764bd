"""A network of images whose layers have settings that a generator can get wrong."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 33, 33)}


class Images(nn.Module):
    """Convolutions, poolings and norms, none with the settings of another."""

    def __init__(self) -> None:
        super().__init__()
        self.start = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8, eps=3e-3)
        self.wide = nn.Conv2d(8, 8, 3, padding=2, dilation=2)
        self.grouped = nn.Conv2d(8, 12, (3, 5), padding=(1, 2), groups=4)
        self.slopes = nn.PReLU(12)
        self.local = nn.LocalResponseNorm(5, alpha=2e-2, beta=0.6, k=2.0)
        self.groups = nn.GroupNorm(3, 12, eps=2e-3)
        self.up = nn.ConvTranspose2d(12, 6, 3, stride=2, padding=1)
        self.side = nn.Conv2d(12, 6, 1)
        self.head = nn.Linear(12, 7)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = nn.functional.leaky_relu(self.norm(self.start(image)), 0.2)
        x = nn.functional.max_pool2d(x, 3, 2, padding=1, ceil_mode=True)
        x = nn.functional.elu(self.wide(x), 0.7)
        x = self.local(self.slopes(self.grouped(x)))
        x = nn.functional.avg_pool2d(x, 3, 2, padding=1, count_include_pad=False)
        x = self.groups(x)
        up = nn.functional.softplus(self.up(x))
        beside = nn.functional.interpolate(self.side(x), size=up.shape[2:], mode="bilinear")
        x = torch.cat([up, nn.functional.hardtanh(beside, -0.5, 2.0)], dim=1)
        return torch.softmax(self.head(x.mean(dim=(2, 3))), dim=1)
