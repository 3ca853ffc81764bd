"""A network that is cut at the exits of regions: each region reads given values in place of what
the layers before it compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import onnx_ir as ir

from modeldocs.numerics.runtime import Runner
from modeldocs.parity import lowering
from modeldocs.parity.partial_run import PartialRun

Arrays = Mapping[str, np.ndarray]


def given_name(name: str) -> str:
    """Name of the graph input that is read in place of a value."""
    return f"{name} given"


def cut(model: ir.Model, given: Arrays) -> Runner:
    """A runner of a copy of a model in normal form in which the readers of these values, by name,
    read graph inputs like these arrays instead; the values themselves are still computed.
    """
    copy = model.clone()
    by_name = {str(value.name): value for node in copy.graph for value in node.outputs}
    for name, array in given.items():
        value = by_name[name]
        kind = ir.TensorType(ir.DataType.from_numpy(array.dtype))
        source = ir.Value(name=given_name(name), shape=ir.Shape(array.shape), type=kind)
        for use in list(value.uses()):
            use.node.replace_input_with(use.idx, source)
        copy.graph.inputs.append(source)
    return Runner(lowering.lower(copy))


def run_cut(
    model: ir.Model, feeds: Arrays, given: Arrays, wanted: Iterable[str]
) -> tuple[Arrays, dict[str, str]]:
    """The wanted values of a model that is cut at the `given` ones, and why others have none.

    `feeds` are its weights and inputs.
    """
    stand_ins = {given_name(name): array for name, array in given.items()}
    run = PartialRun(cut(model, given), {**feeds, **stand_ins})
    return run.run(wanted), run.refused
