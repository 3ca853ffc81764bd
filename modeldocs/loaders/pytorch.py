"""PyTorch ports: `torch.export` of the module, then torch's own ONNX exporter, unoptimised.

What the exporter would lose is kept: dropout and adaptive pooling stay operators of their own,
`padding="same"` stays a strategy, and each node tells the module it came from, that module's
settings, and the line that made it.
"""

from __future__ import annotations

import ast
import logging
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import onnx_ir as ir

from modeldocs import origin
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Module, Origin
from modeldocs.loaders import LoadRequest, callables

if TYPE_CHECKING:
    import torch

_BASES = ("Module", "Sequential", "ModuleList")
_SCOPES = "pkg.torch.onnx.name_scopes"
_CLASSES = "pkg.torch.onnx.class_hierarchy"
_FX = "pkg.torch.onnx.fx_node"
_STACK = "pkg.torch.onnx.stack_trace"


class PyTorchLoader:
    """Loader of `.py` files and importable callables that make a `torch.nn.Module`."""

    framework = "pytorch"
    title = "PyTorch"
    distribution: str | None = "torch"
    extra: str | None = "pytorch"

    def recognises(self, path: Path) -> bool:
        """Whether it is a Python file named after the framework, or one that imports torch."""
        if path.suffix != ".py":
            return False
        return path.stem in ("pytorch", "torch") or callables.imports(path, "torch")

    def load(self, request: LoadRequest) -> ir.Model:
        """Build the module, export it, and return it as ONNX without its weights.

        Raises:
            ModeldocsError: the port raises, returns no module, or cannot be exported.
        """
        module, inputs = build_module(request)
        exported = _export(request, module, inputs)
        model = _to_onnx(request, exported)
        _name_graph(model, request)
        _describe(model, request, module)
        _mark_parameters(model, module)
        return model


def build_module(
    request: LoadRequest,
) -> tuple[torch.nn.Module, dict[str, tuple[int, ...]]]:
    """The port's module in evaluation mode, and its input shapes by name.

    Shapes come from the request, else from the file's own constant `INPUTS`, a dict of shape by
    name of the argument (`""` for the first).

    Raises:
        ModeldocsError: the port raises, returns something else, or no shape is given.
    """
    import torch

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    torch.manual_seed(0)
    with _ConstructionLines(callables.OwnFiles(request)):
        source = callables.import_source(request)
        target = callables.resolve(request, source, _BASES)
        made = target if isinstance(target, torch.nn.Module) else callables.call(request, target)
    if not isinstance(made, torch.nn.Module):
        raise ModeldocsError(
            f"the entry point returned {type(made).__name__}, not a torch.nn.Module",
            file=request.relative(request.path) if request.path else request.module,
            mend="let it return the module, or name the right callable as `entry:` in model.yml",
        )
    inputs = dict(request.inputs) or _declared_inputs(request, getattr(source, "INPUTS", {}))
    if not inputs:
        raise ModeldocsError(
            "no input shape is given",
            file=request.relative(request.path) if request.path else request.module,
            mend="write `inputs:` in model.yml, `INPUTS = {'x': (1, 3, 224, 224)}` in the file, "
            "or pass --input x=1,3,224,224",
        )
    return made.eval(), inputs


def sample_inputs(
    inputs: dict[str, tuple[int, ...]], dtypes: dict[str, str]
) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]:
    """Positional and keyword tensors of the given shapes: normal floats, zeros for integers."""
    import torch

    made: dict[str, torch.Tensor] = {}
    for name, shape in inputs.items():
        dtype = getattr(torch, dtypes.get(name, "float32"), None)
        if not isinstance(dtype, torch.dtype):
            raise ModeldocsError(f"input {name!r} has an unknown dtype {dtypes[name]!r}")
        if any(size < 0 for size in shape):
            raise ModeldocsError(f"input {name!r} cannot have the shape {shape}")
        floating = dtype.is_floating_point
        made[name] = (
            torch.randn(shape, dtype=dtype) if floating else torch.zeros(shape, dtype=dtype)
        )
    if len(made) == 1:
        return tuple(made.values()), {}
    return (), made


def _declared_inputs(request: LoadRequest, declared: Any) -> dict[str, tuple[int, ...]]:
    try:
        return msgspec.convert(declared, dict[str, tuple[int, ...]])
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"its INPUTS is no shape by name of the argument: {error}",
            file=request.relative(request.path) if request.path else request.module,
            mend="write it as `INPUTS = {'x': (1, 3, 224, 224)}`",
        ) from None


