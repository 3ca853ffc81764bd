"""A TorchScript archive as plain modules: each runs its own graph, so that it can be traced.

The modules have the paths, parameters and settings of those that were scripted, and are told by
the same classes; none of their Python code is needed.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.loaders.pytorch import instructions
from modeldocs.loaders.pytorch.construction import LINE

if TYPE_CHECKING:
    import torch

_MANGLED = re.compile(r"\.___torch_mangle_\d+")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)|^(\S[^\n(]*\.py)\((\d+)\): ', re.M)
_NOBODYS = re.compile(r"packages[/\\]torch[/\\]|[/\\]torch[/\\](nn|jit)[/\\]|^code[/\\]")
"""Files of torch itself, and of the archive."""


def read(path: Path) -> torch.nn.Module:
    """The module that an archive holds, in evaluation mode.

    Raises:
        Exception: whatever torch raises of an archive that it cannot read.
    """
    import torch

    unit = torch._C.CompilationUnit()
    held = torch._C.import_ir_module(unit, str(path), torch.device("cpu"), {}, False)
    script = torch.jit._recursive.wrap_cpp_module(held)
    module: torch.nn.Module = _mirrored(script.eval(), unit, {}).eval()
    return module


Homes = dict[int, tuple[Any, str]]
"""By place in memory of a parameter: the first module that has it, and its name there."""


def _mirrored(script: Any, unit: Any, homes: Homes) -> Any:
    """A module like the scripted one, with all below it."""
    made = _class(script)()
    for name, tensor in script._parameters.items():
        made.register_parameter(name, _parameter(tensor, homes, (made, name)))
    for name, tensor in script._buffers.items():
        made.register_buffer(name, tensor)
    for name, child in script.named_children():
        made.add_module(name, _mirrored(child, unit, homes))
    made.__dict__ |= {"_script": script, "_unit": unit, "_homes": homes}
    return made


def _parameter(tensor: torch.Tensor | None, homes: Homes, home: tuple[Any, str]) -> Any:
    """The parameter of a tensor; one for all tensors that lie at the same place."""
    import torch

    if tensor is None:
        return None
    module, name = homes.setdefault(tensor.data_ptr() or id(tensor), home)
    if module is not home[0] or name != home[1]:
        return module._parameters[name]
    return torch.nn.Parameter(tensor.detach(), tensor.requires_grad)


def _known(value: Any, homes: Homes) -> Any:
    """An attribute's value, with the parameters themselves in place of tensors that are theirs.

    They are looked up where they stand: tracing puts others in their place.
    """
    import torch

    if isinstance(value, list):
        return [_known(item, homes) for item in value]
    if not isinstance(value, torch.Tensor) or value.data_ptr() not in homes:
        return value
    module, name = homes[value.data_ptr()]
    return getattr(module, name)


def _class(script: Any) -> Any:
    """A class named as the scripted one, so that what is told of it is told of that."""
    plain = _MANGLED.sub("", script._c._type().qualified_name()).removeprefix("__torch__.")
    module, _, name = plain.rpartition(".")
    original = getattr(sys.modules.get(module), name, None)
    held = {
        "__module__": module,
        "__constants__": tuple(getattr(original, "__constants__", ())),
        "forward": _forward(script),
    }
    return type(name, (_mirror(),), held)


def _forward(script: Any) -> Any:
    """A method whose arguments go by the names that they had."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    if script._c._has_method("forward"):
        for told in script._c._get_method("forward").schema.arguments[1:]:
            default = told.default_value if told.has_default_value() else inspect.Parameter.empty
            parameters.append(inspect.Parameter(told.name, kind, default=default))

    def forward(self: Any, *args: Any, _method: str = "forward", **kwargs: Any) -> Any:
        return self.method(_method, args, kwargs)

    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return forward


@functools.cache
def _mirror() -> Any:
    import torch

    class Mirror(torch.nn.Module):  # type: ignore[misc]
        """A module that runs the methods of a scripted one."""

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith(("__", LINE)) or "_script" not in self.__dict__:
                    raise
                return _known(getattr(self._script, name), self._homes)

        def method(self, name: str, args: Any, kwargs: Any = None) -> Any:
            """What a scripted method returns for these arguments."""
            method = self._script._c._get_method(name)
            given = _bound(method, args, kwargs or {})
            return instructions.run(method.graph, [self, *given], self._unit, self._seen)

        def _seen(self, node: Any, callee: Any) -> None:
            """Tell the module that a node belongs to which line of the source it comes from."""
            owner = callee if isinstance(callee, Mirror) else self
            if LINE not in owner.__dict__ and (line := _line(node)):
                object.__setattr__(owner, LINE, line)

    return Mirror


def _bound(method: Any, args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the method's schema, defaults for those not given."""
    wanted = method.schema.arguments[1:]
    given = list(args)
    for argument in wanted[len(given) :]:
        given.append(kwargs.get(argument.name, argument.default_value))
    return given


def _line(node: Any) -> tuple[str, int] | None:
    """File and line of the innermost frame that is not torch's own, as far as they can be read."""
    try:
        frames = _FRAME.findall(node.sourceRange())
    except (RuntimeError, ValueError):
        return None
    for file, line, traced_file, traced_line in frames:
        found = file or traced_file
        if not _NOBODYS.search(found):
            return found, int(line or traced_line)
    return None
