"""The worker process that computes the parity of two ONNX files."""

from __future__ import annotations

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
from modeldocs.parity import MODELS, ParityRequest
from modeldocs.parity.run import compare_models, weight_map
from modeldocs.parity.weight_init import SeededRandom

_SMALLEST = """<ir_version: 8, opset_import: ["" : 17]>
    smallest (float[1] x) => (float[1] y) { y = Relu (x) }"""

DEFECT = "this is a defect of modeldocs; report it with both files"


def preload() -> None:
    """Draw the random numbers, and let onnxruntime set up its operators: once for all pairs."""
    SeededRandom()
    model = onnx.parser.parse_model(_SMALLEST)
    runtime.run(ir.from_proto(model), {"x": np.zeros(1, np.float32)}, ["y"])


def main(folder: Path) -> None:
    """Compare the models that `request.json` in `folder` names, and write `result.json`."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=ParityRequest)
    isolation.write_result(folder, _compare(request))


def _compare(request: ParityRequest) -> Parity:
    """The comparison, or the failure that prevented it: nothing is raised."""
    try:
        a, b = (ir.load(Path(request.folder, name)) for name in MODELS)
        if request.run:
            return compare_models(a, b, request.diff)
        return Parity(a_to_b=Direction(weights=weight_map(a, b, request.diff)))
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
