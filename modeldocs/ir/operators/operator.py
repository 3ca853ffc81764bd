"""What is known of one operator: a plain entry of the table."""

from __future__ import annotations

from typing import Final, Literal

from modeldocs.struct import Struct

Family = Literal[
    "convolution",
    "linear",
    "normalization",
    "activation",
    "pooling",
    "elementwise",
    "arrangement",
    "attention",
    "recurrent",
    "other",
]

Move = Literal["identity", "cast", "reshape", "transpose", "cut", "join", "copy"]

CONTRIBUTED: Final = "com.microsoft::"
"""Before the name of each of onnxruntime's own operators."""


class OnnxOperator(Struct, frozen=True):
    """An operator of ONNX, or of onnxruntime with its domain: `com.microsoft::FusedConv`.

    What depends on an attribute is said for its default: an Elu is monotone, as its alpha is 1.
    """

    name: str
    family: Family = "other"

    unary: bool = False
    """Each element of the output depends on the element at its place in the first operand alone;
    other operands are settings, such as a Clip's bounds."""
    broadcasting: bool = False
    """The same of several operands, which are stretched to one shape."""
    commutative: bool = False
    """The operands may stand in any order."""
    associative: bool = False
    """An operand may be the result of the same operator: nested ones can be written as one."""
    affine: Literal["", "scale", "shift"] = ""
    """What a constant operand does to the other one: it scales or shifts it."""
    comparison: Literal["", "equal", "greater", "less"] = ""

    monotone: bool = False
    """Of unary ones: where the operand is larger, the output is not smaller."""
    non_negative: bool = False
    """The output is never negative, whatever the operands."""
    keeps_sign: bool = False
    """The output is not negative where the first operand is not, or those that a join has."""
    homogeneous: bool = False
    """A positive factor on all data is one on the output; a Pad's constant is zero."""
    saturating: bool = False
    """The output approaches a bound in both directions, and jumps nowhere."""
    smooth_rectifier: bool = False
    """The output is near the operand or a multiple of it far above zero, near a constant far below
    it, and bent between."""
    stepwise: bool = False
    """The output is constant nearly everywhere, with jumps."""
    positive: int | None = None
    """The slot of an operand that is to be positive, lest the output be no number or unbounded."""

    window: Literal["", "fixed", "deformed", "transposed"] = ""
    """How it slides a window, by `kernel_shape`, `strides`, `dilations` and `pads`: an output has a
    window at its place, or one at computed places; or an input is spread over a window."""
    channels_first: bool = False
    """The data has channels along axis 1 and spatial axes behind it."""
    everywhere: bool = False
    """Each element of the output depends on all positions of an image or sequence."""
    interpolates: bool = False
    """It computes values at positions between elements."""
    over_plane: str = ""
    """What a pooling, or a reduction of all spatial axes, is where it covers the whole plane."""

    moves: Move | Literal[""] = ""
    """How it moves elements of its operands, which it does not compute with."""
    grows: bool = False
    """The size of the output is given by the value of an operand, and may be any."""
    of_shape: bool = False
    """It reads the shape of its operand alone."""
    of_sequence: bool = False
    """It makes or reads a sequence of tensors."""

    reduces: Literal["", "axes", "axis"] = ""
    """What it makes one element of: all along some axes, or the place of an element along one."""
    normalises: Literal["", "axis", "from axis"] = ""
    """Along which axes the elements are normalised together: one, or all from one on."""
    axis: int | None = None
    """The default of `axis`, where it works along one."""
    own_statistics: bool = False
    """It divides by statistics of its operand."""

    random: bool = False
    """It computes other numbers in each run; Dropout does in training mode."""
    gates: int = 0
    """Matrix products of a recurrent cell."""
    activations: tuple[str, ...] = ()
    """The default functions of a recurrent cell, which the schema has in its text alone."""
    products: bool = False
    """It adds up products of its operands' elements, or of an operand's and a weight's."""

    roles: tuple[str, ...] = ()
    """The roles of the first operands; others have the name in the schema."""
    weight: int | None = None
    """The slot of a weight of any type, where the other operands are as in the schema."""
    bias: int | None = None
    """The slot of its bias."""
    projects: tuple[int, int] | None = None
    """Of a product of channels by a weight: the axis of its output, and that of the weight, that
    has the channels of the output."""
    features: int | None = None
    """The axis of the first operand that has the features, in tensors of any rank."""
    settings: tuple[int, ...] = ()
    """Slots of operands that are settings, and never weights."""
    indices: int | None = None
    """The slot of indices, which some frameworks store as floats."""

    @property
    def elementwise(self) -> bool:
        """Whether an element of the output depends on those at its place alone."""
        return self.unary or self.broadcasting

    @property
    def windowed(self) -> bool:
        """Whether it slides a window."""
        return bool(self.window)

    @property
    def recurrent(self) -> bool:
        """Whether it is a recurrent cell over a sequence."""
        return self.gates > 0

    @property
    def projection(self) -> bool:
        """Whether it multiplies channels by a weight."""
        return self.projects is not None

    @property
    def neutral(self) -> float | None:
        """The operand with which an affine operator changes nothing."""
        return {"scale": 1.0, "shift": 0.0}.get(self.affine)
