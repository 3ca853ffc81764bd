"""Small modules that the tests save, and what they do with a source."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from modeldocs import normal
from modeldocs.ir import LayerGraph
from modeldocs.loaders import LoadRequest, loader, reference
from modeldocs.numeric.proof import Proof, comparison
from modeldocs.numeric.proof.design import designs

SHAPES = {"image": (1, 3, 8, 8), "other": (1, 6)}


class Small(nn.Module):
    """A bit of everything: functions, control flow, a loop, tied weights, recurrence, buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.dense = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.dense[1].weight = self.dense[0].weight
        self.drop = nn.Dropout(0.3)
        self.rnn = nn.LSTM(4, 6, batch_first=True)
        self.register_buffer("mask", torch.tensor([1.0, 0.0, 2.0, 1.0]))

    def forward(self, image, other):
        x = F.relu(self.norm(self.conv(image)))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        for layer in self.dense:
            x = x + layer(x)
        if x.size(1) > 3:
            x = x * 2
        steps = [x, x]
        for index in range(2):
            steps.append(x * index)
        read, _ = self.rnn(torch.stack(steps, 1))
        return {"masked": self.drop(x * self.mask), "read": read[:, -1] + other}


def small() -> nn.Module:
    torch.manual_seed(1)
    made = Small().eval()
    made.norm.running_mean.uniform_(-1, 1)
    return made


def samples() -> tuple[torch.Tensor, ...]:
    torch.manual_seed(2)
    return tuple(torch.randn(shape) for shape in SHAPES.values())


def request(path: Path, **changes: object) -> LoadRequest:
    return LoadRequest(root=str(path.parent), path=str(path), name="net", **changes)


def proof(asked: LoadRequest) -> Proof:
    """How far what is loaded is from what torch computes."""
    return proven(asked)[0]


def proven(asked: LoadRequest) -> tuple[Proof, LayerGraph]:
    """The proof, and the graph in the normal form that it ran."""
    model, held = next(loader("pytorch").prove(asked, designs))
    reference.set_parameters(model, held.parameters)
    return comparison.compare(model, held), normal.normalise(model)


def agrees(found: Proof) -> bool:
    """Whether the graph, as loaded and in normal form, gives torch's numbers and counts."""
    near = all(d.relative is not None and d.relative <= 1e-5 for d in (found.loaded, found.normal))
    return near and found.ours == found.theirs
