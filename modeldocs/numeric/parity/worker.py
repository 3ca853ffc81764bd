"""The worker process that computes the parity of pairs of ONNX files."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import onnx
import onnx.parser
import onnx_ir as ir

from modeldocs import isolation
from modeldocs.diff import Diff, Direction, Match, Parity
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.numeric.execution.value_numbers import KnownValues
from modeldocs.numeric.parity import Ended, PairRequest, PairsRequest, result_file
from modeldocs.numeric.parity.programs import Programs, programs
from modeldocs.numeric.parity.run import compare_networks, weight_map
from modeldocs.numeric.parity.runnable_graph import runnable_graph
from modeldocs.numeric.parity.sizes import resizing

_SMALLEST = """<ir_version: 8, opset_import: ["" : 17]>
    smallest (float[1] x) => (float[1] y) { y = Relu (x) }"""

_LONG = 2.0
"""Seconds after which no further pair is begun."""

_MMAP_THRESHOLD = -3
"""The GNU C library's name of that setting (M_MMAP_THRESHOLD)."""

DEFECT = "this is a defect of modeldocs; report it with both files"


def preload() -> None:
    """Compare the smallest network with itself: what all pairs need is then there, such as random
    numbers, the operators of onnxruntime and of ONNX, and decoders.
    """
    models = (ir.from_proto(onnx.parser.parse_model(_SMALLEST)) for _ in "ab")
    ours, theirs = programs(*models)
    ids, totals = tuple(ours.graph.layers), ours.graph.layer_graph.totals()
    match = Match(a=ids, b=ids, reason="the same", confidence=1.0)
    diff = Diff(verdict="identical", names=("a", "b"), a=totals, b=totals, matches=(match,))
    compare_networks(ours, theirs, diff)
    request = PairsRequest(folder="", pairs=(PairRequest(a="a", b="b", diff=diff),))
    msgspec.json.decode(msgspec.json.encode(request), type=PairsRequest)


def main(folder: Path) -> None:
    """Compare the pairs that `request.json` in `folder` names, and write the result of each.

    The pairs that are left after a long time are not compared: they are better spread over cores.
    """
    _map_large_arrays()
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=PairsRequest)
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


def _map_large_arrays() -> None:
    """Give the memory of each large array back to the system when it is freed.

    The C library raises the size from which it does so with each array that is freed. Sessions that
    are kept then lie between arrays that are gone: three times the memory in use counts as taken.
    """
    with contextlib.suppress(OSError, AttributeError):  # other C libraries have no such setting
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 128 * 1024)


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

    def at(self, file: str, sizes: resizing.Sizes, told: Mapping[float, float]) -> Programs | None:
        """The network at smaller sizes of its inputs; None where it is for its own alone. `told`
        are numbers that it states, with those of the other network.
        """
        if not sizes:
            return self[file]
        model = ir.load(self._folder / file)
        if not resizing.resize(model, sizes, told):
            return None
        return Programs(runnable_graph(model), self._known)


def _compare(pair: PairRequest, networks: _Networks, *, run: bool) -> Parity:
    """The comparison of a pair, or the failure that prevented it: nothing is raised."""
    try:
        if run:
            return _run(pair, networks)
        a, b = networks[pair.a], networks[pair.b]
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
        return Parity(failure=Failure.of(ModeldocsError(reason, fix=DEFECT), error))


def _run(pair: PairRequest, networks: _Networks) -> Parity:
    """The comparison at the sizes that both can have, else at their own."""
    a, b = networks[pair.a], networks[pair.b]
    sizes_of_a, sizes_of_b = resizing.common_sizes(a.graph, b.graph, pair.diff)
    ours, theirs = resizing.numbers(pair.diff)
    resized_a = networks.at(pair.a, sizes_of_a, ours)
    resized_b = networks.at(pair.b, sizes_of_b, theirs)
    if resized_a is None or resized_b is None:
        return compare_networks(a, b, pair.diff)
    return compare_networks(resized_a, resized_b, pair.diff)
