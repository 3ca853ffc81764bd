"""What TensorFlow itself computes of a source, with designed values in its variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.reference import Arrays, Design, Designed, Proven, Reference
from modeldocs.loaders.tensorflow import constants, sources
from modeldocs.loaders.tensorflow.assembly import Assembled, assemble
from modeldocs.loaders.tensorflow.program import HANDLES, Operation, Program
from modeldocs.normal import values


@dataclass(frozen=True)
class _Fed:
    """What TensorFlow runs with: inputs by placeholder, values of variables and frozen weights by
    operation.
    """

    inputs: Arrays
    variables: Arrays
    constants: Arrays


def prove(request: LoadRequest, design: Design) -> Proven:
    """A source's graph, and what TensorFlow computes with designed values in its variables.

    The source's own graph runs, its functions not inlined, unless something of training was taken
    out of it; single layers are what the inlined graph gives.

    Raises:
        ModeldocsError: the source cannot be loaded, or TensorFlow cannot run it.
    """
    import tensorflow as tf

    program = sources.read(request)
    made = assemble(program, request)
    for value in made.model.graph.inputs:
        if values.shape(value) is None:
            raise program.error(
                f"the sizes of the input {value.name!r} are not all known",
                fix=f"give them with --input {value.name}=…, or as `inputs` in model.yml",
            )
    designed = _kept(program, made, design(made.model))
    fed = _fed(program, made, designed)
    try:
        outputs = _outputs(program, made, fed)
        activations = _activations(program, made, fed)
    except ModeldocsError:
        raise
    except Exception as error:
        raise program.error(
            f"TensorFlow cannot run it: {_said(error)}", fix="name outputs that it can run"
        ) from None
    trainable, frozen = program.counts or _counts(program, made)
    reference = Reference(
        software=f"tensorflow {tf.__version__}",
        inputs=designed.inputs,
        outputs={
            str(value.name): array
            for value, array in zip(made.model.graph.outputs, outputs, strict=True)
        },
        activations=activations,
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters,
    )
    return Proven(made.model, reference)


def _kept(program: Program, made: Assembled, designed: Designed) -> Designed:
    """What was designed, but constants of functions as they are: no graph gets at them."""
    own: Arrays = {}
    within_reach = _constants(program)
    for name, value in made.drawing.parameters.made.items():
        is_constant = made.typed.flat.operations[name].kind not in HANDLES
        if is_constant and name not in within_reach and value.const_value is not None:
            own[str(value.name)] = value.const_value.numpy()
    return Designed(designed.parameters | own, designed.inputs)


def _constants(program: Program) -> set[str]:
    """Names of the constants whose values can be put into the graph: the weights of frozen ones."""
    if program.call is not None:
        return set()
    return {node.name for node in program.graph.node if node.op == "Const"}


def _fed(program: Program, made: Assembled, designed: Designed) -> _Fed:
    variables: Arrays = {}
    constants: Arrays = {}
    within_reach = _constants(program)
    for name, value in made.drawing.parameters.made.items():
        is_variable = made.typed.flat.operations[name].kind in HANDLES
        if value.dtype is None or not (is_variable or name in within_reach):
            continue
        shape = values.shape(value) or ()
        array = designed.parameter(str(value.name), shape).astype(value.dtype.numpy())
        (variables if is_variable else constants)[name] = array
    pairs = zip(made.feeds, made.model.graph.inputs, strict=True)
    inputs = {feed.node: designed.inputs[str(value.name)] for feed, value in pairs}
    return _Fed(inputs, variables, constants)


def _said(error: Exception) -> str:
    """What went wrong; of a graph that ran, what its node said and not where it was made."""
    text = str(error).split("Original stack trace")[0]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    node = next((place for place, line in enumerate(lines) if line.startswith("Node:")), None)
    told = lines[node + 1 :] if node is not None else lines
    return (told or [type(error).__name__])[0][:300]


def _outputs(program: Program, made: Assembled, fed: _Fed) -> list[np.ndarray[Any, Any]]:
    """What the source gives, output by output."""
    if program.call is not None and not made.changed:
        given = {feed.name: fed.inputs[feed.node] for feed in made.feeds}
        return [np.asarray(array) for array in program.call(fed.variables, given)]
    graph, wanted = program.graph, [fetch.ref for fetch in program.fetches]
    if made.changed:
        graph, wanted = made.typed.graph_def, made.typed.flat.outputs
    flagged = replace(fed, inputs=fed.inputs | _training_flags(graph))
    return _run(program, graph, flagged, [f"{name}:{index}" for name, index in wanted])


def _training_flags(graph: Any) -> Arrays:
    """Placeholders that tell whether it trains: it does not."""
    found: Arrays = {}
    for node in graph.node:
        operation = Operation(node.name, node.op, [], node)
        if constants.is_training_flag(operation):
            found[node.name] = np.array(False)
    return found


def _activations(program: Program, made: Assembled, fed: _Fed) -> Arrays:
    """What each operation of the inlined graph gives, by name of the value that it became."""
    held = {
        value.name: ref
        for ref, value in made.drawing.values.items()
        if value.name and value.producer() is not None and value.producer() in set(made.model.graph)
    }
    known = {str(n): ref for n, ref in held.items() if made.typed.shape(ref) is not None}
    try:
        fetches = [f"{name}:{index}" for name, index in known.values()]
        ran = _run(program, made.typed.graph_def, fed, fetches) if fetches else []
    except Exception:
        return {}  # a loop of TensorFlow 1 runs whole, or not at all
    return dict(zip(known, ran, strict=True))


def _run(
    program: Program, graph_def: Any, fed: _Fed, fetches: list[str]
) -> list[np.ndarray[Any, Any]]:
    """Run a graph in a session, its variables set before; what the fetches give."""
    import tensorflow as tf

    graph = tf.Graph()
    with graph.as_default():
        tf.graph_util.import_graph_def(_plain(graph_def, fed.constants), name="")
        held = fed.variables.items()
        assigned = [_assign(graph.get_operation_by_name(name), array) for name, array in held]
    feed = {f"{name}:0": array for name, array in fed.inputs.items()}
    config = tf.compat.v1.ConfigProto()
    # What is asked for must not be optimised away.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.compat.v1.Session(graph=graph, config=config) as session:
        values = {placeholder: array for _, placeholder, array in assigned}
        session.run([operation for operation, _, _ in assigned], values)
        ran = session.run(fetches, feed)
    if any(not np.isfinite(a).all() for a in ran if a.dtype.kind == "f"):
        program.notes.append("TensorFlow's own results are not finite")
    return [np.asarray(array) for array in ran]


def _plain(graph_def: Any, constants: Arrays) -> Any:
    """The graph with these constants in it.

    It has no devices and no colocation, which may name machines that are not here.
    """
    import tensorflow as tf

    made = type(graph_def)()
    made.CopyFrom(graph_def)
    for nodes in (made.node, *(function.node_def for function in made.library.function)):
        for node in nodes:
            node.device = ""
            if "_class" in node.attr:
                del node.attr["_class"]
    for node in made.node:
        if node.name in constants and node.op == "Const":
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(constants[node.name]))
    return made


def _assign(operation: Any, array: np.ndarray[Any, Any]) -> tuple[Any, Any, Any]:
    """An operation that sets a variable, the placeholder that it reads, and what to feed it."""
    import tensorflow as tf

    placeholder = tf.compat.v1.placeholder(array.dtype, array.shape)
    if operation.type == "VarHandleOp":
        return (
            tf.raw_ops.AssignVariableOp(resource=operation.outputs[0], value=placeholder),
            placeholder,
            array,
        )
    assign = tf.raw_ops.Assign(ref=operation.outputs[0], value=placeholder)
    return assign, placeholder, array


def _counts(program: Program, made: Assembled) -> tuple[int | None, int | None]:
    """Values in the variables that TensorFlow's own pruning keeps, trained and not.

    What it says of no variable is trained, but for running statistics; a frozen graph has none.
    """
    import tensorflow as tf

    names = [name for name, _ in (fetch.ref for fetch in program.fetches)]
    if not any(node.op in HANDLES for node in program.graph.node):
        return None, None
    kept = tf.compat.v1.graph_util.extract_sub_graph(program.graph, names)
    trainable = frozen = 0
    for node in kept.node:
        if node.op not in HANDLES:
            continue
        size = int(np.prod([dim.size for dim in node.attr["shape"].shape.dim], dtype=np.int64))
        told = program.variables.get(node.name)
        if told is None or told.trainable is None:
            operation = made.typed.flat.operations.get(node.name)
            statistic = operation is not None and made.drawing.parameters.is_statistic(operation)
        else:
            statistic = not told.trainable
        trainable, frozen = trainable + size * (not statistic), frozen + size * statistic
    return trainable, frozen
