"""The worker process that computes the parity of pairs of ONNX files."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnx.parser
import onnx_ir as ir

from modeldocs import isolation
from modeldocs.diff import Direction, Parity
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.numerics import runtime
from modeldocs.numerics.value_numbers import KnownValues
from modeldocs.parity import Ended, PairRequest, ParityRequest, result_file
from modeldocs.parity.programs import Programs
from modeldocs.parity.run import compare_networks, weight_map
from modeldocs.parity.runnable_graph import runnable_graph
from modeldocs.parity.weight_init import SeededRandom

_SMALLEST = """<ir_version: 8, opset_import: ["" : 17]>
    smallest (float[1] x) => (float[1] y) { y = Relu (x) }"""

_LONG = 2.0
"""Seconds after which no further pair is begun."""

DEFECT = "this is a defect of modeldocs; report it with both files"


def preload() -> None:
    """Draw the random numbers, and let onnxruntime set up its operators: once for all pairs."""
    SeededRandom()
    model = onnx.parser.parse_model(_SMALLEST)
    runtime.run(ir.from_proto(model), {"x": np.zeros(1, np.float32)}, ["y"])


def main(folder: Path) -> None:
    """Compare the pairs that `request.json` in `folder` names, and write the result of each.

    The pairs that are left after a long time are not compared: they are better spread over cores.
    """
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=ParityRequest)
    networks = _Networks(Path(request.folder))
    started = time.monotonic()
    for ended, pair in enumerate(request.pairs):
        if ended and time.monotonic() - started > _LONG:
            break
        begun = time.monotonic()
        found = _compare(pair, networks, run=request.run)
        seconds = round(time.monotonic() - begun, 3)
        timed = msgspec.structs.replace(found, seconds=seconds)
        isolation.write_result(folder, timed, result_file(ended))
    isolation.write_result(folder, Ended())


class _Networks:
    """The networks of a run by file, each read when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._known = folder, KnownValues()
        self._read: dict[str, Programs] = {}

    def __getitem__(self, file: str) -> Programs:
        if file not in self._read:
            graph = runnable_graph(ir.load(self._folder / file))
            self._read[file] = Programs(graph, self._known)
        return self._read[file]


def _compare(pair: PairRequest, networks: _Networks, *, run: bool) -> Parity:
    """The comparison of a pair, or the failure that prevented it: nothing is raised."""
    try:
        a, b = networks[pair.a], networks[pair.b]
        if run:
            return compare_networks(a, b, pair.diff)
        return Parity(a_to_b=Direction(weights=weight_map(a.graph, b.graph, pair.diff)))
    except ModeldocsError as error:
        return Parity(failure=Failure.of(error))
    except MemoryError:
        reason = "the weights and activations of the two take more memory than they may"
        fix = "raise `limits: {memory_mb: …}` of a port in model.yml"
        return Parity(failure=Failure(reason=reason, fix=fix))
    except Exception as error:
        message = first_line(error)
        reason = f"modeldocs failed to compare the numbers with {type(error).__name__}: {message}"
        return Parity(failure=Failure(reason=reason, fix=DEFECT))
