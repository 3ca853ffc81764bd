"""The edits of a list that can be applied to a port, and why the others cannot."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import onnx_ir as ir

from modeldocs import edits
from modeldocs.edits import Draft, Edit
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.struct import Struct


class TriedEdit(Struct, frozen=True):
    """An edit as text, and why it is not applied; None where it is."""

    option: str
    value: str
    failure: Failure | None = None


class AppliedEdits:
    """A port with those of its edits that can be applied together, in their order."""

    def __init__(self, normal: bytes, given: Sequence[tuple[str, str]]) -> None:
        self._normal = normal
        self._given = list(given)
        self._failures: dict[int, Failure] = {}
        parsed: dict[int, Edit] = {}
        for place, (option, value) in enumerate(given):
            try:
                parsed[place] = edits.parse(option, value)
            except ModeldocsError as error:
                self._failures[place] = Failure.of(error)
        self.draft = self._longest(parsed)
        self.edits = [one for place, one in parsed.items() if place not in self._failures]

    @property
    def tried(self) -> tuple[TriedEdit, ...]:
        """All edits, as text."""
        return tuple(
            TriedEdit(option=option, value=value, failure=self._failures.get(place))
            for place, (option, value) in enumerate(self._given)
        )

    @property
    def model(self) -> ir.Model:
        """The network with the edits, in normal form."""
        return self.draft.model

    def _longest(self, parsed: dict[int, Edit]) -> Draft:
        """Apply all; where they do not fit, leave out the first that fits with none before it.

        Edits that fit only together are applied together, wherever a later one fails.
        """
        left = dict(parsed)
        while True:
            places = list(left)
            failure: Failure | None = None
            for count in range(len(places), -1, -1):
                try:
                    draft = self._apply([left[one] for one in places[:count]])
                except ModeldocsError as error:
                    if not count:
                        raise
                    failure = Failure.of(error)
                    continue
                break
            if failure is None:
                return draft
            self._failures[places[count]] = failure
            del left[places[count]]

    def _apply(self, chosen: Sequence[Edit]) -> Draft:
        model = ir.from_proto(onnx.load_from_string(self._normal))
        return edits.apply(model, chosen)
