"""Totals by kernel and by kind of copy, as the summaries of profilers give them."""

from __future__ import annotations

from collections import Counter

from modeldocs.benchmarks.activity import names
from modeldocs.benchmarks.measurements import Copies, CopyKind, Gpu, Kernel


class TableTotals:
    """Totals of some tables; rows of one name are added. They tell no unions of intervals."""

    def __init__(self) -> None:
        self._launches: Counter[str] = Counter()
        self._kernel_ns: Counter[str] = Counter()
        self._copies_timed: Counter[CopyKind] = Counter()
        self._copies_ns: Counter[CopyKind] = Counter()
        self._copies_sized: Counter[CopyKind] = Counter()
        self._copied: Counter[CopyKind] = Counter()

    def __bool__(self) -> bool:
        return bool(self._launches or self._copies_timed or self._copies_sized)

    def add_time(self, name: str, number: int, ns: int) -> None:
        """Add the time of a kernel, or of copies, whose name is in brackets.

        Raises:
            ValueError: a total is negative.
        """
        _check(name, number, ns)
        if not name.startswith("["):
            self._launches[name] += number
            self._kernel_ns[name] += ns
            return
        kind = names.copy_kind(name)
        if kind is not None:
            self._copies_timed[kind] += number
            self._copies_ns[kind] += ns

    def add_size(self, name: str, number: int, size: int) -> None:
        """Add the bytes of copies; a total of 0 was too small to be printed.

        Raises:
            ValueError: a total is negative.
        """
        _check(name, number, size)
        kind = names.copy_kind(name)
        if kind is not None:
            self._copies_sized[kind] += number
            self._copied[kind] += size

    def gpu(self) -> Gpu:
        """The section of a record: kernels and copies, and nothing about when they ran."""
        order = sorted(self._launches, key=lambda name: (-self._kernel_ns[name], name))
        kernels = tuple(
            Kernel(name=name, n=self._launches[name], us=self._kernel_ns[name] / 1000)
            for name in order
        )
        memcpy = {
            kind: Copies(
                n=self._copies_timed.get(kind) or self._copies_sized[kind],
                bytes=self._copied[kind] or None,
                us=self._copies_ns[kind] / 1000 if kind in self._copies_timed else None,
            )
            for kind in self._copies_timed | self._copies_sized
        }
        return Gpu(memcpy=memcpy or None, kernels=kernels or None)


def _check(name: str, number: int, total: int) -> None:
    if number < 0 or total < 0:
        raise ValueError(f"a total of {name} is negative")
