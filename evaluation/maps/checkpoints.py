"""A port in its own framework, with its own checkpoint: arrays by the names of its weights.

This runs in the framework's interpreter. No graph of modeldocs is used: names, shapes and numbers
are those of the framework.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.samples import seeded

Arrays = dict[str, np.ndarray]


class Checkpoint(Protocol):
    """A network with its weights."""

    def weights(self) -> Arrays:
        """What a checkpoint holds, by its keys."""
        ...

    def learned(self) -> set[str]:
        """The keys whose values training decides: weights and running statistics."""
        ...

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Load a whole checkpoint, strictly."""
        ...

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The outputs for the inputs in order, at inference."""
        ...


class Torch:
    """A module with its `state_dict`."""

    def __init__(self, request: LoadRequest) -> None:
        from modeldocs.loaders.pytorch import module

        built = module.build_module(request)
        self.module, self.inputs = built.module, built.inputs

    def weights(self) -> Arrays:
        """The `state_dict`."""
        return {name: one.detach().numpy().copy() for name, one in self.module.state_dict().items()}

    def learned(self) -> set[str]:
        """Parameters that are trained, and statistics of norms."""
        trained = {
            name
            for name, one in self.module.named_parameters(remove_duplicate=False)
            if one.requires_grad
        }
        return {
            name
            for name in self.module.state_dict()
            if name in trained or name.endswith(("running_mean", "running_var"))
        }

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """`load_state_dict(strict=True)`."""
        import torch

        state = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        self.module.load_state_dict(state, strict=True)

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The tensors among what `forward` returns."""
        import torch
        from torch.utils import _pytree as pytree

        tensors = {
            name: torch.from_numpy(np.array(array)).to(self._dtype(name))
            for name, array in zip(self.inputs.shapes, inputs, strict=True)
        }
        with torch.no_grad():
            if len(tensors) == 1:
                returned = self.module(*tensors.values())
            else:
                returned = self.module(**tensors)
        leaves = pytree.tree_leaves(returned)
        return [leaf.numpy() for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def _dtype(self, name: str) -> Any:
        import torch

        return getattr(torch, self.inputs.dtypes.get(name, "float32"))


class Keras:
    """A model with its variables by path."""

    def __init__(self, request: LoadRequest) -> None:
        from modeldocs.loaders.keras import inputs, source

        read = source.read(request)
        self.model = read.model
        self.feed = inputs.feed(read, request)
        inputs.build(self.model, self.feed)

    def weights(self) -> Arrays:
        """Every variable, by path."""
        return {variable.path: np.array(variable.numpy()) for variable in self.model.variables}

    def learned(self) -> set[str]:
        """Trainable variables and statistics of norms."""
        names = {variable.path for variable in self.model.trainable_variables}
        return names | {
            variable.path
            for variable in self.model.non_trainable_variables
            if variable.name in ("moving_mean", "moving_variance")
        }

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Assign each variable; every one must be there."""
        variables = {variable.path: variable for variable in self.model.variables}
        assert set(variables) == set(arrays)
        for path, variable in variables.items():
            if tuple(variable.shape) != arrays[path].shape:
                raise ValueError(f"{path}: {arrays[path].shape} for {tuple(variable.shape)}")
            variable.assign(arrays[path])

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The tensors that the model returns, at inference."""
        import keras

        values = dict(zip([name for name, _, _ in self.feed.graph_inputs], inputs, strict=True))
        by_tensor = {id(tensor): values[name] for name, tensor, _ in self.feed.graph_inputs}
        args, kwargs = keras.tree.map_structure(
            lambda tensor: keras.ops.convert_to_tensor(by_tensor[id(tensor)], tensor.dtype),
            (self.feed.args, self.feed.kwargs),
        )
        returned = self.model(*args, **kwargs, training=False)
        return [np.array(leaf) for leaf in keras.tree.flatten(returned)]


class Chainer:
    """A link with its parameters and persistent values by path."""

    def __init__(self, request: LoadRequest) -> None:
        from modeldocs.loaders.chainer.run import run

        self.request = request
        self.given: Arrays = {}
        self.link = run(request).link

    def weights(self) -> Arrays:
        """Parameters and persistent arrays."""
        return {name: np.array(array) for name, array in self._arrays().items()}

    def _arrays(self) -> Arrays:
        from modeldocs.loaders.chainer import weights

        arrays = {path.strip("/"): one.array for path, one in self.link.namedparams()}
        kept = dict(weights.persistents(self.link))
        arrays |= {name: one for name, one in kept.items() if isinstance(one, np.ndarray)}
        return {name: array for name, array in arrays.items() if array is not None and array.ndim}

    def learned(self) -> set[str]:
        """All of them."""
        return set(self._arrays())

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep a whole checkpoint for the run, which builds the link anew."""
        own = self._arrays()
        assert set(own) == set(arrays)
        assert all(own[name].shape == array.shape for name, array in arrays.items())
        self.given = dict(arrays)

    def _fill(self, link: Any) -> None:
        self.link = link
        for name, array in self._arrays().items():
            array[...] = self.given[name]

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """What the link returns in test mode."""
        from modeldocs.loaders.chainer import assembly
        from modeldocs.loaders.chainer.run import run

        names = [str(value.name) for value in assembly.assemble(run(self.request)).graph.inputs]
        arrays = dict(zip(names, inputs, strict=True))
        found = run(self.request, arrays=arrays, prepare=self._fill, keep_values=True)
        return [np.array(one) for one in found.forward.values.values()]


class Mxnet:
    """A symbol or block with its arguments and auxiliary states by name."""

    def __init__(self, request: LoadRequest) -> None:
        from modeldocs.loaders.mxnet import source
        from modeldocs.loaders.mxnet.assembly import assemble

        is_file = source.is_json(request)
        self.port = source.load_json(request) if is_file else source.build(request)
        self.symbol = self.port.symbol
        model = assemble(self.port.read(), self.port.with_own_inputs(request)).model
        self.inputs = {str(one.name): tuple(one.shape) for one in model.graph.inputs}
        arguments, _, auxiliary = self.symbol.infer_shape(**self._known())
        names = zip(self.symbol.list_arguments(), arguments, strict=True)
        shapes = {name: shape for name, shape in names if name not in self.inputs}
        self.auxiliary = dict(zip(self.symbol.list_auxiliary_states(), auxiliary, strict=True))
        self.arrays = {
            name: np.zeros(shape, np.float32)
            for name, shape in (shapes | self.auxiliary).items()
            if not name.endswith("label")
        }

    def _known(self) -> dict[str, tuple[int, ...]]:
        read = self.symbol.list_inputs()
        return {name: shape for name, shape in self.inputs.items() if name in read}

    def weights(self) -> Arrays:
        """Arguments and auxiliary states; labels and inputs are none."""
        return dict(self.arrays)

    def learned(self) -> set[str]:
        """All of them."""
        return set(self.arrays)

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep the arrays that the executor is bound to."""
        assert set(arrays) == set(self.arrays)
        assert all(self.arrays[name].shape == array.shape for name, array in arrays.items())
        self.arrays = dict(arrays)

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The symbol's outputs in inference mode."""
        import mxnet as mx

        arrays = self.arrays | dict(zip(self.inputs, inputs, strict=True))
        arguments, _, _ = self.symbol.infer_shape(**self._known())
        named = zip(self.symbol.list_arguments(), arguments, strict=True)
        executor = self.symbol.bind(
            mx.cpu(),
            {
                name: mx.nd.array(arrays.get(name, np.zeros(shape)), dtype="float32")
                for name, shape in named
            },
            aux_states={name: mx.nd.array(arrays[name]) for name in self.auxiliary},
            grad_req="null",
        )
        return [output.asnumpy() for output in executor.forward(is_train=False)]


KINDS = {"pytorch": Torch, "keras": Keras, "chainer": Chainer, "mxnet": Mxnet}


@contextlib.contextmanager
def opened(framework: str, request: LoadRequest) -> Iterator[Checkpoint]:
    """The port, built in its framework."""
    with contextlib.ExitStack() as stack:
        if framework == "keras":
            from modeldocs.loaders.keras import program

            stack.enter_context(program.session(request, values=True))
        yield KINDS[framework](request)


def randomised(checkpoint: Checkpoint, seed: str) -> Arrays:
    """The checkpoint with other values in what is learned: no bias is 0, and no scale 1."""
    learned = checkpoint.learned()
    return {
        name: _drawn(f"{seed} {name}", name, array) if name in learned else array
        for name, array in checkpoint.weights().items()
    }


def _drawn(seed: str, name: str, array: np.ndarray) -> np.ndarray:
    """Random values of a weight of a name: variances above 0, scales around 1."""
    random, shape = seeded(seed), array.shape
    if array.dtype.kind != "f":
        return array
    last = name.replace("/", ".").rpartition(".")[2].lower()
    if "var" in last:
        values = random.uniform(0.5, 1.5, shape)
    elif len(shape) < 2 and any(word in last for word in ("weight", "gamma", "scale")):
        values = random.uniform(0.6, 1.4, shape)
    elif len(shape) < 2:
        values = 0.1 * random.standard_normal(shape)
    else:
        fan_in = max(array.size // max(shape[0], shape[-1]), 1)
        values = 1.3 * random.standard_normal(shape) / np.sqrt(fan_in)
    return np.asarray(values, array.dtype)
