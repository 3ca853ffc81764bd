"""The task of finding which families of a model's ports may be one, and must be compared."""

from __future__ import annotations

from modeldocs import verdict
from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.pool import PooledTask
from modeldocs.verdict import ComparedPair
from modeldocs.verdict.unresolved_pairs import to_compare


class DiffOf(Struct, frozen=True):
    """A pair of ports by name, and the digest of its diff in the store."""

    a: str
    b: str
    diff: str


class DoubtInputs(Struct, frozen=True):
    """The reference, the graph of each port by digest, and the diffs of the pairs compared."""

    reference: str
    graphs: dict[str, str]
    diffs: tuple[DiffOf, ...]


class Doubts(Struct, frozen=True):
    """Pairs of ports to compare."""

    pairs: tuple[tuple[str, str], ...] = ()


def task(name: str, inputs: DoubtInputs) -> PooledTask:
    """The task for the model of that name."""
    return PooledTask(kind=UNRESOLVED_PAIRS.name, name=name, inputs=inputs)


def _run(inputs: DoubtInputs, place: TaskFolders) -> Doubts:
    graphs = {name: place.graph(digest) for name, digest in inputs.graphs.items()}
    compared = [_compared(one, graphs, place) for one in inputs.diffs]
    return Doubts(pairs=tuple(to_compare(graphs, compared, inputs.reference)))


def _compared(one: DiffOf, graphs: dict[str, LayerGraph], place: TaskFolders) -> ComparedPair:
    diff = place.result(one.diff, Diff)
    return verdict.compared(one.a, one.b, diff, (graphs[one.a], graphs[one.b]))


UNRESOLVED_PAIRS = TaskKind(
    name="unresolved_pairs", result=Doubts, runs=to_compare, run=_run, failed=None
)
