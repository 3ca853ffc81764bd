"""Gradients of a DistributedDataParallel module: their buckets, and when each is computed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from modeldocs.benchmarks.runners.pytorch.benchmarked_model import PyTorchSubject
from modeldocs.benchmarks.runners.pytorch.clocks import Clock


@dataclass(frozen=True)
class Bucketing:
    """Buckets in the order in which they are reduced: bytes, and indices of their parameters."""

    parameters: list[torch.nn.Parameter]
    sizes: tuple[int, ...]
    indices: tuple[tuple[int, ...], ...]

    def reduce(self) -> None:
        """Average the gradients over all workers, one bucket after another."""
        for indices in self.indices:
            gradients = [self.parameters[index].grad for index in indices]
            present = [gradient for gradient in gradients if gradient is not None]
            flat = torch.cat([gradient.reshape(-1) for gradient in present])
            flat.div_(dist.get_world_size())
            dist.all_reduce(flat)
            parts = flat.split([gradient.numel() for gradient in present])
            for gradient, part in zip(present, parts, strict=True):
                gradient.copy_(part.view_as(gradient))


def bucketing(ddp: DistributedDataParallel, parameters: list[torch.nn.Parameter]) -> Bucketing:
    """The buckets as rebuilt after the first step; `parameters` are those that are trained."""
    report = ddp._get_ddp_logging_data()
    text = str(report.get("rebuilt_per_bucket_param_indices") or "")
    indices = tuple(tuple(map(int, one.split())) for one in text.split(",") if one.strip())
    indices = indices or (tuple(reversed(range(len(parameters)))),)
    sizes = tuple(
        sum(parameters[i].numel() * parameters[i].element_size() for i in bucket)
        for bucket in indices
    )
    return Bucketing(parameters, sizes, indices)


def ready_us(
    subject: PyTorchSubject, parameters: Sequence[torch.nn.Parameter], clock: Clock, steps: int
) -> list[float]:
    """Median microseconds from the start of a step until each parameter's gradient is computed."""
    marks: dict[int, Any] = {}

    def mark(parameter: torch.Tensor) -> None:
        marks[id(parameter)] = clock.mark()

    hooks = [one.register_post_accumulate_grad_hook(mark) for one in parameters]
    found: list[list[float]] = [[] for _ in parameters]
    for _ in range(steps):
        dist.barrier()
        start = clock.mark()
        subject.step()
        subject.wait()
        for parameter, times in zip(parameters, found, strict=True):
            times.append(clock.between(start, marks[id(parameter)]))
    for hook in hooks:
        hook.remove()
    return [round(statistics.median(times), 2) for times in found]
