"""Branches that the data decide, followed as the example inputs take them.

`if not padding_mask.any():` is such a branch. `torch.export.draft_export` traces a module on
tensors that have values, and says where they decided. What it traced is the network for inputs
that decide in the same way, and a note says so. It is refused where other inputs call other
modules (the experts of a router), have results of other sizes (the boxes of a detector), or where
floats decide: there one way is not the network. An `assert` decides nothing: where it fails,
nothing is computed.
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modeldocs.loaders.pytorch import inputs
from modeldocs.loaders.pytorch.inputs import Tensors
from modeldocs.loaders.pytorch.partial.calls import Key, record

if TYPE_CHECKING:
    import torch

NOTE: Final = "the data decide {places}; traced as integer inputs of 0 decide"
_LOGGERS: Final = ("torch.export._draft_export", "torch.fx.experimental.symbolic_shapes")
_DECISION: Final = "_assert_scalar"
_CHECKS: Final = (_DECISION, "_assert_tensor_metadata", "sym_constrain_range_for_size")


@dataclass(frozen=True)
class Followed:
    """A traced program, and the note that says what the data decided, empty if nothing."""

    exported: torch.export.ExportedProgram
    note: str


def follow(traced: torch.nn.Module, tensors: Tensors) -> Followed | None:
    """The module traced on tensors with values; None where that isn't the network for others."""
    import torch

    if not _calls_the_same(traced, tensors):
        return None
    args, kwargs = inputs.arguments(tensors)
    try:
        with _silent():
            exported = torch.export.draft_export(traced, args, kwargs, strict=False)
    except Exception:  # it fails for other reasons, which `torch.export.export` has told
        return None
    lines = _lines(exported)
    if not lines or _has_open_sizes(exported):
        return None
    places = [f"`{one.text}` ({one.place})" for one in lines if not one.is_assertion]
    if places and _reads_floats(exported):
        return None
    _remove_decisions(exported)
    return Followed(exported, NOTE.format(places=", ".join(places)) if places else "")


def _calls_the_same(traced: torch.nn.Module, tensors: Tensors) -> bool:
    """Whether the module calls the same modules for other inputs."""
    import torch

    called: set[frozenset[Key]] = set()
    for others in (tensors, _filled(tensors, 1), _filled(tensors, 0)):
        args, kwargs = inputs.arguments(others)
        with torch.no_grad():
            call, error = record(traced, args, kwargs)
        if error is not None:
            return False
        called.add(frozenset(one.key for one in call.all()))
    return len(called) == 1


def _filled(tensors: Tensors, value: int) -> Tensors:
    """Tensors of the same kinds that hold one number."""
    import torch

    return {name: torch.full_like(one, value) for name, one in tensors.items()}


@dataclass(frozen=True)
class _SourceLine:
    """A line of the source where the data decided, and its place: `file.py, line 7`."""

    text: str
    place: str

    @property
    def is_assertion(self) -> bool:
        return self.text.startswith("assert ")


def _lines(exported: Any) -> list[_SourceLine]:
    """The lines where the data decided.

    There are none where torch also reports something else, which makes the trace unsound.
    """
    from torch._logging.structured import INTERN_TABLE

    files = {number: name for name, number in INTERN_TABLE.items()}
    found: dict[_SourceLine, None] = {}
    for failure in exported._report.failures:
        if failure.failure_type.name != "DATA_DEPENDENT_ERROR" or not failure.data["user_stack"]:
            return []
        frame = failure.data["user_stack"][-1]
        place = f"{Path(files[frame['filename']]).name}, line {frame['line']}"
        found[_SourceLine(frame["loc"].strip(), place)] = None
    return list(found)


def _has_open_sizes(exported: torch.export.ExportedProgram) -> bool:
    """Whether the data decide the size of a tensor."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    values = [node.meta.get("val") for node in exported.graph.nodes]
    shapes = [one.shape for one in values if hasattr(one, "shape")]
    return any(free_unbacked_symbols(shape) for shape in shapes)


def _reads_floats(exported: torch.export.ExportedProgram) -> bool:
    """Whether floats are among what a decision is computed of."""
    waiting = [node for node in exported.graph.nodes if _operator(node) == _DECISION]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        value = node.meta.get("val")
        if hasattr(value, "is_floating_point") and value.is_floating_point():
            return True
        waiting += [one for one in node.all_input_nodes if one not in seen]
        seen.update(node.all_input_nodes)
    return False


def _remove_decisions(exported: torch.export.ExportedProgram) -> None:
    """Remove the checks that the data decide as they did, and what only they read."""
    graph = exported.graph
    for node in list(graph.nodes):
        if _operator(node) in _CHECKS:
            graph.erase_node(node)
    graph.eliminate_dead_code(lambda node: node.op in ("placeholder", "output"))
    exported.graph_module.recompile()


def _operator(node: torch.fx.Node) -> str:
    return getattr(getattr(node.target, "overloadpacket", None), "__name__", "")


@contextlib.contextmanager
def _silent() -> Any:
    """Without what torch says of a trace whose report is read here."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)
