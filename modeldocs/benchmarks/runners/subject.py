"""The PyTorch module that is measured: building it, and running one step of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from modeldocs.benchmarks.request import BenchRequest
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Inputs, port_errors
from modeldocs.loaders.pytorch.inputs import arguments
from modeldocs.loaders.pytorch.inputs import tensors as synthetic
from modeldocs.loaders.pytorch.module import build_module

LEARNING_RATE = 1e-6
"""Small enough that random weights stay finite over any number of steps."""


class Subject:
    """A module and synthetic inputs on their device.

    `shapes` are the inputs' shapes by name, including the batch.
    """

    def __init__(self, request: BenchRequest) -> None:
        self.request = request
        self.device = _device(request.device)
        self.training = request.task == "training"
        if request.threads is not None:
            torch.set_num_threads(request.threads)
        built = build_module(request.load)
        self.params = sum(p.numel() for p in built.module.parameters() if p.requires_grad)
        self.dtypes = built.inputs.dtypes
        self.shapes = {n: batched(shape, request.batch) for n, shape in built.inputs.shapes.items()}
        try:
            self._place(built.module)
        except Exception as error:
            raise failure(request, error) from None

    def _place(self, module: torch.nn.Module) -> None:
        dtype = getattr(torch, self.request.precision)
        self.module = module.to(self.device, dtype).train(self.training)
        args, kwargs = arguments(synthetic(Inputs(self.shapes, self.dtypes)))
        self.args = tuple(self._cast(value, dtype) for value in args)
        self.kwargs = {name: self._cast(value, dtype) for name, value in kwargs.items()}
        trained = [p for p in self.module.parameters() if p.requires_grad]
        if self.training and not trained:
            raise ModeldocsError("has no trainable parameters", fix="measure --task inference")
        self.optimizer = torch.optim.SGD(trained, lr=LEARNING_RATE) if self.training else None

    def _cast(self, value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        return value.to(self.device, dtype if value.is_floating_point() else value.dtype)

    def step(self) -> None:
        """Start one step of the task; a CUDA device may not have finished it on return.

        Raises:
            ModeldocsError: the module raised an exception, or memory ran out.
        """
        try:
            self._train() if self.training else self._infer()
        except Exception as error:
            raise failure(self.request, error) from None

    def _infer(self) -> None:
        with torch.inference_mode():
            self.module(*self.args, **self.kwargs)

    def _train(self) -> None:
        assert self.optimizer is not None
        self.optimizer.zero_grad(set_to_none=True)
        outputs = tensors(self.module(*self.args, **self.kwargs))
        losses = [out.float().square().mean() for out in outputs if out.requires_grad]
        torch.stack(losses).sum().backward()
        self.optimizer.step()

    def wait(self) -> None:
        """Wait until the device has finished all work."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)


def _device(name: str) -> torch.device:
    device = torch.device(name)
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise ModeldocsError(
                "PyTorch finds no CUDA device",
                fix="measure with --device cpu, or install a CUDA build of torch and its driver",
            )
        if (device.index or 0) >= torch.cuda.device_count():
            raise ModeldocsError(
                f"there is no device {name}", fix="use a lower number, counted from 0"
            )
        torch.cuda.set_device(device.index or 0)
    return device


def batched(shape: tuple[int, ...], batch: int) -> tuple[int, ...]:
    """The shape with the batch as size of its first axis."""
    return (batch, *shape[1:]) if shape else shape


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor in a module's output, however it is nested."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from (tensor for item in value.values() for tensor in tensors(item))
    elif isinstance(value, list | tuple):
        yield from (tensor for item in value for tensor in tensors(item))


def failure(request: BenchRequest, error: Exception) -> ModeldocsError:
    """An exception of the module as a `ModeldocsError` with the line of the port's source."""
    if isinstance(error, ModeldocsError):
        return error
    located = port_errors.failure(request.load, error, f"running it at batch {request.batch}")
    if _out_of_memory(error):
        return ModeldocsError(
            f"ran out of memory at batch {request.batch} in {request.precision}",
            file=located.file,
            line=located.line,
            fix="measure a smaller --batch",
        )
    return ModeldocsError(
        located.reason,
        file=located.file,
        line=located.line,
        fix="run the model alone at this batch and precision, and correct it",
    )


def _out_of_memory(error: Exception) -> bool:
    message = str(error).lower()
    phrases = ("out of memory", "not enough memory", "can't allocate memory")
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(
        phrase in message for phrase in phrases
    )
