"""The phase, stages and level in which a network is read, and the layers that it then has."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.layer import CaffeLayer

PHASES = ("TRAIN", "TEST")
MAX_TRIED = 40
_ASKED = ("phase", "level", "stage")


@dataclass(frozen=True, slots=True)
class NetState:
    """The phase, level and stages that the rules of layers refer to."""

    phase: str = "TEST"
    level: int = 0
    stages: frozenset[str] = frozenset()

    def __str__(self) -> str:
        stages = f", stage {', '.join(map(repr, sorted(self.stages)))}" if self.stages else ""
        return f"phase {self.phase}{stages}{f', level {self.level}' if self.level else ''}"


def is_asked(args: dict[str, Any]) -> bool:
    """Whether arguments ask for a state."""
    return any(name in args for name in _ASKED)


def asked(net: CaffeMessage, args: dict[str, Any]) -> NetState:
    """The state that arguments ask for, else the network's own.

    Raises:
        ModeldocsError: there is no such state.
    """
    unknown = sorted(set(args) - {*_ASKED, "weights"})
    if unknown:
        raise ModeldocsError(
            f"a Caffe network takes no argument {unknown[0]!r}",
            file=net.file,
            fix="give phase, level, stage or weights",
        )
    own = net.message("state")
    phase = str(args.get("phase", own.get("phase") or "TEST")).upper()
    stages = args.get("stage", own.all("stage"))
    level = args.get("level", own.get("level"))
    if phase not in PHASES or not isinstance(level, int):
        wrong = f"phase {phase!r}" if phase not in PHASES else f"level {level!r}"
        raise ModeldocsError(
            f"there is no {wrong}",
            file=net.file,
            fix="give phase TRAIN or TEST, and level a whole number",
        )
    return NetState(
        phase, level, frozenset([stages] if isinstance(stages, str) else map(str, stages))
    )


def complete(
    layers: Sequence[CaffeLayer], inputs: Sequence[str], first: NetState
) -> tuple[NetState, str]:
    """The first state in which all blobs that layers read are made, and why it is not `first`.

    Where there is none it is `first`.
    """
    lack = _lack(layers, inputs, first)
    if not lack:
        return first, ""
    for state in itertools.islice(_others(layers, first), MAX_TRIED):
        if not _lack(layers, inputs, state):
            return state, f"{state}: chosen since in {first} {lack}"
    return first, ""


def includes(state: NetState, layer: CaffeLayer) -> bool:
    """Whether a layer's rules include it in a state.

    Raises:
        ModeldocsError: it has rules of both kinds.
    """
    include, exclude = layer.record.all("include"), layer.record.all("exclude")
    if include and exclude:
        raise layer.error(
            "has both include and exclude rules", at="exclude", fix="keep only one kind"
        )
    if include:
        return any(_meets(rule, state) for rule in include)
    return not any(_meets(rule, state) for rule in exclude)


def _meets(rule: CaffeMessage, state: NetState) -> bool:
    return (
        rule.get("phase") in (None, state.phase)
        and (not rule.has("min_level") or state.level >= rule.integer("min_level"))
        and (not rule.has("max_level") or state.level <= rule.integer("max_level"))
        and all(stage in state.stages for stage in rule.all("stage"))
        and not any(stage in state.stages for stage in rule.all("not_stage"))
    )


def _lack(layers: Sequence[CaffeLayer], inputs: Sequence[str], state: NetState) -> str:
    """What a state's layers lack to be a network, as part of a sentence; else empty."""
    blobs, computes = set(inputs), False
    for layer in layers:
        if not includes(state, layer):
            continue
        missing = [bottom for bottom in layer.bottoms if bottom not in blobs]
        if missing and layer.lacks_label(missing[0]):
            continue
        if missing:
            return f"nothing makes {missing[0]!r}, which {layer.name!r} reads"
        twice = [top for top in layer.tops if top in blobs and top not in layer.bottoms]
        if twice:
            return f"{twice[0]!r} is made twice"
        blobs.update(layer.tops)
        computes = computes or bool(layer.bottoms)
    return "" if computes else "no layer computes anything"


def _others(layers: Sequence[CaffeLayer], first: NetState) -> Iterator[NetState]:
    """The states that rules name: inference before training, the simplest first."""
    kinds = ("include", "exclude")
    rules = [rule for layer in layers for kind in kinds for rule in layer.record.all(kind)]
    named = dict.fromkeys(s for rule in rules for s in (*rule.all("stage"), *rule.all("not_stage")))
    stages = sorted(named, key=lambda stage: stage.startswith("train"))
    together = [frozenset(rule.all("stage")) for rule in rules if len(rule.all("stage")) > 1]
    sets = [first.stages, *(frozenset([stage]) for stage in stages), *together]
    bounds = ("min_level", "max_level")
    levels = {rule.integer(name) for rule in rules for name in bounds if rule.has(name)}
    for level in (first.level, *sorted(levels)):
        plain = [replace(first, level=level, stages=stages) for stages in sets]
        other = "TRAIN" if first.phase == "TEST" else "TEST"
        trained = [replace(state, phase=other) for state in plain]
        yield from (state for state in plain if not _is_training(state))
        yield from (state for state in trained if not state.stages)
        yield from (state for state in (*plain, *trained) if state.stages)


def _is_training(state: NetState) -> bool:
    return any(stage.startswith("train") for stage in state.stages)
