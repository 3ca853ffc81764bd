"""Modules of a TorchScript archive as plain modules, which torch can trace.

Each runs its graph in the interpreter. It has the path, parameters, settings and class name of the
scripted one, whose Python code is not needed.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeldocs.loaders.python_source.own_files import LINE
from modeldocs.loaders.pytorch.torchscript import interpreter

if TYPE_CHECKING:
    import torch

_MANGLED = re.compile(r"\.___torch_mangle_\d+")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)|^(\S[^\n(]*\.py)\((\d+)\): ', re.M)
_LIBRARY = re.compile(r"packages[/\\]torch[/\\]|[/\\]torch[/\\](nn|jit)[/\\]|^code[/\\]")
"""Files of torch itself, and of the archive."""


def read(path: Path) -> torch.nn.Module:
    """The module that an archive holds, in evaluation mode.

    Raises:
        Exception: whatever torch raises of an archive that it cannot read.
    """
    import torch

    unit = torch._C.CompilationUnit()
    cpp_module = torch._C.import_ir_module(unit, str(path), torch.device("cpu"), {}, False)
    script = torch.jit._recursive.wrap_cpp_module(cpp_module)
    module: torch.nn.Module = _mirror_module(script.eval(), unit, {}).eval()
    return module


def unscripted(module: torch.nn.Module) -> torch.nn.Module:
    """A module with plain modules in place of scripted ones, of which it may be one itself."""
    import torch

    if isinstance(module, torch.jit.ScriptModule):
        mirrored: torch.nn.Module = _mirror_module(module, torch.jit._state._python_cu, {})
        return mirrored.train(module.training)
    for name, child in module._modules.items():
        if child is not None:
            module._modules[name] = unscripted(child)
    return module


Owners = dict[int, tuple[Any, str]]
"""By address of a parameter's data: the first module that has it, and its name there."""


def _mirror_module(script: Any, unit: Any, owners: Owners) -> Any:
    """A plain module like the scripted one, with all below it."""
    module = _class(script)()
    for name, tensor in script._parameters.items():
        module.register_parameter(name, _parameter(tensor, owners, (module, name)))
    for name, tensor in script._buffers.items():
        module.register_buffer(name, tensor)
    for name, child in script.named_children():
        module.add_module(name, _mirror_module(child, unit, owners))
    module.__dict__ |= {"_script": script, "_unit": unit, "_owners": owners}
    return module


def _parameter(tensor: torch.Tensor | None, owners: Owners, owner: tuple[Any, str]) -> Any:
    """The parameter of a tensor; the same one for all tensors that share their data."""
    import torch

    if tensor is None:
        return None
    module, name = owners.setdefault(tensor.data_ptr() or id(tensor), owner)
    if module is not owner[0] or name != owner[1]:
        return module._parameters[name]
    return torch.nn.Parameter(tensor.detach(), tensor.requires_grad)


def _with_parameters(value: Any, owners: Owners) -> Any:
    """An attribute's value, with parameters in place of tensors that share their data.

    Parameters are looked up on their modules: tracing replaces them there.
    """
    import torch

    if isinstance(value, list):
        return [_with_parameters(item, owners) for item in value]
    if not isinstance(value, torch.Tensor) or value.data_ptr() not in owners:
        return value
    module, name = owners[value.data_ptr()]
    return getattr(module, name)


def _class(script: Any) -> Any:
    """A class of the scripted one's name, which the provenance of its nodes is read from."""
    qualified_name = _MANGLED.sub("", script._c._type().qualified_name()).removeprefix("__torch__.")
    module, _, name = qualified_name.rpartition(".")
    original = getattr(sys.modules.get(module), name, None)
    namespace = {
        "__module__": module,
        "__constants__": tuple(getattr(original, "__constants__", ())),
        "forward": _forward(script),
    }
    return type(name, (_mirror_class(),), namespace)


def _forward(script: Any) -> Any:
    """A `forward` with the signature of the scripted one."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    if script._c._has_method("forward"):
        for argument in script._c._get_method("forward").schema.arguments[1:]:
            default = inspect.Parameter.empty
            if argument.has_default_value():
                default = argument.default_value
            parameters.append(inspect.Parameter(argument.name, kind, default=default))

    def forward(self: Any, *args: Any, _method: str = "forward", **kwargs: Any) -> Any:
        return self.method(_method, args, kwargs)

    forward.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return forward


@functools.cache
def _mirror_class() -> Any:
    import torch

    class Mirror(torch.nn.Module):  # type: ignore[misc]
        """A module that runs the methods of a scripted one."""

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith(("__", LINE)) or "_script" not in self.__dict__:
                    raise
                return _with_parameters(getattr(self._script, name), self._owners)

        def method(self, name: str, args: Any, kwargs: Any = None) -> Any:
            """The result of a scripted method."""
            method = self._script._c._get_method(name)
            bound = _bind(method, args, kwargs or {})
            return interpreter.run(method.graph, [self, *bound], self._unit, self._record_line)

        def _record_line(self, node: Any, callee: Any) -> None:
            """Record a node's source line on the module called, or on this one, if it has none."""
            owner = callee if isinstance(callee, Mirror) else self
            if LINE not in owner.__dict__ and (line := _line(node)):
                object.__setattr__(owner, LINE, line)

    return Mirror


def _bind(method: Any, args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the method's schema, with defaults for absent ones."""
    remaining = method.schema.arguments[1 + len(args) :]
    return [*args, *(kwargs.get(one.name, one.default_value) for one in remaining)]


def _line(node: Any) -> tuple[str, int] | None:
    """File and line of the innermost frame outside of torch; None where there is none."""
    try:
        frames = _FRAME.findall(node.sourceRange())
    except (RuntimeError, ValueError):
        return None
    for file, line, traced_file, traced_line in frames:
        path = file or traced_file
        if not _LIBRARY.search(path):
            return path, int(line or traced_line)
    return None
