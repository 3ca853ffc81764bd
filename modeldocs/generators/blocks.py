"""From scopes to blocks: scopes of one form become one class, with arguments for what differs."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modeldocs.generators import identifier, syntax
from modeldocs.generators.arguments import arguments_of
from modeldocs.generators.factories import OFTEN, label
from modeldocs.generators.literals import Literal, literals_of
from modeldocs.generators.operation import LoweredOperation, Part
from modeldocs.generators.program import ProgramBlock
from modeldocs.generators.scope import Scope, reads_of, with_prefix
from modeldocs.generators.sequences import Sequences, is_numbered

FEW = 3
"""Members of a chain, up to which a class is named after them."""


@dataclass
class Instance:
    """A scope of which all members are operations, with its tensors and parts in order of use."""

    scope: Scope
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operations: tuple[LoweredOperation, ...]
    parts: dict[str, Part] = field(default_factory=dict)

    def form(self) -> str:
        """Its operations and parts without names and literals: equal for scopes of one class."""
        tensors = {name: f"x{i}" for i, name in enumerate(self.inputs)}
        for operation in self.operations:
            for name in operation.results:
                tensors[name] = f"y{len(tensors)}"
        parts = {key: f"p{i}" for i, key in enumerate(self.parts)}

        def skeleton(one: ast.expr) -> str:
            named = syntax.substitute(
                one,
                lambda name: ast.Name(id=tensors[name]),
                lambda key: ast.Name(id=parts[key]),
            )
            return ast.dump(syntax.replace(named, _hole))

        lines = [skeleton(one.expression) for one in self.operations]
        lines += [skeleton(part.constructor) for part in self.parts.values()]
        lines += [tensors[name] for name in self.outputs]
        return "\n".join(lines)


def _hole(node: ast.AST) -> ast.expr | None:
    return ast.Name(id="?") if syntax.constant_of(node) is not None else None


def literals(instance: Instance) -> list[Literal]:
    """The literals of an instance: of its parts, then of its operations."""
    found: list[Literal] = []
    for part in instance.parts.values():
        found += literals_of(part.constructor, part.key)
    for operation in instance.operations:
        found += literals_of(operation.expression, "")
    return found


class BlockMaker:
    """Makes blocks of the scopes of a network, inner ones first."""

    def __init__(self, sequences: Sequences, variables: Mapping[str, str]) -> None:
        self.sequences = sequences
        self.variables = variables
        self.made: list[ProgramBlock] = []

    def add_network(
        self, root: Scope, name: str, inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        """Add the blocks of a network; the last is the network itself."""
        while True:
            read = _readers(root, outputs)
            lowest = [scope for scope in _scopes(root) if _is_flat(scope)]
            if not lowest:
                break
            self._replace(root, lowest, read)
        whole = Instance(root, tuple(inputs), tuple(outputs), *self._flat(root))
        self.made.append(self._block(name, [whole])[0])

    def _flat(self, scope: Scope) -> tuple[tuple[LoweredOperation, ...], dict[str, Part]]:
        """The operations of a scope, its sequences joined, and its parts."""
        operations = self.sequences.joined(
            [o for o in scope.members if isinstance(o, LoweredOperation)]
        )
        parts: dict[str, Part] = {}
        for operation in operations:
            for part in operation.parts:
                parts.setdefault(part.key, part)  # named as where it is used first
        return tuple(operations), parts

    def _replace(self, root: Scope, scopes: list[Scope], read: dict[str, set[int]]) -> None:
        """Make one operation of each scope: a sequence, or an instance of a block."""
        forms: dict[str, list[Instance]] = defaultdict(list)
        for scope in scopes:
            members = [one for one in scope.members if isinstance(one, LoweredOperation)]
            sequence = self.sequences.of(scope.name, members, reads_of(scope))
            if sequence is not None:
                _put(root, scope, [sequence])
                continue
            instance = self._instance(scope, read)
            forms[instance.form()].append(instance)
        for instances in forms.values():
            if self._dissolves(instances):
                for one in instances:
                    prefixed = [with_prefix(own, one.scope.name) for own in one.operations]
                    _put(root, one.scope, prefixed if one.scope.chosen else list(one.operations))
                continue
            self._add(root, instances)

    def _dissolves(self, instances: list[Instance]) -> bool:
        """Whether scopes of one form get no class: one that merely groups what the fold found, or
        members that the source numbers and the target calls one after the other.
        """
        if not any(one.scope.chosen for one in instances):
            return len(instances) < 2
        operations, inputs = instances[0].operations, instances[0].inputs
        are_blocks = all(":" in part.key for part in instances[0].parts.values())
        is_rare = len(instances) < OFTEN or are_blocks
        return is_rare and is_numbered(operations, inputs)

    def _instance(self, scope: Scope, read: dict[str, set[int]]) -> Instance:
        operations, parts = self._flat(scope)
        inputs = tuple(reads_of(scope))
        inside = {id(one) for one in scope.members}
        outputs = tuple(
            name
            for one in operations
            for name in one.results
            if not read.get(name, set()) <= inside
        )
        return Instance(scope, inputs, outputs, operations, parts)

    def _add(self, root: Scope, instances: list[Instance]) -> None:
        """A block of these instances, each of which becomes an operation."""
        titles = [one.scope.title for one in instances if one.scope.title]
        title = max(sorted(set(titles)), key=titles.count) if titles else ""
        if is_numbered(instances[0].operations, instances[0].inputs):
            labels = [label(part.constructor) for part in instances[0].parts.values()]
            own = {one.scope.name for one in instances}
            joined = "".join(labels) if len(labels) <= FEW else title
            title = own.pop() if len(own) == 1 and len(instances) > 1 else joined
        name = identifier.unique(
            identifier.class_name(title, "Block"), [block.name for block in self.made]
        )
        prefixes, _ = _own_names(instances)
        block, values = self._block(name, instances)
        self.made.append(block)
        for instance, settings, prefix in zip(instances, values, prefixes, strict=True):
            constructor = syntax.call(name, **settings)
            weights = {
                ".".join(filter(None, (member, attribute))): weight
                for member, part in zip(block.members, instance.parts.values(), strict=True)
                for attribute, weight in part.weights.items()
            }
            key = "+".join(one.source for one in weights.values()) or instance.outputs[0]
            part = Part(f"{name}:{key}", constructor, prefix or instance.scope.name, weights)
            read = [syntax.value(one) for one in instance.inputs]
            operation = LoweredOperation(
                instance.operations[-1].layer,
                instance.outputs,
                syntax.call(syntax.part(part.key), *read),
                (part,),
            )
            _put(root, instance.scope, [operation])

    def _block(
        self, name: str, instances: list[Instance]
    ) -> tuple[ProgramBlock, list[dict[str, object]]]:
        """A block, and the values of its arguments in each instance."""
        columns = list(zip(*(literals(one) for one in instances), strict=True))
        names = member_names(instances)
        first = instances[0]
        labels = {key: names[index] for index, key in enumerate(first.parts)}
        is_chain = not any(_joins(one) for one in first.operations)
        arguments = arguments_of(columns, labels, len(instances), is_chain=is_chain)
        holes = iter(arguments.expressions)

        def filled(one: ast.expr) -> ast.expr:
            return _fill(copy.deepcopy(one), holes)

        members = {
            labels[key]: Part(part.key, filled(part.constructor), part.name, part.weights)
            for key, part in first.parts.items()
        }
        operations = tuple(
            dataclasses.replace(one, expression=filled(one.expression)) for one in first.operations
        )
        block = ProgramBlock(
            name,
            arguments.arguments,
            members,
            first.inputs,
            operations,
            first.outputs,
            self.variables,
        )
        return block, arguments.values


def _joins(operation: LoweredOperation) -> bool:
    """Whether an operation joins several tensors, as concatenations do."""
    return any(isinstance(node, ast.List) for node in ast.walk(operation.expression))


def _fill(node: ast.expr, holes: Iterator[ast.expr | None]) -> ast.expr:
    """An expression with each literal replaced by the next of `holes`, where that is not None."""

    def walk(one: ast.AST) -> ast.AST:
        if syntax.constant_of(one) is not None:
            new = next(holes)
            return one if new is None else copy.deepcopy(new)
        for name, value in ast.iter_fields(one):
            if isinstance(value, list):
                setattr(one, name, [walk(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(one, name, walk(value))
        return one

    return walk(node)  # type: ignore[return-value]


def member_names(instances: Sequence[Instance]) -> list[str]:
    """Names for the parts of a block: what the source calls them in all instances."""
    names: list[str] = []
    _, own = _own_names(instances)
    for part, column in zip(instances[0].parts.values(), zip(*own, strict=True), strict=True):
        kind = short_name(part.constructor)
        common = identifier.common_name(column)
        names.append(identifier.unique(identifier.variable(common, kind), names))
    return names


def _own_names(instances: Sequence[Instance]) -> tuple[list[str], list[list[str]]]:
    """By instance: what the source calls it, and its parts in it. "" where its parts do not begin
    with a name of their own each, behind which they are called the same in all instances.
    """
    names = [
        [part.name.removeprefix(one.scope.path).strip("/._-:") or part.name for part in parts]
        for one, parts in ((one, one.parts.values()) for one in instances)
    ]
    split = [identifier.without_prefix(own) for own in names]
    prefixes, rests = [prefix for prefix, _ in split], [rest for _, rest in split]
    if len(set(prefixes)) == len(instances) > 1 and all(rest == rests[0] for rest in rests):
        return prefixes, rests
    return [""] * len(instances), names


_SHORT = {
    "BatchNorm": "bn",
    "BatchNormWithoutScale": "bn",
    "BatchNormalization": "bn",
    "LayerNorm": "norm",
    "LayerNormalization": "norm",
}


def short_name(constructor: ast.expr) -> str:
    """A short name for what a constructor makes: `conv` of `nn.Conv2d(…)`."""
    function = constructor.func if isinstance(constructor, ast.Call) else constructor
    last = syntax.text(function).rpartition(".")[2].rstrip("123dD")
    return _SHORT.get(last, last.lower())


def _scopes(scope: Scope) -> Iterable[Scope]:
    for member in scope.members:
        if isinstance(member, Scope):
            yield from _scopes(member)
            yield member


def _is_flat(scope: Scope) -> bool:
    return not any(isinstance(member, Scope) for member in scope.members)


def _readers(root: Scope, outputs: Sequence[str]) -> dict[str, set[int]]:
    """By tensor: the ids of the operations that read it; 0 for an output of the network."""
    readers: dict[str, set[int]] = defaultdict(set)
    for operation in root.operations():
        for name in syntax.values_of(operation.expression):
            readers[name].add(id(operation))
    for name in outputs:
        readers[name].add(0)
    return readers


def _put(root: Scope, scope: Scope, members: list[LoweredOperation]) -> None:
    """Put operations in the place of a scope."""
    around = next(one for one in (root, *_scopes(root)) if any(m is scope for m in one.members))
    index = next(i for i, one in enumerate(around.members) if one is scope)
    around.members[index : index + 1] = members
