"""Totals by kernel and by kind of copy, as the summaries of profilers give them."""

from __future__ import annotations

from modeldocs.benchmarks.activity import names
from modeldocs.benchmarks.quantities import Copies, CopyKind, Gpu, Kernel


class Totals:
    """Totals by name, as a summary gives them. It tells no unions of intervals."""

    def __init__(self) -> None:
        self._kernels: dict[str, Kernel] = {}
        self._copies: dict[CopyKind, Copies] = {}

    def __bool__(self) -> bool:
        return bool(self._kernels or self._copies)

    def add(self, name: str, *, n: int, ns: int | None = None, size: int | None = None) -> None:
        """Add the total of a kernel, or of a kind of copy, whose name is in brackets.

        A size that is printed as 0 is too small to be told.

        Raises:
            ValueError: a quantity is negative.
        """
        if min(n, ns or 0, size or 0) < 0:
            raise ValueError(f"a total of {name} is negative")
        us = None if ns is None else ns / 1000
        if not name.startswith("["):
            same = self._kernels.get(name, Kernel(name=name, n=0, us=0.0))
            time = None if us is None else round((same.us or 0.0) + us, 3)
            self._kernels[name] = Kernel(name=name, n=(same.n or 0) + n, us=time)
            return
        kind = names.copy_kind(name)
        if kind is not None:
            old = self._copies.get(kind, Copies())
            self._copies[kind] = Copies(
                n=n, bytes=size or old.bytes, us=old.us if us is None else us
            )

    def gpu(self) -> Gpu:
        """The section of a record: kernels and copies, and nothing about when they ran."""
        kernels = sorted(self._kernels.values(), key=lambda one: (-(one.us or 0.0), one.name))
        return Gpu(memcpy=self._copies or None, kernels=tuple(kernels) or None)