class _ConstructionLines:
    """Records on each module the line of the port that constructed it, while it is built."""

    def __init__(self, own: callables.OwnFiles) -> None:
        self.own = own

    def __enter__(self) -> None:
        import sys

        import torch

        self.original = torch.nn.Module.__init__
        own, original = self.own, self.original

        def init(module: torch.nn.Module, *args: Any, **kwargs: Any) -> None:
            original(module, *args, **kwargs)
            frame = sys._getframe(1)
            while frame is not None and (
                frame.f_code.co_filename not in own or frame.f_locals.get("self") is module
            ):
                frame = frame.f_back  # type: ignore[assignment]
            if frame is not None:
                line = (frame.f_code.co_filename, frame.f_lineno)
                object.__setattr__(module, "_modeldocs_line", line)

        torch.nn.Module.__init__ = init

    def __exit__(self, *_: object) -> None:
        import torch

        torch.nn.Module.__init__ = self.original


def _export(
    request: LoadRequest, module: torch.nn.Module, inputs: dict[str, tuple[int, ...]]
) -> torch.export.ExportedProgram:
    import torch

    args, kwargs = sample_inputs(inputs, request.dtypes)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.export(module, args, kwargs, strict=False)
    except BaseException as error:
        raise callables.failure(request, error, "tracing it with torch.export") from None
    _keep_whole(exported)
    return exported


def _keep_whole(exported: torch.export.ExportedProgram) -> None:
    """Put operators of ours where the exporter would leave no trace of what was there."""
    import torch

    own = _own_operators()
    aten = torch.ops.aten
    dropouts = (aten.dropout, aten.feature_dropout, aten.alpha_dropout, aten.feature_alpha_dropout)
    pools = (aten.adaptive_avg_pool1d, aten.adaptive_avg_pool2d, aten.adaptive_avg_pool3d)
    for node in exported.graph.nodes:
        if getattr(node.target, "overloadpacket", None) in dropouts:
            node.target, node.args = own["dropout"], (node.args[0], float(node.args[1]))
        elif getattr(node.target, "overloadpacket", None) in pools and _is_global(node):
            node.target, node.args = own["global_average_pool"], (node.args[0],)
    exported.graph_module.recompile()


def _is_global(pool: torch.fx.Node) -> bool:
    """Whether a pool of a batch leaves one element of each channel."""
    source, size = pool.args[0].meta["val"], pool.args[1]
    return len(size) == source.ndim - 2 and all(int(extent) == 1 for extent in size)


def _own_operators() -> dict[str, Any]:
    import torch

    if not hasattr(torch.ops.modeldocs, "dropout"):
        torch.library.define("modeldocs::dropout", "(Tensor x, float p) -> Tensor")
        torch.library.define("modeldocs::global_average_pool", "(Tensor x) -> Tensor")
        torch.library.impl("modeldocs::dropout", "CompositeExplicitAutograd")(
            lambda x, _p: x.clone()
        )
        torch.library.impl("modeldocs::global_average_pool", "CompositeExplicitAutograd")(
            lambda x: x.mean(tuple(range(2, x.ndim)), keepdim=True)
        )
    return {
        "dropout": torch.ops.modeldocs.dropout.default,
        "global_average_pool": torch.ops.modeldocs.global_average_pool.default,
    }


def _translations() -> dict[Any, Any]:
    """ONNX for our own operators, and for those that the exporter would spell otherwise.

    A convolution without bias stays one, and `padding="same"` stays a strategy.
    """
    import torch

    own = _own_operators()
    table: dict[Any, Any] = {
        own["dropout"]: _dropout,
        own["global_average_pool"]: _global_average_pool,
    }
    for packet in (torch.ops.aten.conv1d, torch.ops.aten.conv2d, torch.ops.aten.conv3d):
        table[packet.default] = table[packet.padding] = _convolution
    return table


def _dropout(x: Any, p: float) -> Any:
    from onnxscript import opset20 as op

    made: Any = op
    kept, _ = made.Dropout(x, made.Constant(value_float=p))
    return kept


def _global_average_pool(x: Any) -> Any:
    from onnxscript import opset20 as op

    return op.GlobalAveragePool(x)


def _convolution(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = (1,),
    padding: Any = (0,),
    dilation: Any = (1,),
    groups: int = 1,
) -> Any:
    from onnxscript import opset20

    op: Any = opset20
    rank = len(weight.shape) - 2

    def spread(values: Any) -> list[int]:
        return list(values) * (rank if len(values) == 1 else 1)

    pads: dict[str, Any] = (
        {"auto_pad": "SAME_UPPER" if padding == "same" else "VALID"}
        if isinstance(padding, str)
        else {"pads": spread(padding) * 2}
    )
    batched = len(x.shape) == rank + 2
    batch = x if batched else op.Unsqueeze(x, op.Constant(value_ints=[0]))
    operands = (batch, weight) if bias is None else (batch, weight, bias)
    made = op.Conv(
        *operands, strides=spread(stride), dilations=spread(dilation), group=groups, **pads
    )
    return made if batched else op.Squeeze(made, op.Constant(value_ints=[0]))


