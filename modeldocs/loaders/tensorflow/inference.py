"""What only training needs is taken out: branches not taken, dropout, statistics of the batch."""

from __future__ import annotations

from modeldocs.loaders.tensorflow import attributes, constants
from modeldocs.loaders.tensorflow.inlining import inline_function
from modeldocs.loaders.tensorflow.program import Flat, Operation, Program, Ref

_IFS = ("If", "StatelessIf")
_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_RANDOM = ("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2")
_MASKS = (
    "Floor", "Cast", "GreaterEqual", "Add", "AddV2", "Sub", "Mul", "Identity", "SelectV2",
)  # fmt: skip
SHOWN = "modeldocs.dropout"
"""The setting of an operation that stands for a dropout: the share of values that it drops."""


def prepare(program: Program, flat: Flat) -> bool:
    """Make a graph what inference runs; whether that is not what the source itself runs."""
    _choose_branches(program, flat)
    dropped = _mark_dropouts(program, flat)
    flat.prune()
    training = [op for op in flat.operations.values() if _is_training(op)]
    if training:
        program.notes.append(
            f"{len(training)} batch normalisations take the statistics of the batch, as in training"
        )
    return bool(dropped)


def _is_training(operation: Operation) -> bool:
    # An attribute that is left out is true: that is its default.
    left_out = "is_training" not in operation.proto.attr
    return operation.kind in _NORMS and (left_out or operation.proto.attr["is_training"].b)


def _choose_branches(program: Program, flat: Flat) -> None:
    """Take the branch that inference takes, where a predicate does not depend on the inputs."""
    dead: set[Ref] = set()
    became: dict[Ref, Ref] = {}
    flags: set[str] = set()
    for operation in list(flat.operations.values()):
        operation.inputs = [_followed(became, ref) for ref in operation.inputs]
        if operation.kind in ("Switch", "RefSwitch") and len(operation.inputs) == 2:
            taken = constants.flag(flat, operation.inputs[1])
            if taken is not None:
                became[operation.name, int(taken)] = operation.inputs[0]
                dead.add((operation.name, int(not taken)))
                flags.add(_root(flat, operation.inputs[1][0]))
        elif operation.kind in ("Merge", "RefMerge"):
            alive = [ref for ref in operation.inputs if ref not in dead]
            if len(alive) == 1 and len(operation.inputs) > 1:
                became[operation.name, 0] = alive[0]
            elif not alive:
                dead.add((operation.name, 0))
        elif any(ref in dead for ref in operation.inputs):
            dead |= {(operation.name, index) for index in range(16)}
        elif operation.kind in _IFS and operation.inputs:
            _inline_branch(program, flat, operation, became)
    for operation in flat.operations.values():
        operation.inputs = [_followed(became, ref) for ref in operation.inputs]
    flat.outputs = [_followed(became, ref) for ref in flat.outputs]
    _sort(flat)
    if flags:
        program.notes.append(f"drawn as in inference: {', '.join(sorted(flags)[:5])} decides it")


def _root(flat: Flat, name: str) -> str:
    """What a predicate goes back to: the placeholder or constant that a reader knows."""
    while flat.operations[name].inputs and flat.operations[name].kind != "PlaceholderWithDefault":
        name = flat.operations[name].inputs[0][0]
    return name


def _followed(became: dict[Ref, Ref], ref: Ref) -> Ref:
    while ref in became:
        ref = became[ref]
    return ref


def _inline_branch(
    program: Program, flat: Flat, operation: Operation, became: dict[Ref, Ref]
) -> None:
    """Put in place of an `If` the branch that inference takes, where that is known."""
    taken = constants.flag(flat, operation.inputs[0])
    if taken is None:
        return
    function = attributes.get(operation.proto, "then_branch" if taken else "else_branch").func.name
    branch = inline_function(program, function, operation.inputs[1:])
    renamed = {
        name: f"{operation.name}/{name}" if name in flat.operations else name
        for name in branch.operations
    }
    for held in branch.operations.values():
        held.name = renamed[held.name]
        held.inputs = [(renamed.get(name, name), index) for name, index in held.inputs]
        flat.operations[held.name] = held
    for index, (name, place) in enumerate(branch.outputs):
        became[operation.name, index] = renamed.get(name, name), place


