"""Files that are broken, or hold other things than tensors, are refused with one sentence."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from modeldocs.checkpoints import formats
from modeldocs.errors import ModeldocsError


class Evil:
    def __reduce__(self):
        return Path.touch, (Path("touched"),)


def refused(file: Path, scratch: Path) -> str:
    with pytest.raises(ModeldocsError) as raised, formats.opened(file, scratch):
        pass
    assert raised.value.file == file.name and raised.value.fix
    return raised.value.reason


@pytest.mark.parametrize("name", [one for one in formats.READ if one != ".onnx"])
def test_a_broken_file_is_refused(tmp_path, name):
    file = tmp_path / f"net{name}"
    file.write_bytes(b"\x12\x01" + b"nothing that any of them begins with" * 9)
    assert refused(file, tmp_path)


def test_a_pickle_is_not_run(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "net.pth"
    file.write_bytes(pickle.dumps({"weight": Evil()}))
    assert "holds no tensors alone" in refused(file, tmp_path)
    np.savez("net.npz", weight=np.array(Evil(), object), bias=np.zeros(2))
    with formats.opened(tmp_path / "net.npz", tmp_path) as tensors:
        assert list(tensors.shapes) == ["bias"]
    assert not Path("touched").exists()


def test_half_precision_of_brains_is_read(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    state = {"weight": torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)}
    torch.save(state, tmp_path / "net.pth")
    save_file(state, tmp_path / "net.safetensors")
    for name in ("net.pth", "net.safetensors"):
        with formats.opened(tmp_path / name, tmp_path) as tensors:
            assert tensors.read("weight").astype(np.float32).tolist() == [[0, 1, 2], [3, 4, 5]]
