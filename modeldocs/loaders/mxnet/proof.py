"""What MXNet itself computes of a symbol or a block, with designed parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission.inference import has_known_shape
from modeldocs.loaders.mxnet import probes, weights
from modeldocs.loaders.mxnet.assembly import AssembledSymbol, assemble
from modeldocs.loaders.mxnet.gluon import leaves
from modeldocs.loaders.mxnet.program import Entry, Symbol
from modeldocs.loaders.mxnet.source import MxnetPort, first_line
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference


def prove(port: MxnetPort, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
    """The graph, and what MXNet computes with designed parameters and inputs.

    Raises:
        ModeldocsError: MXNet cannot run it.
    """
    symbol = port.read()
    assembled = assemble(symbol, port.with_own_inputs(request))
    _check_inputs(assembled, request)
    ones = weights.fixed_values(assembled.uses, assembled.model.graph.initializers)
    for designed in designs(assembled.model):
        yield Proven(
            assembled.model, _reference(port, request, (symbol, assembled), designed, ones)
        )


def _reference(
    port: MxnetPort,
    request: LoadRequest,
    read: tuple[Symbol, AssembledSymbol],
    designed: Designed,
    ones: Arrays,
) -> Reference:
    import mxnet as mx

    symbol, assembled = read
    initializers = assembled.model.graph.initializers
    parameters = weights.mxnet_values(assembled.uses, initializers, designed)
    run = _MxnetRun(port, symbol, assembled, designed.inputs, parameters)
    try:
        outputs = run.outputs()
        activations = run.activations(assembled.values) if designed.by_layer else {}
        trainable, frozen = run.counts()
    except mx.MXNetError as error:
        raise ModeldocsError(
            f"MXNet cannot run it: {first_line(error)}",
            file=request.source,
            fix="run it in MXNet on its own, and correct it",
        ) from None
    return Reference(
        software=f"mxnet {mx.__version__}",
        inputs=designed.inputs,
        outputs=outputs,
        activations=activations,
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters | ones,
    )


def _check_inputs(assembled: AssembledSymbol, request: LoadRequest) -> None:
    """Check that all inputs have a known shape: MXNet runs on arrays."""
    inputs = assembled.model.graph.inputs
    unknown = [str(value.name) for value in inputs if not has_known_shape(value)]
    if unknown:
        raise ModeldocsError(
            f"the shape of the input {unknown[0]!r} is in the data, not in the symbol, and MXNet "
            "runs on inputs of known shapes",
            file=request.source,
            fix="give `inputs` in model.yml, or "
            + " ".join(f"--input {name}=…" for name in unknown[:5])
            + " with the shape you have",
        )


def _array(values: np.ndarray, dtype: Any = None) -> Any:
    """An array of MXNet, of its numpy module where the port has turned that on."""
    import mxnet as mx

    array = mx.np.array if mx.util.is_np_array() else mx.nd.array
    return array(values, dtype=values.dtype if dtype is None else dtype)


class _MxnetRun:
    """A port in MXNet, with values for its inputs and parameters."""

    def __init__(
        self,
        port: MxnetPort,
        symbol: Symbol,
        assembled: AssembledSymbol,
        inputs: Arrays,
        parameters: Arrays,
    ) -> None:
        self.port, self.symbol, self.assembled = port, symbol, assembled
        self.parameters = parameters
        self.inputs = {name: _array(array) for name, array in inputs.items()}

    def outputs(self) -> Arrays:
        """The values to compare: outputs that ONNX can compute, and inner values."""
        arrays = (
            self._run_symbol(self.port.symbol) if self.port.block is None else self._run_block()
        )
        names = [str(value.name) for value in self.assembled.model.graph.outputs]
        inner = self.activations(probes.inner_entries(self.assembled, self.symbol))
        foreign = probes.foreign(self.assembled)
        heads = dict(zip(names, arrays, strict=True))
        return {name: array for name, array in heads.items() if name not in foreign} | inner

    def _run_symbol(self, symbol: Any) -> list[np.ndarray]:
        """A symbol's outputs in inference mode; labels are 0, as nothing depends on them."""
        import mxnet as mx

        read = symbol.list_inputs()
        arguments, _, auxiliary = symbol.infer_shape(
            **{name: array.shape for name, array in self.inputs.items() if name in read}
        )
        executor = symbol.bind(
            mx.cpu(),
            self._bindings(symbol.list_arguments(), arguments),
            aux_states=self._bindings(symbol.list_auxiliary_states(), auxiliary),
            grad_req="null",
        )
        return [output.asnumpy() for output in executor.forward(is_train=False)]

    def _bindings(self, names: list[str], shapes: Any) -> dict[str, Any]:
        bindings = {}
        for name, shape in zip(names, shapes, strict=True):
            array = self.inputs.get(name)
            if array is None:
                values = self.parameters.get(name)
                array = _array(np.zeros(shape) if values is None else values, np.float32)
            bindings[name] = array
        return bindings

    def _run_block(self) -> list[np.ndarray]:
        """A block's outputs, run imperatively, operator by operator."""
        block = self.port.block
        block.initialize()
        for name, parameter in block.collect_params().items():
            if name in self.parameters:
                parameter.set_data(_array(self.parameters[name], np.float32))
        outputs = leaves(block(*self.inputs.values()))
        return [output.asnumpy() for output in outputs if output is not None]

    def activations(self, entries: Iterable[Entry]) -> Arrays:
        """The outputs of operators, by name of the graph's value."""
        import mxnet as mx

        internals = self.port.symbol.get_internals()
        listed = internals.list_outputs()
        names: dict[str, str] = {}
        for index, output in entries:
            node = self.symbol.nodes[index]
            for name in (f"{node.name}_output", f"{node.name}_output{output}"):
                if not node.is_variable and listed.count(name) == 1:
                    names[str(self.assembled.values[index, output].name)] = name
        if not names:
            return {}
        outputs = self._run_symbol(mx.sym.Group([internals[name] for name in names.values()]))
        return dict(zip(names, outputs, strict=True))

    def counts(self) -> tuple[int, int]:
        """Numbers of values that training changes, and of those that it does not."""
        if self.port.block is not None:
            sizes = [
                (parameter.grad_req != "null", math.prod(parameter.shape))
                for parameter in self.port.block.collect_params().values()
            ]
        else:
            sizes = self._symbol_counts()
        return sum(n for trained, n in sizes if trained), sum(
            n for trained, n in sizes if not trained
        )

    def _symbol_counts(self) -> list[tuple[bool, int]]:
        """Whether each parameter is trained, and its size; a fixed gamma's gradient is 0."""
        symbol = self.port.symbol
        shapes = {name: array.shape for name, array in self.inputs.items()}
        arguments, _, auxiliary = symbol.infer_shape(**shapes)
        others = {*self.inputs, *self.assembled.labels}
        fixed = {name for name, use in self.assembled.uses.items() if use.fixed}
        named = zip(symbol.list_arguments(), arguments, strict=True)
        sizes = [
            (name not in fixed, math.prod(shape)) for name, shape in named if name not in others
        ]
        return [*sizes, *((False, math.prod(shape)) for shape in auxiliary)]
