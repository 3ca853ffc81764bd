"""Two checkpoints compared through a map of weights, in a process of its own (`main`).

Tensors are read one after another: no more of them are in memory than one is computed from, with
its counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

from modeldocs import isolation
from modeldocs.checkpoints import applying, binding, tensor_kind
from modeldocs.checkpoints.binding import Misfit
from modeldocs.checkpoints.precision import Measured, Precision
from modeldocs.checkpoints.tensor_kind import TensorKind
from modeldocs.diff import MappedWeight
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders.checkpoint_layout import CheckpointLayout
from modeldocs.numeric.parity.evaluation import evaluate_steps
from modeldocs.numeric.parity.expression import ARITHMETIC
from modeldocs.struct import Struct

_SAMPLE: Final = 16
"""Elements by which a tensor is looked for among others."""

_COMPUTED: Final = {*ARITHMETIC, "norm", "weight_norm"}
"""Steps of a map that compute numbers."""


class ComparedFile(Struct, frozen=True):
    """A file of weights, what its network stores, and what that is called."""

    file: str
    network: str
    layout: CheckpointLayout


class CompareFilesRequest(Struct, frozen=True):
    """Both files, how B's weights are computed from A's, and the roles of B's by their names."""

    a: ComparedFile
    b: ComparedFile
    mapped: tuple[MappedWeight, ...]
    roles: dict[str, str]


class TensorDifference(Struct, frozen=True):
    """A tensor of B that is not the one that the map gives of A's.

    `sources` are the names of A's tensors. `absolute` is max |a − b|, `relative` that over max |a|;
    None where one of them is not finite. `differing` is the number of elements that differ by more
    than rounding. `kind` and `text` say what it has become, as far as that can be told (see
    `TensorKind`); `other` is the tensor of B that it was exchanged with, or taken for.
    """

    name: str
    sources: tuple[str, ...]
    shape: tuple[int, ...]
    differing: int
    kind: str
    text: str
    absolute: float | None = None
    relative: float | None = None
    other: str = ""


