"""Scopes: the operations of a network nested as its source nests its modules, or as the fold does.

A scope becomes a class, a sequence, or a part of the scope around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from modeldocs.fold import Group, fold
from modeldocs.generators import syntax
from modeldocs.generators.operation import LoweredOperation
from modeldocs.ir import Layer, LayerGraph

_SEPARATORS = "/._-:"


@dataclass
class Scope:
    """Operations and inner scopes, in an order in which they can run.

    `name` is relative to the scope around it, `path` is from the network on; `title` is the class
    that the source or the fold has for it. `chosen` is whether the source has it: others are only
    kept where they repeat.
    """

    name: str
    title: str
    path: str = ""
    members: list[LoweredOperation | Scope] = field(default_factory=list)
    chosen: bool = True

    def operations(self) -> Iterable[LoweredOperation]:
        """All operations in it, at any depth."""
        for member in self.members:
            if isinstance(member, Scope):
                yield from member.operations()
            else:
                yield member


@dataclass(frozen=True)
class _Place:
    """One level of nesting of a layer."""

    key: str
    name: str
    title: str
    path: str
    chosen: bool


def nested(graph: LayerGraph, operations: Sequence[LoweredOperation]) -> Scope:
    """The operations of a network in their scopes.

    Steps of edges, which belong to no layer alone, stand before the first operation that reads
    them, in its scope.
    """
    layers = {layer.id: layer for layer in graph.layers}
    has_modules = any(len(layer.modules) > 1 for layer in graph.layers)
    names = {layer.id: layer.name for layer in graph.layers}
    places = _of_modules(graph.layers) if has_modules else _of_fold(fold(graph), names)
    own = [one for one in operations if one.layer in layers and _computes(one)]
    moves = [one for one in operations if not _computes(one)]
    sources = _sources(moves)
    root = Scope("", "")
    root.members = _nest(own, places, sources, 0)
    root.members = _arranged(root.members, sources)
    _insert(root, moves, sources)
    return root


def _sources(moves: Sequence[LoweredOperation]) -> dict[str, str]:
    """By the result of a step of an edge: the tensor that the edge starts from."""
    sources: dict[str, str] = {}
    for move in moves:
        (name,) = move.results
        read = next(iter(reads_of(move)), name)
        sources[name] = sources.get(read, read)
    return sources


def _computes(operation: LoweredOperation) -> bool:
    """Whether an operation is a layer, not a step of an edge."""
    return "~" not in operation.results[0]


def _of_modules(layers: Sequence[Layer]) -> dict[str, tuple[_Place, ...]]:
    places = {}
    for layer in layers:
        before, own = "", []
        for module in layer.modules:
            name = module.path.removeprefix(before).strip(_SEPARATORS)
            own.append(_Place(module.path, name, module.kind, module.path, chosen=True))
            before = module.path
        places[layer.id] = tuple(own)
    return places


def _of_fold(whole: Group, names: Mapping[str, str]) -> dict[str, tuple[_Place, ...]]:
    """The blocks of a fold, and the instances of its repeats."""
    places: dict[str, tuple[_Place, ...]] = {}

    def walk(group: Group, around: tuple[_Place, ...]) -> None:
        for member in group.members:
            if isinstance(member, str):
                places[member] = around
                continue
            is_scope = member.kind == "block" or (group.kind == "repeat" and member.kind != "fused")
            own: tuple[_Place, ...] = ()
            if is_scope:
                name = member.name or _most_common([names[one] for one in member.layers()])
                own = (_Place(member.id, name, member.title, member.name, chosen=False),)
            walk(member, (*around, *own))

    walk(whole, ())
    return places


def _most_common(names: Sequence[str]) -> str:
    """The word that most of these names begin with; "" where there is none."""
    first = Counter(name.partition("_")[0] for name in names)
    word, count = first.most_common(1)[0]
    return word if 2 * count > len(names) else ""


def _nest(
    operations: Sequence[LoweredOperation],
    places: Mapping[str, tuple[_Place, ...]],
    sources: Mapping[str, str],
    depth: int,
) -> list[LoweredOperation | Scope]:
    """Operations as members: those of a deeper place in a scope of that place."""
    members: list[LoweredOperation | Scope] = []
    scopes: dict[str, tuple[Scope, list[LoweredOperation]]] = {}
    for operation in operations:
        path = places[operation.layer]
        if len(path) <= depth:
            members.append(operation)
            continue
        place = path[depth]
        if place.key not in scopes:
            scope = Scope(place.name, place.title, place.path, chosen=place.chosen)
            scopes[place.key] = (scope, [])
            members.append(scope)
        scopes[place.key][1].append(operation)
    for scope, inner in scopes.values():
        scope.members = _arranged(_nest(inner, places, sources, depth + 1), sources)
    return [_collapsed(member) for member in members]


def _collapsed(member: LoweredOperation | Scope) -> LoweredOperation | Scope:
    """The only operation of a scope, with the scope's name for its part."""
    if not isinstance(member, Scope) or len(member.members) != 1:
        return member
    inner = member.members[0]
    if isinstance(inner, Scope):
        if member.chosen:
            return member
        inner.name = f"{member.name}.{inner.name}"
        return inner
    return renamed(inner, member.name)


