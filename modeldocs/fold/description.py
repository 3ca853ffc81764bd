"""An architecture in one sentence: the overview of a fold as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from modeldocs import formatting
from modeldocs.fold.group import Group
from modeldocs.ir import Layer, LayerGraph

LIMIT = 600
"""Characters of a description."""

DEPTHS = (3, 2, 1, 0)
"""Depths to which groups are described, tried in this order until the text is short enough."""

NEXT, PARALLEL, GAP = " → ", "; ", "…"


def describe(graph: LayerGraph, network: Group, limit: int = LIMIT) -> str:
    """The fold of a graph as text of at most `limit` characters.

    `A → B` says that B reads what A makes; `A; B` that it does not, as with parallel branches.
    `3 × [A → B]` are three groups in a row of equal operators, kernels and strides, and
    `3 × Bottleneck [A → B]` three of a known form, of which one is described where the form is
    first met. Where the text would be too long, groups are left closed, then layers in the middle
    are left out.
    """
    for depth in DEPTHS:
        steps = _Describer(graph).steps(network.members, depth)
        text = _joined(steps)
        if len(text) <= limit:
            return text
    return _shortened(steps, limit)


@dataclass(frozen=True)
class _DescribedStep:
    """A layer or a group as text, and how many like it follow each other.

    `title` is that of a group of a known form, `inside` what is in it, or the layer. `image` is
    the height and width of its images. `follows` tells whether it reads what the step before it
    makes.
    """

    title: str
    inside: str
    count: int
    image: str
    follows: bool

    @property
    def text(self) -> str:
        """The step as it is written."""
        one = " ".join(filter(None, (self.title, self._bracketed)))
        if self.count > 1 and self.title[:1].isdigit():
            one = f"[{one}]"
        size = f" at {self.image}" if self.title and self.image else ""
        return f"{self.count} × {one}{size}" if self.count > 1 else f"{one}{size}"

    @property
    def _bracketed(self) -> str:
        """What is inside, in brackets where it would be read as part of what is around it."""
        signs = (NEXT, PARALLEL, ", ", *((" + ", " × ") if self.count > 1 else ()))
        is_open = bool(self.title) or any(sign in self.inside for sign in signs)
        return f"[{self.inside}]" if self.inside and is_open else self.inside


class _Describer:
    """Describes groups; a title that was met before is not described again."""

    def __init__(self, graph: LayerGraph) -> None:
        self.layers: Mapping[str, Layer] = {layer.id: layer for layer in graph.layers}
        self.met: set[str] = set()

    def steps(self, members: Sequence[str | Group], depth: int) -> list[_DescribedStep]:
        """The members of a group as steps, equal ones that read each other as one."""
        runs: list[list[str | Group]] = []
        follow: list[bool] = []
        for member in members:
            follows = not runs or self._reads(member, runs[-1][-1])
            if runs and follows and self._form(member) == self._form(runs[-1][-1]):
                runs[-1].append(member)
            else:
                runs.append([member])
                follow.append(follows)
        return [self._step(run, follows, depth) for run, follows in zip(runs, follow, strict=True)]

    def _step(self, run: Sequence[str | Group], follows: bool, depth: int) -> _DescribedStep:
        usual = max(run, key=_count)
        return _DescribedStep(
            title=_title(usual),
            inside=self._inside(usual, depth),
            count=sum(map(_count, run)),
            image=self._image(usual),
            follows=follows,
        )

    def _inside(self, member: str | Group, depth: int) -> str:
        """What is in a member; empty where it has a title that says enough."""
        one = _instance(member)
        if isinstance(one, str) or one.kind == "fused":
            return self._box(one)
        title = _title(one)
        if title and (depth == 0 or title in self.met):
            return ""
        if depth == 0:
            return self._closed(one)
        self.met.add(title)
        return _joined(self.steps(one.members, depth - 1))

    def _box(self, member: str | Group) -> str:
        """A layer with those fused to it: `Conv 3×3 /2 + BatchNormalization + Relu`."""
        first, *more = [self.layers[identity] for identity in _layers(member)]
        head = formatting.headline(first).partition(" · ")[0]
        return " + ".join([head, *(layer.operator for layer in more if _counts(layer))])

    def _closed(self, group: Group) -> str:
        """A group without a title that is not described: its only step, or its size and ends."""
        steps = self.steps(group.members, 0)
        if len(steps) == 1:
            return steps[0].text
        layers = [self.layers[identity] for identity in group.layers()]
        return f"{len(layers)} layers, {layers[0].operator} {GAP} {layers[-1].operator}"

    def _form(self, member: str | Group) -> object:
        """Equal for members that are described as one."""
        one = _instance(member)
        if not isinstance(one, str) and one.kind != "fused" and one.title:
            return one.title, self._image(member)
        boxes = [one] if isinstance(one, str) or one.kind == "fused" else one.layers()
        return tuple(self._box(box) for box in boxes), self._image(member)

    def _image(self, member: str | Group) -> str:
        """Height and width of its last convolution's output; empty where it has none."""
        for identity in reversed(list(_layers(member))):
            layer = self.layers[identity]
            if layer.operator == "Conv" and layer.outputs and layer.outputs[0].shape:
                return formatting.dims(layer.outputs[0].shape[2:])
        return ""

    def _reads(self, member: str | Group, before: str | Group) -> bool:
        made = set(_layers(before))
        return any(
            operand.value in made
            for identity in _layers(member)
            for operand in self.layers[identity].inputs
        )


def _layers(member: str | Group) -> Iterator[str]:
    return iter((member,)) if isinstance(member, str) else member.layers()


def _instance(member: str | Group) -> str | Group:
    """Of a repeat its first instance, else the member itself."""
    is_repeat = isinstance(member, Group) and member.kind == "repeat"
    return member.members[0] if is_repeat else member  # type: ignore[union-attr]


def _count(member: str | Group) -> int:
    """How many equal groups a member stands for."""
    is_repeat = isinstance(member, Group) and member.kind == "repeat"
    return len(member.members) if is_repeat else 1  # type: ignore[union-attr]


def _title(member: str | Group) -> str:
    return member.title if isinstance(member, Group) else ""


def _counts(layer: Layer) -> bool:
    """Whether a layer does something at inference."""
    return layer.operator != "Dropout" or "training_mode" in layer.attributes


def _joined(steps: Sequence[_DescribedStep]) -> str:
    text = ""
    for step in steps:
        join = "" if not text else NEXT if step.follows else PARALLEL
        text += join + step.text
    return text


def _shortened(steps: Sequence[_DescribedStep], limit: int) -> str:
    """The first steps that fit, a gap, and the last step; cut off where not even these fit."""
    end = f"{NEXT}{GAP}{NEXT}{steps[-1].text}"
    for count in range(len(steps) - 1, 0, -1):
        text = _joined(steps[:count]) + end
        if len(text) <= limit:
            return text
    return _joined(steps)[: limit - 1] + GAP