def _to_onnx(request: LoadRequest, exported: torch.export.ExportedProgram) -> ir.Model:
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                exported,
                dynamo=True,
                optimize=False,
                verbose=False,
                custom_translation_table=_translations(),
            )
    except BaseException as error:
        raise callables.failure(request, error, "exporting it to ONNX") from None
    if program is None:
        raise ModeldocsError("torch.onnx.export returned nothing", file=request.path)
    model: ir.Model = program.model
    return model


def _name_graph(model: ir.Model, request: LoadRequest) -> None:
    model.graph.name = request.name
    model.graph.doc_string = None
    model.graph.metadata_props.clear()
    model.metadata_props.clear()


def _describe(model: ir.Model, request: LoadRequest, module: torch.nn.Module) -> None:
    modules = dict(module.named_modules())
    for node in model.graph:
        provenance = _provenance(node, request, modules)
        node.metadata_props.clear()
        if provenance is not None:
            origin.attach(node, provenance)


def _provenance(
    node: ir.Node, request: LoadRequest, modules: dict[str, torch.nn.Module]
) -> origin.Provenance | None:
    props = node.metadata_props
    if _SCOPES not in props or _CLASSES not in props:
        return None
    scopes: list[str] = ast.literal_eval(props[_SCOPES])
    classes: list[str] = ast.literal_eval(props[_CLASSES])
    path, call = (scopes[-2] if len(scopes) > 1 else ""), scopes[-1]
    leaf = modules.get(path)
    steps = tuple(
        Module(path=step, kind=_short(kind))
        for step, kind in zip(scopes[:-1], classes[:-1], strict=False)
        if step
    )
    if leaf is not None and type(leaf).__module__.startswith("torch.nn.modules"):
        source = _module_origin(leaf, path, request, props.get(_STACK, ""))
        padding = getattr(leaf, "padding", None)
        if getattr(leaf, "ceil_mode", False):
            padding = "ceil"
        return origin.Provenance(
            origins=(source,),
            modules=steps,
            name=path or call,
            padding=padding if isinstance(padding, str) else None,
        )
    name = f"{path}.{call}" if path else call
    file, line = _own_frame(props.get(_STACK, ""), request)
    source = Origin(
        operator=classes[-1],
        name=name,
        file=file,
        line=line,
        attributes={"call": props.get(_FX, "").split("call_function", 1)[-1]},
    )
    return origin.Provenance(origins=(source,), modules=steps, name=name)


def _short(kind: str) -> str:
    name = kind.rsplit(".", 1)[-1]
    return f"nn.{name}" if kind.startswith("torch.nn.") else name


def _module_origin(leaf: torch.nn.Module, path: str, request: LoadRequest, stack: str) -> Origin:
    settings = {
        key: origin.plain(getattr(leaf, key))
        for key in getattr(type(leaf), "__constants__", ())
        if hasattr(leaf, key)
    }
    for key in ("eps", "momentum", "p"):
        if hasattr(leaf, key):
            settings[key] = origin.plain(getattr(leaf, key))
    settings["training"] = False
    made = getattr(leaf, "_modeldocs_line", None)
    file, line = (request.relative(made[0]), made[1]) if made else _own_frame(stack, request)
    return Origin(
        operator=f"torch.nn.{type(leaf).__name__}",
        name=path,
        attributes=settings,
        file=file,
        line=line,
    )


def _own_frame(stack: str, request: LoadRequest) -> tuple[str | None, int | None]:
    """Innermost frame of a stack trace that lies in the port's own files."""
    own = callables.OwnFiles(request)
    found: tuple[str | None, int | None] = (None, None)
    for line in stack.splitlines():
        parts = line.strip().split('"')
        if len(parts) == 3 and parts[0] == "File " and parts[1] in own:
            number = parts[2].split(",")[1].split()[-1]
            found = request.relative(parts[1]), int(number)
    return found


def _mark_parameters(model: ir.Model, module: torch.nn.Module) -> None:
    """Tell parameters and running statistics from constants such as masks and positions."""
    trainable = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    buffers = {name for name, _ in module.named_buffers(remove_duplicate=False)}
    for name, value in model.graph.initializers.items():
        if name in trainable:
            origin.mark_parameter(value, trainable=True)
        elif name in buffers and name.endswith(("running_mean", "running_var")):
            origin.mark_parameter(value, trainable=False)
