"""The plain data of an edit: what is changed of a network, with values as a reader writes them."""

from __future__ import annotations

from modeldocs.struct import Struct


class SetAttribute(Struct, frozen=True, tag="set", tag_field="edit"):
    """Another setting of a layer: an attribute of ONNX, `channels`, `units`, `heads` or `operator`.

    `channels` are those that a convolution gives, `units` those of a product, `heads` those of
    attention; `operator` is the kind of an activation. `value` is a number, a word, or numbers
    separated by commas.
    """

    layer: str
    attribute: str
    value: str


class RemoveLayer(Struct, frozen=True, tag="remove", tag_field="edit"):
    """A layer or block taken out: what read it reads what it read."""

    layer: str


class InsertLayer(Struct, frozen=True, tag="insert", tag_field="edit"):
    """A layer put in: it reads the output of a layer, block or input, and those that read that
    output read the new layer.

    `settings` are as those of `SetAttribute`, by name; `name` is what it is called, by default
    after its operator and the layer before it.
    """

    after: str
    operator: str
    settings: dict[str, str] = {}
    name: str = ""


class RepeatBlock(Struct, frozen=True, tag="repeat", tag_field="edit"):
    """Another number of instances of a repeat of the fold: copies of the last one, or fewer."""

    block: str
    count: int


class ResizeInput(Struct, frozen=True, tag="input", tag_field="edit"):
    """Another shape of an input, in elements; without a name it is the only input."""

    name: str
    shape: tuple[int, ...]


Edit = SetAttribute | RemoveLayer | InsertLayer | RepeatBlock | ResizeInput
