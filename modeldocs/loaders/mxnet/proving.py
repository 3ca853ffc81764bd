"""What MXNet itself computes of a symbol or a block, with designed parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet import observed
from modeldocs.loaders.mxnet.assembly import Assembled, assemble
from modeldocs.loaders.mxnet.building import Built, first_line, flat
from modeldocs.loaders.mxnet.observed import Entry
from modeldocs.loaders.mxnet.shapes import is_open
from modeldocs.loaders.mxnet.symbol import Symbol
from modeldocs.loaders.reference import Design, Designed, Proven, Reference, spare


def prove(built: Built, request: LoadRequest, design: Design) -> Proven:
    """The graph, and what MXNet gives for designed parameters and inputs.

    A gamma that runs as 1 gets other values in MXNet: they must not matter.

    Raises:
        ModeldocsError: MXNet cannot run it.
    """
    import mxnet as mx

    symbol = built.read()
    assembled = assemble(symbol, built.asked(request))
    _check_inputs(assembled, request)
    ones = _ones(assembled)
    designed = design(assembled.model)
    run = _Run(built, designed.inputs, _values(assembled, designed))
    try:
        outputs = run.outputs(assembled, symbol)
        held = run.activations(assembled, symbol)
        trainable, frozen = run.counts(assembled)
    except mx.MXNetError as error:
        raise ModeldocsError(
            f"MXNet cannot run it: {first_line(error)}",
            file=request.source,
            fix="run it in MXNet on its own, and correct it",
        ) from None
    reference = Reference(
        software=f"mxnet {mx.__version__}",
        inputs=designed.inputs,
        outputs=outputs,
        activations=held,
        trainable=trainable,
        frozen=frozen,
        parameters=designed.parameters | ones,
    )
    return Proven(assembled.model, reference)


def _check_inputs(assembled: Assembled, request: LoadRequest) -> None:
    """What is run is fed with arrays, which have a shape."""
    unsaid = [str(value.name) for value in assembled.model.graph.inputs if is_open(value)]
    if unsaid:
        raise ModeldocsError(
            f"the shape of the input {unsaid[0]!r} is in the data, not in the symbol, and MXNet "
            "runs on inputs of known shapes",
            file=request.source,
            fix="give `inputs` in model.yml, or "
            + " ".join(f"--input {name}=…" for name in unsaid[:5])
            + " with the shape you have",
        )


def _ones(assembled: Assembled) -> dict[str, np.ndarray]:
    """What the graph has in place of each gamma that runs as 1."""
    made = {}
    for name, use in assembled.uses.items():
        tensor = assembled.model.graph.initializers[name].const_value
        if use.fixed and tensor is not None:
            made[name] = tensor.numpy()
    return made


def _values(assembled: Assembled, designed: Designed) -> dict[str, np.ndarray]:
    """What MXNet gets of each parameter."""
    made = {}
    for name, use in assembled.uses.items():
        shape = sizes(shape_of(assembled.model.graph.initializers[name]))
        made[name] = spare(name, shape) if use.fixed else designed.parameter(name, shape)
    return made


def _array(values: np.ndarray, dtype: Any = None) -> Any:
    """An array of MXNet's, of its own numpy where the port has turned that on."""
    import mxnet as mx

    own = mx.np.array if mx.util.is_np_array() else mx.nd.array
    return own(values, dtype=values.dtype if dtype is None else dtype)


class _Run:
    """MXNet with parameters and inputs."""

    def __init__(
        self, built: Built, fed: dict[str, np.ndarray], values: dict[str, np.ndarray]
    ) -> None:
        self.built, self.values = built, values
        self.fed = {name: _array(array) for name, array in fed.items()}

    def outputs(self, assembled: Assembled, symbol: Symbol) -> dict[str, np.ndarray]:
        """What is compared: the outputs, and what they would hide."""
        whole = self.symbol(self.built.symbol) if self.built.block is None else self.block()
        heads = [str(value.name) for value in assembled.model.graph.outputs]
        made = dict(zip(heads, whole, strict=True))
        inner = self.activations(assembled, symbol, observed.behind(assembled, symbol))
        foreign = observed.foreign(assembled)
        return {n: array for n, array in made.items() if n not in foreign} | inner

    def symbol(self, symbol: Any) -> list[np.ndarray]:
        """A symbol's outputs in inference mode; a label is 0, which nothing then reads."""
        import mxnet as mx

        given = {n: a.shape for n, a in self.fed.items() if n in symbol.list_inputs()}
        arguments, _, auxiliary = symbol.infer_shape(**given)
        bound = symbol.bind(
            mx.cpu(),
            self._bound(symbol.list_arguments(), arguments),
            aux_states=self._bound(symbol.list_auxiliary_states(), auxiliary),
            grad_req="null",
        )
        return [made.asnumpy() for made in bound.forward(is_train=False)]

    def _bound(self, names: list[str], shapes: Any) -> dict[str, Any]:
        made = {}
        for name, shape in zip(names, shapes, strict=True):
            held = self.fed.get(name)
            if held is None:
                drawn = self.values.get(name)
                held = _array(np.zeros(shape, np.float32) if drawn is None else drawn, np.float32)
            made[name] = held
        return made

    def block(self) -> list[np.ndarray]:
        """A block's outputs, run as Python runs it, operator by operator."""
        block = self.built.block
        block.initialize()
        for name, parameter in block.collect_params().items():
            if name in self.values:
                parameter.set_data(_array(self.values[name], np.float32))
        made = flat(block(*self.fed.values()))
        return [one.asnumpy() for one in made if one is not None]

    def activations(
        self, assembled: Assembled, symbol: Symbol, wanted: Iterable[Entry] | None = None
    ) -> dict[str, np.ndarray]:
        """What operators give, all of them or those wanted, by name of the graph's value."""
        import mxnet as mx

        inside = self.built.symbol.get_internals()
        listed = inside.list_outputs()
        found: dict[str, str] = {}
        for index, output in assembled.values if wanted is None else wanted:
            node = symbol.nodes[index]
            for name in (f"{node.name}_output", f"{node.name}_output{output}"):
                if not node.is_variable and listed.count(name) == 1:
                    found[str(assembled.values[index, output].name)] = name
        if not found:
            return {}
        made = self.symbol(mx.sym.Group([inside[name] for name in found.values()]))
        return dict(zip(found, made, strict=True))

    def counts(self, assembled: Assembled) -> tuple[int, int]:
        """Numbers of values that training changes and of those that it does not."""
        if self.built.block is not None:
            parameters = self.built.block.collect_params().values()
            trained = [p.grad_req != "null" for p in parameters]
            counts = [math.prod(p.shape) for p in parameters]
        else:
            trained, counts = self._counts_of_symbol(assembled)
        kept = sum(count for count, learns in zip(counts, trained, strict=True) if learns)
        return kept, sum(counts) - kept

    def _counts_of_symbol(self, assembled: Assembled) -> tuple[list[bool], list[int]]:
        """MXNet's own shapes; a fixed gamma is an argument, but its gradient is 0."""
        symbol = self.built.symbol
        given = {n: a.shape for n, a in self.fed.items()}
        arguments, _, auxiliary = symbol.infer_shape(**given)
        fed = {*self.fed, *assembled.labels}
        fixed = {name for name, use in assembled.uses.items() if use.fixed}
        named = list(zip(symbol.list_arguments(), arguments, strict=True))
        held = [(name not in fixed, math.prod(shape)) for name, shape in named if name not in fed]
        held += [(False, math.prod(shape)) for shape in auxiliary]
        return [learns for learns, _ in held], [count for _, count in held]
