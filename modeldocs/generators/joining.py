"""Operations that a framework computes together, joined with those that they read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from modeldocs.generators import syntax
from modeldocs.generators.operation import LoweredOperation

Renamed = dict[str, str]
"""The tensor that took the place of another, by the id of that."""

Joined = Callable[[LoweredOperation, LoweredOperation, Counter[str]], LoweredOperation | None]
"""Two operations as one, which writes what the first writes; None where they stay two.

The second reads the first alone, which nothing else reads. The last argument is how many operations
use each part.
"""


def joined(
    operations: Sequence[LoweredOperation], outputs: Sequence[str], pair: Joined
) -> tuple[list[LoweredOperation], Renamed]:
    """Operations, each joined with the one that it reads where `pair` joins them.

    `outputs` are the ids of what the network returns.
    """
    uses = Counter(outputs)
    for one in operations:
        uses.update(syntax.values_of(one.expression))
    parts = Counter(part.key for one in operations for part in one.parts)
    makers: dict[str, LoweredOperation] = {}
    renamed: Renamed = {}
    kept: list[LoweredOperation] = []
    for one in operations:
        operation = _with_renamed(one, renamed)
        (read, *others) = syntax.values_of(operation.expression) or ("",)
        maker = makers.get(read) if not others and uses[read] == 1 else None
        both = pair(maker, operation, parts) if maker is not None else None
        if maker is not None and both is not None:
            kept[next(i for i, own in enumerate(kept) if own is maker)] = both
            makers[read] = both
            renamed[one.results[0]] = read
            uses[read] = uses[one.results[0]]
            continue
        kept.append(operation)
        if len(operation.results) == 1:
            makers[operation.results[0]] = operation
    return kept, renamed


def _with_renamed(operation: LoweredOperation, renamed: Renamed) -> LoweredOperation:
    expression = syntax.substitute(
        operation.expression, lambda name: syntax.value(renamed.get(name, name)), syntax.part
    )
    return replace(operation, expression=expression)
