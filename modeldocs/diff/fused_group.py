"""The composition of a group of layers that the other graph has as other layers."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from modeldocs.struct import Struct

Relation = Literal[
    "row", "counted", "before", "after", "parallel", "groups", "products", "split", "nested", "one"
]


class FusedGroup(Struct, frozen=True):
    """Operators, and the relation between them.

    `row`: one after another; `counted`: in any order; `before` and `after`: the first before, or
    after, the second; `parallel`: `count` of them side by side; `groups`: one in `count` groups;
    `products`: `count` products of one value; `split`: one product for all, and a Split; `nested`:
    `count` of them nested in one another; `one`: one for all. `bias` is whether the only layer has
    a bias; None where that does not matter.
    """

    operators: tuple[str, ...]
    relation: Relation = "row"
    count: int = 1
    bias: bool | None = None

    @property
    def text(self) -> str:
        """As text: `Conv + Relu`, `3 Gemm`, `Relu before Concat`, `Conv without bias`."""
        first = self.operators[0]
        if self.relation in ("before", "after"):
            return f"{first} {self.relation} {self.operators[1]}"
        if self.relation == "nested":
            return f"{self.count} nested {first}" if self.count > 1 else f"nested {first}"
        text = {
            "parallel": f"{self.count} {first} side by side",
            "groups": f"{first} in {self.count} groups",
            "products": f"{self.count} products of one value",
            "split": "one product + Split",
            "one": f"one {first}",
        }.get(self.relation, " + ".join(self.terms))
        return text if self.bias is None else f"{text} {'with' if self.bias else 'without'} bias"

    @property
    def terms(self) -> list[str]:
        """The operators as terms of a sum, counted where their order does not matter."""
        if self.relation == "split":
            return ["product", "Split"]
        if self.relation == "row":
            return list(self.operators)
        if self.relation == "counted":
            counts = Counter(self.operators)
            return [f"{count} {name}" if count > 1 else name for name, count in counts.items()]
        return [self.operators[0]]
