"""Objects that modules return: the tensors in them, each with its path of keys, fields and indices.

Whatever the class, its parts are what it holds: items of a dict or a sequence, else attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Step = str | int
"""A key, the name of a field, or an index."""

_PLAIN = (str, bytes, int, float, complex, type(None), type)


def register_returned(module: torch.nn.Module) -> None:
    """Let torch look into what a module will return, where it does not know the class of it."""
    module.register_forward_hook(lambda _module, _args, result: register(result))


def register(value: Any) -> None:
    """Let torch look into objects that hold tensors, and whose classes it does not know."""
    unknown = _unknown_classes(value)
    while unknown:
        for kind in unknown:
            _register_class(kind)
        unknown = _unknown_classes(value)


def _unknown_classes(value: Any) -> list[type[Any]]:
    """Classes that torch does not know, of the outermost objects that hold tensors."""
    from torch.utils import _pytree as pytree

    leaves = pytree.tree_leaves(value)
    return list(dict.fromkeys(type(leaf) for leaf in leaves if _holds_tensors(leaf, ())))


def _holds_tensors(value: Any, around: tuple[Any, ...]) -> bool:
    """Whether a tensor is a part of an object or of its parts; not of one that holds itself."""
    import torch

    if isinstance(value, (*_PLAIN, torch.Tensor, torch.nn.Module)):
        return False
    if any(value is outer for outer in around):
        return False
    return any(
        isinstance(part, torch.Tensor) or _holds_tensors(part, (*around, value))
        for _, part in _parts(value)
    )


def _register_class(kind: Any) -> None:
    from torch.utils import _pytree as pytree

    def flatten(value: Any) -> tuple[list[Any], Any]:
        parts = list(_parts(value))
        return [part for _, part in parts], tuple(step for step, _ in parts)

    def unflatten(parts: Any, steps: Any) -> Any:
        # Not by the constructor, which may compute something else from its arguments.
        if issubclass(kind, tuple):
            return tuple.__new__(kind, parts)
        value = kind.__new__(kind)
        for step, part in zip(steps, parts, strict=True):
            if isinstance(value, dict):
                value[step] = part
            elif isinstance(value, list):
                value.append(part)
            else:
                object.__setattr__(value, step, part)
        return value

    pytree.register_pytree_node(kind, flatten, unflatten)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """What an object holds, each with its key, field or index."""
    fields = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        yield from zip(fields, value, strict=True)
    elif isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, tuple | list):
        yield from enumerate(value)
    else:
        slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
        yield from ((name, getattr(value, name)) for name in slots if hasattr(value, name))
        yield from getattr(value, "__dict__", {}).items()


def _slots(kind: type[Any]) -> Sequence[str]:
    """Names of the slots of a class written in Python."""
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def paths(value: Any) -> list[tuple[tuple[Step, ...], Any]]:
    """The leaves of nested containers in torch's order, each with its path."""
    return list(_paths(value, ()))


def _paths(value: Any, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    from torch.utils import _pytree as pytree

    children, spec = pytree.tree_flatten(value, is_leaf=lambda inner: inner is not value)
    if spec.is_leaf():
        yield path, value
        return
    for step, child in zip(_steps(value, children), children, strict=True):
        yield from _paths(child, (*path, step))


def _steps(value: Any, children: list[Any]) -> Iterator[Step]:
    """The step to each of the children that torch sees in a container, by its parts.

    A class that is registered with torch may leave parts out, and tells no names.
    """
    parts = list(_parts(value))
    for index, child in enumerate(children):
        place = next((i for i, (_, part) in enumerate(parts) if part is child), None)
        step = index if place is None else parts.pop(place)[0]
        yield step if isinstance(step, str | int) else index


def returned_paths(spec: Any) -> list[tuple[Step, ...]]:
    """The path of each leaf that a traced program returns, by its tree specification."""
    from torch.utils import _pytree as pytree

    returned = pytree.tree_unflatten([_Leaf() for _ in range(spec.num_leaves)], spec)
    return [path for path, _ in paths(returned)]


class _Leaf:
    """Stands for a leaf: no two are the same."""

    __slots__ = ()
