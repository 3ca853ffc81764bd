"""An image scaled, and its mean taken off, before the first layer sees it."""

from __future__ import annotations

from modeldocs.ir import Layer, Operand

from .draft import replace
from .edit import Bench, Edit
from .plumbing import sizes

_MEANS, _DEVIATIONS = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
_SPELLINGS = (
    (("Div", 255.0),),
    (("Mul", 1 / 255), ("Sub", _MEANS), ("Div", _DEVIATIONS)),
    (("Sub", [103.939, 116.779, 123.68]),),
    (("Div", 127.5), ("Sub", 1.0)),
)


def preprocess(bench: Bench) -> Edit | None:
    """Constants that an image is scaled by and moved by."""
    draft = bench.draft
    images = [
        entry
        for entry in draft.inputs.values()
        if len(entry.type.shape or ()) == 4
        and sizes(entry.type)[1] == 3
        and bench.claims.free(entry.id)
    ]
    if not images or any(bench.beside_new(entry.id) for entry in images):
        return None
    entry = bench.chance.choice(images)
    if any(bench.claims.at_bridge(name) for name in (entry.id, *draft.users()[entry.id])):
        return None
    readers, made, last = draft.users()[entry.id], [], entry.id
    for operator, constant in bench.chance.choice(_SPELLINGS):
        layer = Layer(
            id="",
            name="",
            operator=operator,
            inputs=(Operand(slot=0, value=last, type=entry.type),),
            outputs=(entry.type,),
            attributes={"B": constant},
        )
        last = draft.add(last, layer)
        made.append(last)
    draft.redirect(entry.id, lambda one: replace(one, value=last), skip=tuple(made))
    bench.claims.change(entry.id, *made)
    assert set(readers) == set(draft.users()[last])
    return Edit("preprocess", (), tuple(made), None, None, "preprocessing")
