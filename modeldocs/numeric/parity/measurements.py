"""Measurements: how far groups are apart in their networks, on each network's own activations, and
alone, on equal inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from modeldocs.numeric.execution.closeness import (
    HALF_TOLERANCE,
    LAYER_TOLERANCE,
    Difference,
    distance,
    is_one_hot,
    output_distance,
)
from modeldocs.numeric.parity import layout, substitutes
from modeldocs.numeric.parity.layer_inputs import IncompatibleInputsError, LayerInputs, dtype
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.partial_run import PartialRun, run_both
from modeldocs.numeric.parity.programs import Programs
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.weight_init import SeededRandom

Arrays = dict[str, np.ndarray]
Measure = Callable[[np.ndarray, np.ndarray], Difference]

NOT_FINITE = "all that it computes is NaN or infinite"
_BATCH_BYTES = 1024 * 2**20
"""Bytes of activations held at a time. A network runs once for each batch of groups."""


@dataclass
class ValuedGraph:
    """One graph with the values of its weights and inputs."""

    programs: Programs
    weights: Arrays
    inputs: Arrays
    scales: Mapping[str, float] = field(default_factory=dict)
    """By layer: the scale that its output was designed to have."""
    usual: bool = False
    """Whether its values are so large that no epsilon of a norm shows."""

    @property
    def graph(self) -> RunnableGraph:
        """The graph."""
        return self.programs.graph

    def partial_run(self) -> PartialRun:
        """The whole network, ready to run."""
        return PartialRun(self.programs.whole(), self.weights | self.inputs, self.programs.known)


@dataclass
class Measurements:
    """By group number: the difference in the networks and alone, or why there is none."""

    network: dict[int, Difference] = field(default_factory=dict)
    alone: dict[int, Difference] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    """Why a group could not be run alone."""
    not_run: dict[int, str] = field(default_factory=dict)
    """Why a group could not be run in its network."""
    substituted: set[int] = field(default_factory=set)
    """Groups that could not be run, and whose outputs both networks were given."""


def names(side: GroupSide) -> list[str]:
    """Names of the outputs of a side."""
    return [str(value.name) for value in side.outputs]


def batches(
    graph: RunnableGraph, groups: list[MatchedGroup], numbers: Iterable[int]
) -> Iterator[list[int]]:
    """Group numbers in batches whose activations can be held at once, in their order."""
    batch: list[int] = []
    size = 0
    for number in numbers:
        layers = [graph.layers[name] for name in groups[number].a.ids]
        nbytes = 2 * sum(layer.activation_bytes or 0 for layer in layers)
        if batch and size + nbytes > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(number)
        size += nbytes
    if batch:
        yield batch


def run_networks(
    a: ValuedGraph,
    b: ValuedGraph,
    groups: list[MatchedGroup],
    random: SeededRandom,
    measured: Measurements,
) -> NetworkRuns:
    """Compare groups on the networks' own activations.

    After a group that onnxruntime refuses, both networks go on with the same random values.
    """
    runs = NetworkRuns(a, b, groups, measured)
    runs.run(range(len(groups)))
    while replaced := substitutes.substitutes(
        a.graph, b.graph, groups, measured.not_run, measured.substituted, random
    ):
        for ours, theirs in replaced.values():
            runs.ours.substitute(ours)
            runs.theirs.substitute(theirs)
            runs.integers |= ours
            runs.known |= ours
        measured.substituted |= set(replaced)
        waiting = [i for i in sorted(measured.not_run) if i not in measured.substituted]
        for i in waiting:
            del measured.not_run[i]
        runs.run(waiting)
    return runs


class NetworkRuns:
    """Both networks, run on their own activations. `integers` are A's values that are no floats,
    `known` those that it was given in place of what could not be run, and all where they can be
    held at once; `computed` are all of B's then. `returned` are the outputs of A and of B.
    """

    def __init__(
        self, a: ValuedGraph, b: ValuedGraph, groups: list[MatchedGroup], measured: Measurements
    ) -> None:
        self.graph, self.groups, self.measured = a.graph, groups, measured
        self.ours, self.theirs = a.partial_run(), b.partial_run()
        self.integers: Arrays = dict(a.inputs)
        self.known: Arrays = {}
        self.computed: Arrays = {}
        self.returned: tuple[Arrays, Arrays] = ({}, {})
        self._outputs = _outputs(a.graph), _outputs(b.graph)

    def run(self, wanted: Iterable[int]) -> None:
        """Measure the differences of some groups, or record why they could not be run."""
        groups, measured = self.groups, self.measured
        every = list(batches(self.graph, groups, wanted)) or [[]]
        for batch in every:
            integers = {name for i in batch for name in _integer_inputs(groups[i].a)}
            values_a, values_b = run_both(
                self.ours,
                self.theirs,
                sorted({n for i in batch for n in names(groups[i].a)} | integers | self._left(0)),
                sorted({n for i in batch for n in names(groups[i].b)} | self._left(1)),
            )
            self._keep(values_a, values_b, whole=len(every) == 1)
            self.integers |= {name: values_a[name] for name in integers if name in values_a}
            for i in batch:
                reason = _missing_reason(groups[i].a, values_a, self.ours.refused)
                reason = reason or _missing_reason(groups[i].b, values_b, self.theirs.refused)
                if reason is not None:
                    measured.not_run[i] = reason
                elif not _is_saturated(groups[i].a, values_a):
                    measured.network[i] = group_difference(
                        groups[i], values_a, values_b, output_distance
                    )

    def _left(self, side: int) -> set[str]:
        """Names of the outputs of a network that were not computed yet."""
        return self._outputs[side] - self.returned[side].keys()

    def _keep(self, ours: Arrays, theirs: Arrays, *, whole: bool) -> None:
        """Keep what both return; with `whole`, all that they compute."""
        for values, returned, outputs in zip(
            (ours, theirs), self.returned, self._outputs, strict=True
        ):
            returned |= {name: values[name] for name in outputs & values.keys()}
        if whole:
            self.known |= ours
            self.computed |= theirs


def _outputs(graph: RunnableGraph) -> set[str]:
    return {str(value.name) for value in graph.model.graph.outputs}


def _is_saturated(side: GroupSide, values: Arrays) -> bool:
    """Whether an output of a side is probabilities that are 0 and 1 whatever comes before it.

    Such an output shows nothing of the networks; what the group reads does, and the group alone.
    """
    outputs = [values[name] for name in names(side)]
    return any(is_one_hot(value) for value in outputs if isinstance(value, np.ndarray))


def _integer_inputs(side: GroupSide) -> list[str]:
    """Names of a side's inputs that are not floats, and so cannot be random."""
    roots = [edges[0].path.root for edges in side.inputs]
    return [str(root.name) for root in roots if dtype(root).kind not in "fc"]