def _sort(flat: Flat) -> None:
    """Put operations after what they read again; loops stay as they stand."""
    found: dict[str, Operation] = {}
    entered: set[str] = set()
    for start in flat.operations:
        stack = [(start, False)]
        while stack:
            name, left = stack.pop()
            if left:
                found[name] = flat.operations[name]
            elif name not in entered and name in flat.operations:
                entered.add(name)
                stack.append((name, True))
                before = reversed(flat.operations[name].inputs)
                stack.extend((source, False) for source, _ in before)
    flat.operations = found


def _mark_dropouts(program: Program, flat: Flat) -> int:
    """Let each dropout be one operation that passes its input on; how many there are."""
    found = 0
    for operation in list(flat.operations.values()):
        made = _dropout(flat, operation)
        if made is not None:
            source, rate = made
            operation.inputs = [source]
            operation.settings = {SHOWN: rate}
            found += 1
    if found:
        told = f"{found} dropouts pass their" if found > 1 else "a dropout passes its"
        program.notes.append(f"{told} input on, as in inference")
    return found


def _dropout(flat: Flat, operation: Operation) -> tuple[Ref, float | None] | None:
    """What a dropout's last operation drops of, and how much of it; None for any other.

    It multiplies by a mask, or chooses by it, what was divided by the share that is kept.
    """
    if operation.kind == "Mul" and len(operation.inputs) == 2:
        for scaled, mask in (operation.inputs, operation.inputs[::-1]):
            if _is_mask(flat, mask):
                return _scaled(flat, scaled)
    if operation.kind in ("Select", "SelectV2") and _is_mask(flat, operation.inputs[0]):
        return _scaled(flat, operation.inputs[1])
    return None


def _is_mask(flat: Flat, ref: Ref) -> bool:
    """Whether a value is computed from uniform random numbers and constants alone."""
    random, waiting, seen = False, [ref[0]], 0
    while waiting:
        operation = flat.operations.get(waiting.pop())
        seen += 1
        if operation is None or seen > 24:
            return False
        if operation.kind in _RANDOM:
            random = True
        elif operation.kind in _MASKS:
            waiting += [name for name, _ in operation.inputs]
        elif operation.kind not in ("Const", "PlaceholderWithDefault") and not _is_share(operation):
            return False
    return random


def _is_share(operation: Operation) -> bool:
    """Whether an operation is a placeholder of one number, such as the share to keep."""
    shape = attributes.get(operation.proto, "shape").shape
    return operation.kind == "Placeholder" and not (attributes.dims(shape) or ())


def _scaled(flat: Flat, ref: Ref) -> tuple[Ref, float | None]:
    """What was scaled before it is dropped of, and the share that is dropped where it is known."""
    operation = flat.operations[ref[0]]
    if operation.kind in ("RealDiv", "Div", "Mul") and len(operation.inputs) == 2:
        for source, factor in (operation.inputs, operation.inputs[::-1]):
            number = _number(flat, factor)
            if number is not None and number > 0:
                kept = 1 / number if operation.kind == "Mul" else number
                return source, round(max(0.0, 1 - kept), 6)
            if factor[0] in flat.operations and _is_share(flat.operations[factor[0]]):
                return source, None
    return ref, 0.0


def _number(flat: Flat, ref: Ref) -> float | None:
    operation = flat.operations.get(ref[0])
    while operation is not None and operation.kind in (
        *constants.THROUGH,
        "PlaceholderWithDefault",
    ):
        operation = flat.operations.get(operation.inputs[0][0])
    if operation is None or operation.kind != "Const":
        return None
    values = constants.array(operation)
    known = values is not None and values.size == 1 and values.dtype.kind == "f"
    return float(values.reshape(-1)[0]) if known and values is not None else None