class ComparedFiles(Struct, frozen=True):
    """What differs of two files: of so many tensors that were compared.

    `types` are the numbers of tensors that are the same but for the rounding of a type that one
    of the files has them in. `misfits` are tensors that do not fit their network.
    """

    compared: int = 0
    types: dict[str, int] = {}
    differences: tuple[TensorDifference, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    failure: Failure | None = None


def main(folder: Path) -> None:
    """Write the `ComparedFiles` of what `request.json` in `folder` names."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=CompareFilesRequest)
    try:
        result = _compare(request, folder)
    except ModeldocsError as error:
        result = ComparedFiles(failure=Failure.of(error))
    isolation.write_result(folder, result)


def _compare(request: CompareFilesRequest, folder: Path) -> ComparedFiles:
    sources = {name for one in request.mapped for name in one.sources}
    targets = {one.target for one in request.mapped}
    places = [folder / name for name in ("a", "b")]
    for place in places:
        place.mkdir()
    with (
        applying.bound(Path(request.a.file), request.a.layout, sources, places[0]) as (a, lacks_a),
        applying.bound(Path(request.b.file), request.b.layout, targets, places[1]) as (b, lacks_b),
    ):
        for side, misfits in ((request.a, lacks_a), (request.b, lacks_b)):
            if misfits:
                error = binding.error(misfits, side.file, side.network)
                return ComparedFiles(misfits=tuple(misfits), failure=Failure.of(error))
        return _FileComparison(request, a, b).result()


class _Counterparts(NamedTuple):
    """A tensor as the map gives it of A's, and as B has it.

    `types` are those that the two files have it in, `precision` is what they are compared by.
    """

    expected: np.ndarray
    actual: np.ndarray
    types: frozenset[np.dtype]
    precision: Precision


class _FileComparison:
    """All tensors of two files, read twice: those that differ are looked at again."""

    def __init__(
        self, request: CompareFilesRequest, a: Mapping[str, np.ndarray], b: Mapping[str, np.ndarray]
    ) -> None:
        self.mapped = {one.target: one for one in request.mapped}
        self.roles, self.a, self.b = request.roles, a, b
        self.expected: dict[str, np.ndarray] = {}
        self.actual: dict[str, np.ndarray] = {}
        """A few elements of each tensor that is not one number everywhere."""
        self.measured: dict[str, Measured] = {}
        self.types: dict[str, int] = {}

    def result(self) -> ComparedFiles:
        """What differs."""
        for name in self.mapped:
            self._measure(name)
        found = tuple(self._difference(name) for name in self.measured)
        return ComparedFiles(len(self.mapped), self.types, found)

    def _read(self, name: str) -> _Counterparts:
        one = self.mapped[name]
        noted = _Noted(self.a)
        expected = evaluate_steps(one.steps, noted)
        actual = self.b[name]
        computed = any(step.op in _COMPUTED for step in one.steps)
        types = frozenset((*noted.types, actual.dtype))
        return _Counterparts(expected, actual, types, Precision(types, computed=computed))

    def _measure(self, name: str) -> None:
        one = self._read(name)
        found = one.precision.measured(one.expected, one.actual)
        for array, samples in ((one.expected, self.expected), (one.actual, self.actual)):
            if array.size > 1 and not tensor_kind.is_constant(array):
                samples[name] = _sample(one.precision.rounded(array))
        if found.differing:
            self.measured[name] = found
        elif len(one.types) > 1:
            coarse = one.precision.dtype.name
            self.types[coarse] = self.types.get(coarse, 0) + 1

    def _difference(self, name: str) -> TensorDifference:
        one, found, mapped = self._read(name), self.measured[name], self.mapped[name]
        role = self.roles.get(name, "")
        kind = tensor_kind.alone(one.expected, one.actual, role)
        other = ""
        if kind is None:
            other = next(self._others(name, one), "")
            kind = self._exchanged(name, other) if other else None
        if kind is None:
            kind = tensor_kind.of_pair(one.expected, one.actual, one.precision)
        return TensorDifference(
            name=name,
            sources=mapped.sources,
            shape=mapped.shape,
            differing=found.differing,
            kind=kind.kind,
            text=kind.text,
            absolute=_finite(found.absolute),
            relative=_finite(found.relative),
            other=other,
        )

    def _others(self, name: str, one: _Counterparts) -> Iterator[str]:
        """The tensors that A's file has where B's has this one; those of its layer first."""
        own = self.actual.get(name)
        if own is None:
            return
        pair = self.mapped[name].pair
        for other in sorted(self.expected, key=lambda key: self.mapped[key].pair != pair):
            same_shape = self.mapped[other].shape == self.mapped[name].shape
            if other != name and same_shape and one.precision.close(self.expected[other], own):
                theirs = self._read(other)
                if theirs.precision.close(theirs.expected, one.actual):
                    yield other

    def _exchanged(self, name: str, other: str) -> TensorKind:
        """What it is that B has A's `other` in the place of `name`."""
        roles = [tensor_kind.role_name(self.roles.get(one, "")) for one in (name, other)]
        told = f" ({' and '.join(roles)})" if all(roles) and roles[0] != roles[1] else ""
        if other in self.measured and name in self._others(other, self._read(other)):
            return TensorKind("swapped", f"swapped with {other}{told}")
        return TensorKind("other tensor", f"holds the values of {other}{told}")


class _Noted(dict[str, np.ndarray]):
    """Arrays of which the types of those that were read are noted."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().__init__()
        self.arrays = arrays
        self.types: list[np.dtype] = []

    def __missing__(self, name: str) -> np.ndarray:
        array = self.arrays[name]
        self.types.append(array.dtype)
        return array


def _sample(array: np.ndarray) -> np.ndarray:
    places = np.linspace(0, array.size - 1, min(_SAMPLE, array.size)).astype(np.int64)
    return array[np.unravel_index(places, array.shape)]


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None
