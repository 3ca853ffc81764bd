"""Checkpoints of ports that loaded: converted, or compared, by the map of weights that the store's
parity has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from modeldocs import ir
from modeldocs.catalog import Port
from modeldocs.checkpoints import check, conversion, file_difference, network, output_heads
from modeldocs.checkpoints.check import CheckedConversion
from modeldocs.checkpoints.file_difference import CheckpointDiff
from modeldocs.checkpoints.network import StoringNetwork
from modeldocs.diff import Diff, Parity, Weights
from modeldocs.ir import LayerGraph
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.verdict import output_head


class LoadedSource(Struct, frozen=True):
    """A source by the name that the user gave it, its port, and how that loaded."""

    name: str
    port: Port
    loaded: Load


class ConvertedCheckpoint(Struct, frozen=True):
    """What was written, and how it was checked; nothing was written where that does not hold.

    `tensors` is how many, `own` the names of those that B has of itself, `remarks` what a reader
    has to know of the map.
    """

    tensors: int
    own: tuple[str, ...]
    remarks: tuple[str, ...]
    checked: CheckedConversion | None = None

    @property
    def holds(self) -> bool:
        """Whether the outputs agree, or were not compared."""
        return self.checked is None or self.checked.departure.holds


class _UnwrittenError(Exception):
    """Ends a conversion whose check does not hold."""


class CheckpointPair:
    """Two sources whose checkpoints are converted, or compared."""

    def __init__(self, ports: Ports, a: LoadedSource, b: LoadedSource) -> None:
        self.ports, self.a, self.b = ports, a, b

    def convert(
        self, file: Path, to: Path, *, checked: bool = False, inputs: Sequence[Path] = ()
    ) -> ConvertedCheckpoint:
        """Write a checkpoint of B, of one of A; with `checked`, where both give the same outputs.

        Raises:
            MisfitError: the checkpoint does not fit A.
            ModeldocsError: the two are not the same function, or a file cannot be read or written.
        """
        for one in (self.a, self.b) if checked else ():
            check.runnable(_subject(one))
        diff, parity = self._compared()
        head = self._head(diff, parity)
        weights = conversion.tested(parity, head)
        remarks = tuple(conversion.remarks(parity.a_to_b, head))
        ends = output_heads.pairs(diff, head)
        found: ConvertedCheckpoint | None = None
        with (
            self._both(weights) as both,
            contextlib.suppress(_UnwrittenError),
            conversion.converted(both, weights, file, to) as (partial, applied),
        ):
            ran = check.check(both, (file, partial), diff, inputs, ends) if checked else None
            found = ConvertedCheckpoint(applied.tensors, applied.own, remarks, ran)
            if not found.holds:
                raise _UnwrittenError
        assert found is not None
        return found

    def compare(self, a: Path, b: Path) -> CheckpointDiff:
        """What differs of a checkpoint of A and one of B.

        Raises:
            MisfitError: one of them does not fit its network.
            ModeldocsError: the two networks are not the same function, or a file cannot be read.
        """
        diff, parity = self._compared()
        head = self._head(diff, parity)
        weights = conversion.tested(parity, head)
        graph = self._graph(self.b)
        roles = {own.name: own.role for layer in graph.layers for own in layer.parameters}
        with self._both(weights) as both:
            found = file_difference.compare(both, (a, b), weights, roles)
            mapped = {one.target for one in weights.mapped}
            stored = [one.name for one in both[1].layout.tensors]
        return CheckpointDiff(
            a=self.a.name,
            b=self.b.name,
            weights_a=str(a),
            weights_b=str(b),
            compared=found.compared,
            types=found.types,
            differences=found.differences,
            uncompared=tuple(name for name in stored if name not in mapped),
            remarks=tuple(conversion.remarks(parity.a_to_b, head)),
        )

    @contextlib.contextmanager
    def _both(self, weights: Weights) -> Iterator[tuple[StoringNetwork, StoringNetwork]]:
        """What both networks store, with values for what the map does not have."""
        with (
            self._storing(self.a, {name for one in weights.mapped for name in one.sources}) as a,
            self._storing(self.b, {one.target for one in weights.mapped}) as b,
        ):
            yield a, b

    def _graph(self, one: LoadedSource) -> LayerGraph:
        return ir.decode(self.ports.place.objects.read(str(one.loaded.graph)))

    def _compared(self) -> tuple[Diff, Parity]:
        name = f"{self.a.name} and {self.b.name}"
        compared = self.ports.diff(name, self.a.loaded, self.b.loaded)
        limits = self.a.port.limits.wider(self.b.port.limits)
        parity = self.ports.parity(name, self.a.loaded, self.b.loaded, compared, limits)
        return msgspec.structs.replace(compared.diff, parity=None), parity

    def _head(self, diff: Diff, parity: Parity) -> frozenset[int]:
        """The numbers of the changes of the output head alone."""
        a, b = self._graph(self.a), self._graph(self.b)
        return output_head.changes(msgspec.structs.replace(diff, parity=parity), (a, b))

    @contextlib.contextmanager
    def _storing(self, one: LoadedSource, mapped: set[str]) -> Iterator[StoringNetwork]:
        normal = self.ports.place.objects.path(str(one.loaded.normal)).resolve()
        with network.storing(_subject(one), str(normal), mapped) as found:
            yield found


def _subject(one: LoadedSource) -> ProofSubject:
    return ProofSubject(
        name=one.name,
        framework=one.port.framework,
        request=one.port.request,
        limits=one.port.limits,
    )
