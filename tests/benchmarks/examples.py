"""A small record for the tests to change."""

import msgspec

from modeldocs.benchmarks import measurements, metadata, record


def example(**changed):
    made = record.Record(
        model=metadata.MeasuredModel(id="tiny", port="pytorch", params=3),
        run=metadata.RunOptions(date="2026-11-20", task="inference", batch=2),
        device=metadata.Device(name="AMD EPYC(R) 9,000", kind="cpu"),
        host=metadata.Host(os="Debian"),
        software=metadata.Software(framework="PyTorch", framework_version="2.13.0"),
        numerics=metadata.Numerics(dtype="float32"),
        method=metadata.Method(steps=2, processes=1),
        step_ms=measurements.StepTimes(
            samples=((1.0, 2.0),), n=2, mean=1.5, std=0.7, p50=1.5, p90=1.9
        ),
    )
    return msgspec.structs.replace(made, **changed)
