"""Branches that the data decide: followed where that is the network, else left out."""

from __future__ import annotations

import pytest

from ..ports import graph_of, operators, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

MASKED = """
import torch
from torch import nn
INPUTS = {"tokens": ((1, 6), "int64")}
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.dense = nn.Embedding(9, 8), nn.Linear(8, 4)
    def forward(self, tokens):
        padding = tokens.eq(1)
        x = self.words(tokens)
        if padding.any():
            x = x.masked_fill(padding.unsqueeze(-1), 0.0)
        return self.dense(x)
model = Encoder
"""

ROUTED = """
import torch
from torch import nn
INPUTS = {"x": (5, 8)}
class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 3)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
    def forward(self, x):
        best = self.gate(x).argmax(-1)
        for number, expert in enumerate(self.experts):
            chosen = (best == number).unsqueeze(-1)
            if chosen.any():
                x = x + expert(x) * chosen
        return x
model = Router
"""


def test_a_branch_on_padding_is_followed_as_the_example_takes_it(tmp_path):
    graph = graph_of(write(tmp_path, MASKED))
    assert operators(graph) == ["Gather", "Gemm"]
    assert [parameter.name for layer in graph.layers for parameter in layer.parameters] == [
        "words.weight",
        "dense.weight",
        "dense.bias",
    ]


def test_the_line_that_decides_is_told(tmp_path):
    (note,) = graph_of(write(tmp_path, MASKED)).notes
    assert note == (
        "the data decide `if padding.any():` (pytorch.py, line 12); traced as integer "
        "inputs of 0 decide"
    )


def test_torch_computes_the_same_for_such_inputs(tmp_path):
    kept = MASKED.replace("tokens.eq(1)", "tokens.eq(8)")
    assert agrees(proof(write(tmp_path, kept)))


def test_experts_are_not_left_out_where_the_example_chose_others(tmp_path):
    note = graph_of(write(tmp_path, ROUTED)).notes[0]
    assert note.startswith("left out, since the data decide what is computed there")


def test_a_branch_on_floats_is_not_followed(tmp_path):
    signed = MASKED.replace("if padding.any():", "if x.sum() > -1e9:")
    note = graph_of(write(tmp_path, signed)).notes[0]
    assert note.startswith("left out, since the data decide what is computed there")


def test_an_assertion_decides_nothing(tmp_path):
    asserted = MASKED.replace(
        "        if padding.any():\n", "        assert (x * 2 == x + x).all()\n"
    )
    asserted = asserted.replace("            x = x.masked_fill", "        x = x.masked_fill")
    request = write(tmp_path, asserted)
    assert graph_of(request).notes == ()
    assert agrees(proof(request))
