"""How many pairs of a model's ports are compared, where its policy is not to compare all."""

from __future__ import annotations

from math import comb

from modeldocs.catalog import Model
from modeldocs.struct import Struct
from modeldocs.tasks import pairs
from modeldocs.tasks.results import Results

_RULES = {
    "all": "",
    "reference": "each port with {reference}",
    "nearest": "each port with {reference}, and those that are nearest to each other",
}
_LISTED = "each port with {reference}, and the pairs that model.yml lists"


class Coverage(Struct, frozen=True):
    """The pairs of ports that loaded: how many are compared, of how many, and which.

    `rule` says it as the rest of a sentence: `each port with caffe`.
    """

    compared: int
    total: int
    rule: str

    @property
    def missing(self) -> int:
        """The number of pairs that are not compared."""
        return self.total - self.compared


def coverage(model: Model, results: Results, reference: str) -> Coverage:
    """The coverage of a model whose ports are compared with `reference`."""
    loaded = {port.name for port in model.ports if results.loaded(model, port).graph is not None}
    compared = [both for both in results.pairs(model) if {one.name for one in both} <= loaded]
    policy = pairs.policy(model)
    rule = _RULES[policy] if isinstance(policy, str) else _LISTED
    return Coverage(
        compared=len(compared), total=comb(len(loaded), 2), rule=rule.format(reference=reference)
    )
