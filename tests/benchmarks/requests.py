"""Requests of benchmark runs as short as a test needs."""

from pathlib import Path

from modeldocs.benchmarks.request import BenchRequest
from modeldocs.loaders import LoadRequest


def short(file: Path, model: str, port: str, **changed) -> BenchRequest:
    """One process with a few steps, on one thread; `changed` are other fields."""
    settings = {
        "command": f"modeldocs bench run {model}/{port}",
        "framework": port,
        "batch": 2,
        "processes": 1,
        "warmup_steps": 2,
        "warmup_seconds": 0.0,
        "steps": 5,
        "seconds": 0.0,
        "trace_steps": 3,
        "threads": 1,
        "peaks": False,
        **changed,
    }
    load = LoadRequest(root=str(file.parent), path=str(file), name="net")
    return BenchRequest(load=load, model=model, port=port, **settings)
