"""What Keras 2 accepted and Keras 3 refuses."""

from __future__ import annotations

import functools
import inspect
from typing import Any


def allow(keras: Any) -> None:
    """Accept it in this process from now on."""
    from keras.src.backend.common.name_scope import name_scope

    for named_class in (keras.Operation, keras.Variable, name_scope):
        _names_with_slashes(named_class)
    _weights_named_first(keras.layers.Layer)
    _shapes_of_layers(keras.layers.Layer, keras.tree)
    _shapes_of_tensors(keras.KerasTensor)
    _products_with_numbers(keras.KerasTensor)


def _names_with_slashes(named_class: Any) -> None:
    """`Conv2D(8, 3, name="stem/conv")`."""
    original = named_class.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def init(named: Any, *args: Any, **kwargs: Any) -> None:
        if not any(
            isinstance(argument, str) and "/" in argument for argument in (*args, *kwargs.values())
        ):
            original(named, *args, **kwargs)
            return
        bound = signature.bind(named, *args, **kwargs)
        name = bound.arguments.get("name") or ""
        bound.arguments["name"] = name.replace("/", "_") or None
        original(*bound.args, **bound.kwargs)
        if "/" in name:
            named.name = name

    named_class.__init__ = init


def _weights_named_first(layer_class: Any) -> None:
    """`self.add_weight("kernel", shape=…)`."""
    original = layer_class.add_weight

    @functools.wraps(original)
    def add_weight(layer: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], str):
            kwargs["name"], args = args[0], args[1:]
        return original(layer, *args, **kwargs)

    layer_class.add_weight = add_weight


def _shapes_of_layers(layer_class: Any, tree: Any) -> None:
    """`model.layers[-1].output_shape`, of a layer that is called once."""
    for end in ("input", "output"):
        if not hasattr(layer_class, f"{end}_shape"):
            getter = functools.partial(_shape_of, tree, end)
            setattr(layer_class, f"{end}_shape", property(getter))


def _shape_of(tree: Any, end: str, layer: Any) -> Any:
    return tree.map_structure(lambda tensor: tensor.shape, getattr(layer, end))


def _shapes_of_tensors(tensor_class: Any) -> None:
    """`x.get_shape()`, `x.shape.as_list()`, `x.shape.ndims`."""
    import tensorflow as tf

    def get_shape(tensor: Any) -> Any:
        return tf.TensorShape(tensor.shape)

    tensor_class.get_shape = get_shape
    tensor_class.shape = property(lambda tensor: _Sizes(tensor._shape))


class _Sizes(tuple[int | None, ...]):
    """A shape with the methods of TensorFlow's own."""

    __slots__ = ()

    def as_list(self) -> list[int | None]:
        return list(self)

    @property
    def ndims(self) -> int:
        return len(self)

    rank = ndims


def _products_with_numbers(tensor_class: Any) -> None:
    """`x * 0.5` is as dense as x; Keras 3 marks it sparse, and TensorFlow refuses that."""
    from keras.src.ops.numpy import Multiply

    original = Multiply.compute_output_spec

    def compute_output_spec(operation: Any, x1: Any, x2: Any) -> Any:
        result = original(operation, x1, x2)
        is_dense = not any(getattr(x, "sparse", False) for x in (x1, x2))
        return tensor_class(result.shape, result.dtype) if result.sparse and is_dense else result

    Multiply.compute_output_spec = compute_output_spec
