"""CSV of timm's benchmark script: a row for each model and image size.

The script writes what ran where into the file's name alone:
`benchmark-infer-amp-nhwc-pt240-cu124-rtx3090-dynamo.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import FormatMatch, LogFormat, Recording, with_fields
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

_TASKS = {"infer": "inference", "train": "training"}
_COLUMNS = ("samples_per_sec", "step_time", "batch_size", "img_size")
_NAME = re.compile(
    r"benchmark-(?:infer|train)-(?P<precision>amp|fp32|fp16|bf16)-(?P<layout>nchw|nhwc)"
    r"-pt(?P<pytorch>\d+)-cu(?P<cuda>\d+)-(?P<device>.+?)(?P<compiled>-dynamo)?\.csv"
)
_DTYPES = {"fp32": "float32", "amp": "float32", "fp16": "float16", "bf16": "bfloat16"}


def _fit(content: Content) -> FormatMatch:
    found = content.columns
    task = "train" if "train_samples_per_sec" in found else "infer"
    needed = ["model", *(f"{task}_{name}" for name in _COLUMNS)]
    return with_fields(found, needed, [f"{task}_samples_per_sec", f"{task}_img_size"])


def _read(content: Content) -> Sequence[Recording]:
    return [_recording(content, row, line) for line, row in enumerate(content.rows, 2)]


def _recording(content: Content, row: dict[str, str], line: int) -> Recording:
    task = "train" if "train_samples_per_sec" in row else "infer"
    try:
        rate, step, batch, size = (float(row[f"{task}_{name}"]) for name in _COLUMNS)
    except (KeyError, ValueError) as error:
        raise ModeldocsError(
            f"has no number in its row: {error}", file=content.path, line=line, fix="mend the row"
        ) from None
    if not (rate > 0 and batch >= 1 and size >= 1):
        raise ModeldocsError("has a row that measured nothing", file=content.path, line=line)
    told = _NAME.fullmatch(content.name)
    return Recording(
        Record(
            model=part.MeasuredModel(id=row["model"]),
            run=part.RunOptions(
                date="",
                task=_TASKS[task],  # type: ignore[arg-type]
                batch=int(batch),
                input_shapes={"": (int(batch), 3, int(size), int(size))},
                synthetic_input=True,
            ),
            device=part.Device(name=told["device"] if told else "not named in the file"),
            host=part.Host(),
            software=_software(told),
            numerics=_numerics(told),
            method=part.Method(),
            throughput=measurements.Throughput(
                samples=int(batch), wall_us=round(batch / rate * 1e6, 3)
            ),
            provenance=part.RecordSource(
                title="", citation="", figures=tuple(_figures(row, task, step))
            ),
        )
    )


def _figures(row: dict[str, str], task: str, step: float) -> list[part.PrintedFigure]:
    """What the row tells besides: its own step time, and its own counts of the model."""
    figures = [part.PrintedFigure(name="step_time", value=step, unit="ms")]
    for name, unit in (("param_count", "million"), (f"{task}_gmacs", "GMACs")):
        if row.get(name):
            figures.append(part.PrintedFigure(name=name, value=float(row[name]), unit=unit))
    return figures


def _software(told: re.Match[str] | None) -> part.Software:
    if told is None:
        return part.Software(framework="PyTorch")
    return part.Software(
        framework="PyTorch", framework_version=_pytorch(told["pytorch"]), cuda=_cuda(told["cuda"])
    )


def _pytorch(digits: str) -> str:
    """`240` is 2.4.0, `113` is 1.13: a minor version of PyTorch 1 has up to two digits."""
    if digits[0] == "1":
        return f"1.{digits[1:]}"
    return ".".join((digits[0], digits[1:-1], digits[-1])) if len(digits) > 2 else ".".join(digits)


def _cuda(digits: str) -> str:
    """`124` is 12.4."""
    return f"{digits[:-1]}.{digits[-1]}"


def _numerics(told: re.Match[str] | None) -> part.Numerics:
    if told is None:
        return part.Numerics()
    return part.Numerics(
        dtype=_DTYPES[told["precision"]],  # type: ignore[arg-type]
        amp=told["precision"] == "amp",
        channels_last=told["layout"] == "nhwc",
        compiled=told["compiled"] is not None,
    )


TIMM = LogFormat(name="timm benchmark CSV", fit=_fit, read=_read)
