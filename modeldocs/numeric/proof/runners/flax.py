"""The runner of Flax programs, in the environment `flax`."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import flax
import jax
import numpy as np
from flax import nnx

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.reference import Arrays, Designed
from modeldocs.numeric.proof import runners


def main(folder: Path) -> None:
    """Run what `request.json` in `folder` names: see `runners.work`."""
    runners.work(folder, FlaxProgram)


class FlaxProgram:
    """A program of `nnx.Module`s."""

    software = f"Flax {flax.__version__} (JAX {jax.__version__})"

    def __init__(self, program: ModuleType, network: str) -> None:
        self._network = getattr(program, network)

    def outputs(self, given: Designed) -> list[np.ndarray]:
        """What its network returns; see `runners.ProgramRun`."""
        model = _with_weights(_without_weights(self._network), given.parameters)
        model.eval()
        found = nnx.jit(lambda model, *inputs: model(*inputs))(model, *given.inputs.values())
        return [np.asarray(one) for one in jax.tree.leaves(found)]


def _without_weights(network: Any) -> Any:
    """An instance whose variables have shapes alone: drawing weights takes seconds."""
    takes_rngs = "rngs" in getattr(network.__init__, "__annotations__", {})
    return nnx.eval_shape(lambda: network(rngs=nnx.Rngs(0)) if takes_rngs else network())


def _with_weights(model: Any, parameters: Arrays) -> Any:
    """The instance with these values in its variables, by path.

    Raises:
        ModeldocsError: a variable has no value, or one of another size.
    """
    held: set[int] = set()
    for path, array in parameters.items():
        variable = model
        for name in path.split("."):
            variable = variable[int(name)] if name.isdigit() else getattr(variable, name)
        if variable.size != array.size:
            raise ModeldocsError(f"{path} has {variable.size} values, its source {array.size}")
        variable.set_value(jax.numpy.asarray(array.reshape(variable.shape), variable.dtype))
        held.add(id(variable))
    for names, variable in nnx.iter_graph(model):
        if isinstance(variable, nnx.RngKey):
            variable.set_value(jax.random.key(0))
        elif isinstance(variable, nnx.RngState):
            variable.set_value(jax.numpy.zeros(variable.shape, variable.dtype))
        elif isinstance(variable, nnx.Variable) and id(variable) not in held:
            raise ModeldocsError(f"{'.'.join(map(str, names))} has no weight of its source")
    return model