def run_alone(
    a: ValuedGraph,
    b: ValuedGraph,
    groups: list[MatchedGroup],
    integers: Arrays,
    random: SeededRandom,
    measured: Measurements,
) -> None:
    """Compare each group on equal inputs; `integers` are A's values that are not floats."""
    for batch in batches(a.graph, groups, range(len(groups))):
        arrangements = {name: group.order for group in groups for name in group.a.ids}
        inputs = LayerInputs(a.graph, b.graph, a.scales, integers, random, arrangements, a.usual)
        runnable: list[int] = []
        for i in batch:
            try:
                inputs.add(i, groups[i])
                runnable.append(i)
            except IncompatibleInputsError as error:
                measured.reasons[i] = str(error)
        ours = _apart(a, {i: groups[i].a for i in runnable}, inputs.ours)
        theirs = _apart(b, {i: groups[i].b for i in runnable}, inputs.theirs)
        values_a, values_b = run_both(
            ours,
            theirs,
            [name for i in runnable for name in names(groups[i].a)],
            [name for i in runnable for name in names(groups[i].b)],
        )
        for i in runnable:
            of_a, of_b = (values_a, ours.refused), (values_b, theirs.refused)
            _compare_alone(i, groups[i], of_a, of_b, measured)


RunResult = tuple[Arrays, dict[str, str]]
"""Values by name, and the reasons of those that could not be computed."""


def _apart(network: ValuedGraph, sides: Mapping[int, GroupSide], inputs: Arrays) -> PartialRun:
    """Groups of a network by number, each by itself, ready to run."""
    feeds = network.weights | network.inputs | inputs
    return PartialRun(network.programs.apart(sides), feeds, network.programs.known)


def _compare_alone(
    i: int, group: MatchedGroup, ours: RunResult, theirs: RunResult, measured: Measurements
) -> None:
    reason = _missing_reason(group.a, *ours) or _missing_reason(group.b, *theirs)
    if reason is None:
        difference = group_difference(group, ours[0], theirs[0], distance)
        if not difference.shows_nothing:
            measured.alone[i] = difference
            return
        reason = NOT_FINITE
    measured.reasons[i] = reason


def _missing_reason(side: GroupSide, values: Arrays, refused: dict[str, str]) -> str | None:
    """Why a side's outputs are not all there; None where they are."""
    missing = [name for name in names(side) if name not in values]
    return refused.get(missing[0], "it was not run") if missing else None


def group_difference(
    group: MatchedGroup, ours: Arrays, theirs: Arrays, measure: Measure
) -> Difference:
    """The largest difference between the outputs of a group's sides."""
    differences: list[Difference] = []
    for (i, j), paths in zip(group.output_pairs, group.reader_paths, strict=True):
        value_a, value_b = ours[str(group.a.outputs[i].name)], theirs[str(group.b.outputs[j].name)]
        if isinstance(value_a, np.ndarray) and isinstance(value_b, np.ndarray):
            arrays = layout.comparable(value_a, value_b, paths, group.order)
            differences.append(Difference() if arrays is None else measure(*arrays))
        else:
            differences.append(sequence_difference(value_a, value_b, measure))
    return max(differences, key=Difference.size, default=Difference())


def sequence_difference(ours: object, theirs: object, measure: Measure) -> Difference:
    """The largest difference between the tensors of two sequences, or optional values."""
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        return measure(ours, theirs) if ours.shape == theirs.shape else Difference()
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        found = [sequence_difference(one, other, measure) for one, other in pairs]
        return max(found, key=Difference.size, default=Difference(absolute=0.0, relative=0.0))
    is_nothing = ours is None and theirs is None
    return Difference(absolute=0.0, relative=0.0) if is_nothing else Difference()


def tolerance(group: MatchedGroup) -> float:
    """The relative error of a group alone up to which it is rounding."""
    dtypes = [dtype(value) for value in (*group.a.outputs, *group.b.outputs)]
    return (
        HALF_TOLERANCE
        if any(kind.itemsize < 4 and kind.kind == "f" for kind in dtypes)
        else LAYER_TOLERANCE
    )
