"""TensorFlow's own numbers for a source, with designed values in its variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference
from modeldocs.loaders.tensorflow import session, source
from modeldocs.loaders.tensorflow.assembly import AssembledGraphDef, assemble
from modeldocs.loaders.tensorflow.graphdef import constants
from modeldocs.loaders.tensorflow.program import HANDLES, GraphDefProgram, GraphNode
from modeldocs.normal import values


@dataclass(frozen=True)
class _Feeds:
    """Inputs by placeholder, and values of variables and of frozen weights by node."""

    inputs: Arrays
    variables: Arrays
    constants: Arrays


def prove(request: LoadRequest, designs: Designs) -> Iterator[Proven]:
    """A source's graph, and what TensorFlow computes with designed values in its variables.

    The source's own graph is run, with its function calls, unless nodes of training were removed
    from it; the outputs of single layers come from the inlined graph.

    Raises:
        ModeldocsError: the source cannot be loaded, or TensorFlow cannot run it.
    """
    program = source.read(request)
    assembled = assemble(program, request)
    for value in assembled.model.graph.inputs:
        if values.shape(value) is None:
            raise program.error(
                f"the sizes of the input {value.name!r} are not all known",
                fix=f"give them with --input {value.name}=…, or as `inputs` in model.yml",
            )
    for designed in designs(assembled.model):
        own = _with_fixed_constants(program, assembled, designed)
        yield Proven(assembled.model, _reference(program, assembled, own))


def _reference(
    program: GraphDefProgram, assembled: AssembledGraphDef, designed: Designed
) -> Reference:
    import tensorflow as tf

    feeds = _feeds(program, assembled, designed)
    try:
        outputs = _outputs(program, assembled, feeds)
        activations = _activations(assembled, feeds) if designed.by_layer else {}
    except ModeldocsError:
        raise
    except Exception as error:
        raise program.error(
            f"TensorFlow cannot run it: {session.reason(error)}",
            fix="name outputs that it can run",
        ) from None
    trainable, frozen = program.counts or _counts(program, assembled)
    names = [str(value.name) for value in assembled.model.graph.outputs]
    return Reference(
        software=f"tensorflow {tf.__version__}",
        inputs=designed.inputs,
        outputs=dict(zip(names, outputs, strict=True)),
        activations=activations,
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters,
    )


def _with_fixed_constants(
    program: GraphDefProgram, assembled: AssembledGraphDef, designed: Designed
) -> Designed:
    """The designed values, but the source's own for constants in functions, which stay as saved."""
    own: Arrays = {}
    replaceable = _replaceable_constants(program)
    for name, value in assembled.graph.parameters.values.items():
        is_constant = not _is_variable(assembled, name)
        if is_constant and name not in replaceable and value.const_value is not None:
            own[str(value.name)] = value.const_value.numpy()
    return replace(designed, parameters=designed.parameters | own)


def _replaceable_constants(program: GraphDefProgram) -> set[str]:
    """Names of the constants of a graph that is run as it is: the weights of a frozen one."""
    if program.call is not None:
        return set()
    return {node.name for node in program.graph.node if node.op == "Const"}


def _is_variable(assembled: AssembledGraphDef, name: str) -> bool:
    return assembled.graph.typed.flat.nodes[name].kind in HANDLES


def _feeds(program: GraphDefProgram, assembled: AssembledGraphDef, designed: Designed) -> _Feeds:
    variables: Arrays = {}
    frozen: Arrays = {}
    replaceable = _replaceable_constants(program)
    for name, value in assembled.graph.parameters.values.items():
        is_variable = _is_variable(assembled, name)
        if value.dtype is None or not (is_variable or name in replaceable):
            continue
        shape = values.shape(value) or ()
        array = designed.parameter(str(value.name), shape).astype(value.dtype.numpy())
        (variables if is_variable else frozen)[name] = array
    pairs = zip(assembled.feeds, assembled.model.graph.inputs, strict=True)
    inputs = {feed.node: designed.inputs[str(value.name)] for feed, value in pairs}
    return _Feeds(inputs, variables, frozen)


def _outputs(
    program: GraphDefProgram, assembled: AssembledGraphDef, feeds: _Feeds
) -> list[np.ndarray[Any, Any]]:
    if program.call is not None and not assembled.changed:
        inputs = {feed.name: feeds.inputs[feed.node] for feed in assembled.feeds}
        return [np.asarray(array) for array in program.call(feeds.variables, inputs)]
    graph, refs = program.graph, [fetch.ref for fetch in program.fetches]
    if assembled.changed:
        graph, refs = assembled.graph.typed.graph_def, assembled.graph.typed.flat.outputs
    feeds = replace(feeds, inputs=feeds.inputs | _training_flags(graph))
    return _run(graph, feeds, [f"{name}:{index}" for name, index in refs])


def _training_flags(graph: Any) -> Arrays:
    """False for each placeholder that switches training on."""
    nodes = [GraphNode(node.name, node.op, [], node) for node in graph.node]
    return {node.name: np.array(False) for node in nodes if constants.is_training_flag(node)}


def _activations(assembled: AssembledGraphDef, feeds: _Feeds) -> Arrays:
    """The outputs of each node of the inlined graph, by name of the value that it became."""
    nodes, typed = set(assembled.model.graph), assembled.graph.typed
    refs = {
        value.name: ref
        for ref, value in assembled.graph.values.items()
        if value.name and value.producer() in nodes and typed.shape(ref) is not None
    }
    try:
        fetches = [f"{name}:{index}" for name, index in refs.values()]
        arrays = _run(typed.graph_def, feeds, fetches) if fetches else []
    except Exception:
        return {}  # a loop of TensorFlow 1 runs as a whole or not at all
    return dict(zip(refs, arrays, strict=True))


def _run(graph_def: Any, feeds: _Feeds, fetches: list[str]) -> list[np.ndarray[Any, Any]]:
    graph_def = session.runnable(graph_def, feeds.constants)
    return session.run(graph_def, feeds.variables, feeds.inputs, fetches)


def _counts(
    program: GraphDefProgram, assembled: AssembledGraphDef
) -> tuple[int | None, int | None]:
    """Values in trained and in other variables of those that TensorFlow's own pruning keeps.

    Where the source does not say, all but running statistics are trained. A frozen graph has no
    variables: None.
    """
    import tensorflow as tf

    if not any(node.op in HANDLES for node in program.graph.node):
        return None, None
    names = [fetch.ref[0] for fetch in program.fetches]
    pruned = tf.compat.v1.graph_util.extract_sub_graph(program.graph, names)
    trainable = frozen = 0
    for node in pruned.node:
        if node.op not in HANDLES:
            continue
        size = int(np.prod([dim.size for dim in node.attr["shape"].shape.dim], dtype=np.int64))
        variable = program.variables.get(node.name)
        if variable is None or variable.trainable is None:
            source_node = assembled.graph.typed.flat.nodes.get(node.name)
            parameters = assembled.graph.parameters
            is_frozen = source_node is not None and parameters.is_statistic(source_node)
        else:
            is_frozen = not variable.trainable
        trainable, frozen = trainable + size * (not is_frozen), frozen + size * is_frozen
    return trainable, frozen
