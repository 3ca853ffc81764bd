"""Outputs are named by the keys, fields and attributes that hold them, whatever the class."""

from __future__ import annotations

import msgspec
import pytest

from ..ports import graph_of, write
from .nets import agrees, proof

pytest.importorskip("torch")

CLASSES = """
import collections, dataclasses, types, typing
import torch
from torch import nn
from torch.utils import _pytree as pytree

INPUTS = {"x": (2, 4)}

@dataclasses.dataclass
class Output:
    scores: torch.Tensor
    loss: torch.Tensor | None = None
    states: object = None
    count: int = 3

@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    first: torch.Tensor
    second: torch.Tensor

class Pair(typing.NamedTuple):
    mean: torch.Tensor
    spread: torch.Tensor | None

class Halves:
    def __init__(self, whole):
        self.half, self.size = whole / 2, whole.shape

class Keyless(collections.OrderedDict):
    "Registered without keys, as the outputs of diffusers are."

pytree.register_pytree_node(
    Keyless, lambda d: (list(d.values()), list(d)), lambda v, keys: Keyless(zip(keys, v)))

class Ordered(collections.OrderedDict): pass
class Several(tuple): pass

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 4)
    def forward(self, x):
        return Output(self.dense(x))
"""

RETURNED = {
    "Output(y)": ["scores"],
    "Output(y, states={'a': Slots(y + 1, y + 2), 'b': Pair(y + 3, None)})": [
        "scores", "states.a.first", "states.a.second", "states.b.mean"
    ],
    "{'levels': [Slots(y, y + 1), Slots(y + 2, y + 3)]}": [
        "levels.0.first", "levels.0.second", "levels.1.first", "levels.1.second"
    ],
    "Pair(y, None)": ["mean"],
    "Halves(y)": ["half"],
    "Keyless(sample=y, other=Keyless(inner=y + 1))": ["sample", "other.inner"],
    "Ordered(a=y, b=Several((y + 1, y + 2)))": ["a", "b.0", "b.1"],
    "types.SimpleNamespace(a=y, text='t', number=1.5)": ["a"],
    "{'distribution': torch.distributions.Normal(y, y.exp(), validate_args=False)}": [
        "distribution.loc", "distribution.scale"
    ],
    "Output(y) if self.inner(y).scores.sum() > 0 else Output(y + 1)": ["inner.scores"],
}  # fmt: skip
"""What `forward` returns, and the names of the outputs."""


@pytest.mark.parametrize("returned", RETURNED)
def test_outputs_have_the_names_of_fields(tmp_path, returned):
    request = write(tmp_path, CLASSES + f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense, self.inner = nn.Linear(4, 4), Inner()
    def forward(self, x):
        y = self.dense(x)
        return {returned}
""")  # fmt: skip
    request = msgspec.structs.replace(request, entry="Net")
    assert [one.name for one in graph_of(request).outputs] == RETURNED[returned]
    assert agrees(proof(request))
