"""A checkpoint of any size is converted in the memory of its largest tensor."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COUNT, SIDE = 100, 1024
"""Tensors of 4 MiB each: 400 MiB."""

PROGRAM = """
import importlib, resource, sys
from pathlib import Path
from modeldocs.checkpoints import applying
from modeldocs.checkpoints.applying import ApplyRequest
from modeldocs.diff import MappedWeight, WeightStep
from modeldocs.loaders.checkpoint_layout import StoredTensor, plain

file, folder, ending = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
for name in ("torch", "h5py") if file.endswith(".pth") else ("h5py",):
    importlib.import_module(name)
names = [f"w{i}" for i in range(COUNT)]
layout = plain([StoredTensor(name, (SIDE, SIDE)) for name in names])
turned = WeightStep("transpose", of=(0,), axes=(1, 0))
mapped = tuple(
    MappedWeight(n, ((), ()), (SIDE, SIDE), "float32", (WeightStep("read", name=n), turned))
    for n in names
)
own = str(folder / "own.npz")
request = ApplyRequest(file, "net", layout, layout, mapped, own, ending, "names")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
applied = applying._apply(request, folder)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert applied.tensors == COUNT, applied
print((after - before) // 1024)
"""


def _write(file: Path) -> None:
    import torch
    from safetensors.torch import save_file

    tensors = {
        f"w{index}": torch.full((SIDE, SIDE), index, dtype=torch.float32) for index in range(COUNT)
    }
    if file.suffix == ".pth":
        torch.save(tensors, file)
    else:
        save_file(tensors, file)


@pytest.mark.parametrize(
    ("source", "ending"), [("big.safetensors", ".weights.h5"), ("big.pth", ".safetensors")]
)
def test_400_mib_are_converted_in_a_fraction_of_that(tmp_path, source, ending):
    pytest.importorskip("torch")
    from modeldocs.loaders import reference

    file = tmp_path / source
    converted = tmp_path / "converted"
    try:
        _write(file)
        reference.write_arrays(tmp_path / "own.npz", {"own": {}})
        program = PROGRAM.replace("COUNT", str(COUNT)).replace("SIDE", str(SIDE))
        words = [sys.executable, "-c", program, str(file), str(tmp_path), ending]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert converted.stat().st_size >= COUNT * SIDE**2 * 4
        assert int(done.stdout) < 100, done.stdout
    finally:
        for one in (file, converted):
            one.unlink(missing_ok=True)
