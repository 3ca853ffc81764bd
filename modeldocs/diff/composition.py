"""What a group of layers is made of, where the other side has the same in other pieces."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from modeldocs.struct import Struct

Relation = Literal[
    "row", "counted", "before", "behind", "parallel", "groups", "products", "split", "nested", "one"
]


class Composition(Struct, frozen=True):
    """Operators, and how they stand to each other.

    `row`: one after another; `counted`: in any order; `before` and `behind`: the first before, or
    behind, the second; `parallel`: `count` of them side by side; `groups`: one in `count` groups;
    `products`: `count` products of one value; `split`: one product of all, and a Split; `nested`:
    `count` of them one in the other; `one`: one for all. `bias` says whether the only layer has a
    bias, where that matters.
    """

    operators: tuple[str, ...]
    relation: Relation = "row"
    count: int = 1
    bias: bool | None = None

    @property
    def text(self) -> str:
        """In words: `Conv + Relu`, `3 Gemm`, `Relu before Concat`, `Conv without bias`."""
        first = self.operators[0]
        if self.relation in ("before", "behind"):
            return f"{first} {self.relation} {self.operators[1]}"
        if self.relation == "nested":
            return f"{self.count} nested {first}" if self.count > 1 else f"nested {first}"
        told = {
            "parallel": f"{self.count} {first} side by side",
            "groups": f"{first} in {self.count} groups",
            "products": f"{self.count} products of one value",
            "split": "one product + Split",
            "one": f"one {first}",
        }.get(self.relation, " + ".join(self.terms))
        return told if self.bias is None else f"{told} {'with' if self.bias else 'without'} bias"

    @property
    def terms(self) -> list[str]:
        """What stands in a sum: operators, counted where their order says nothing."""
        if self.relation == "split":
            return ["product", "Split"]
        if self.relation == "row":
            return list(self.operators)
        if self.relation == "counted":
            counts = Counter(self.operators)
            return [f"{count} {name}" if count > 1 else name for name, count in counts.items()]
        return [self.operators[0]]