def renamed(operation: LoweredOperation, name: str) -> LoweredOperation:
    """An operation whose only part has another name."""
    if len(operation.parts) != 1:
        return operation
    one = operation.parts[0]
    part = type(one)(one.key, one.constructor, name, one.weights)
    return LoweredOperation(
        operation.layer, operation.results, operation.expression, (part,), operation.alone
    )


def results_of(member: LoweredOperation | Scope) -> list[str]:
    """The tensors that a member computes."""
    if isinstance(member, LoweredOperation):
        return list(member.results)
    return [name for one in member.operations() for name in one.results]


def reads_of(member: LoweredOperation | Scope) -> list[str]:
    """The tensors that a member reads and does not compute itself, each once, in order."""
    if isinstance(member, LoweredOperation):
        return list(dict.fromkeys(syntax.values_of(member.expression)))
    own = set(results_of(member))
    read = [name for one in member.operations() for name in syntax.values_of(one.expression)]
    return [name for name in dict.fromkeys(read) if name not in own]


def _arranged(
    members: list[LoweredOperation | Scope], sources: Mapping[str, str]
) -> list[LoweredOperation | Scope]:
    """Members in an order in which they can run, as near to the given one as can be.

    A scope that would have to run before and after another member is dissolved.
    """
    while True:
        ordered = _ordered(members, sources)
        if len(ordered) == len(members):
            return ordered
        done = {id(one) for one in ordered}
        stuck = next(one for one in members if isinstance(one, Scope) and id(one) not in done)
        place = members.index(stuck)
        inner = [_prefixed(one, stuck.name) for one in stuck.members]
        members = [*members[:place], *inner, *members[place + 1 :]]


def _prefixed(member: LoweredOperation | Scope, name: str) -> LoweredOperation | Scope:
    if isinstance(member, Scope):
        member.name = f"{name}.{member.name}"
        return member
    return with_prefix(member, name)


def with_prefix(operation: LoweredOperation, name: str) -> LoweredOperation:
    """An operation whose only part has a name before its own."""
    if len(operation.parts) != 1:
        return operation
    return renamed(operation, f"{name}.{operation.parts[0].name}")


def _ordered(
    members: Sequence[LoweredOperation | Scope], sources: Mapping[str, str]
) -> list[LoweredOperation | Scope]:
    """The members that can run, each as early as it stands; those of a cycle are missing."""
    makers = {name: index for index, one in enumerate(members) for name in results_of(one)}
    # the steps of an edge are made where they are read: what they start from counts
    reads = [
        {makers[base] for name in reads_of(one) if (base := sources.get(name, name)) in makers}
        - {index}
        for index, one in enumerate(members)
    ]
    ordered: list[LoweredOperation | Scope] = []
    done: set[int] = set()
    while len(done) < len(members):
        ready = next((i for i, need in enumerate(reads) if i not in done and need <= done), None)
        if ready is None:
            break
        done.add(ready)
        ordered.append(members[ready])
    return ordered


def _insert(root: Scope, moves: Sequence[LoweredOperation], sources: Mapping[str, str]) -> None:
    """Put each step of an edge into the innermost scope that has its source and one of its readers,
    before the first of these: what is read outside, too, is a result of the scope.
    """
    for move in reversed(moves):  # one that reads another is there before it
        (name,) = move.results
        place = root
        while True:
            readers = [one for one in place.members if name in reads_of(one)]
            inner = next((one for one in readers if sources[name] in results_of(one)), None)
            if not isinstance(inner, Scope):
                break
            place = inner
        index = place.members.index(readers[0]) if readers else len(place.members)
        place.members.insert(index, move)
