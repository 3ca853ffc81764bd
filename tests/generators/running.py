"""Programs run in their framework, on the weights and inputs of a small net."""

from __future__ import annotations

import copy
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from modeldocs import normal
from modeldocs.generators import Network
from modeldocs.generators.keras import Keras
from modeldocs.generators.program import Program
from modeldocs.generators.python_target import PythonTarget
from modeldocs.generators.pytorch import PyTorch

from ..normal.nets import Arrays, Net, run

PYTORCH: Final = PyTorch()
KERAS: Final = Keras()


def program(net: Net, chosen: PythonTarget = PYTORCH) -> Program:
    """The program of a net in a target."""
    model = net.model()
    normal.apply(model)
    return chosen.program(Network.of(model), "net")


def code(made: Program) -> str:
    return PYTORCH.write(made, "A net.")


def module(made: Program) -> nn.Module:
    """An instance of a program's network."""
    names: dict[str, Any] = {}
    exec(compile(code(made), "program.py", "exec"), names)
    instance: nn.Module = names[made.root.name]()
    return instance.eval()


def with_weights(made: Program, weights: Arrays) -> nn.Module:
    """The network with a net's weights, by the names that the program keeps of its source's."""
    instance = module(made)
    own = copy.copy(instance.state_dict())
    for name, part in made.root.members.items():
        for attribute, weight in part.weights.items():
            path = ".".join(filter(None, (name, attribute)))
            held = torch.from_numpy(np.asarray(weights[weight.source]))
            own[path] = (
                held.reshape(own[path].shape) if held.ndim != 2 else _placed(held, own[path])
            )
    instance.load_state_dict(own)
    return instance


def _placed(held: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """A matrix, transposed where the program has it so."""
    return held if held.shape == own.shape else held.T


def outputs(net: Net) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What onnxruntime computes of a net, and PyTorch of its program."""
    made = program(net)
    instance = with_weights(made, net.weights)
    given = [
        torch.from_numpy(array.transpose(order) if order else array)
        for array, order in zip(net.inputs.values(), made.interface.inputs, strict=True)
    ]
    with torch.no_grad():
        found = instance(*given)
    ours = [one.numpy() for one in (found if isinstance(found, tuple) else (found,))]
    return expected(net, made), ours


def expected(net: Net, made: Program) -> list[np.ndarray]:
    """What onnxruntime computes of a net, in the order of axes that its program has."""
    results = run(net.model(), net.inputs).values()
    orders = made.interface.outputs
    return [
        array.transpose(order) if order else array
        for array, order in zip(results, orders, strict=True)
    ]


def assert_close(ours: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    """Equal within rounding in single precision."""
    assert [one.shape for one in ours] == [one.shape for one in theirs]
    for a, b in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=2e-6 * max(1.0, float(np.abs(a).max())))
