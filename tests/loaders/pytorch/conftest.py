"""The archives that several modules of tests read, each saved once."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`Small` as each kind of archive, and its weights alone: paths by what they are."""
    from .nets import samples, small

    folder = tmp_path_factory.mktemp("saved")
    module, given = small(), samples()
    paths = {kind: folder / f"{kind}.pt" for kind in ("scripted", "jit-traced", "weights")}
    paths["exported"] = folder / "exported.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(module).save(str(paths["scripted"]))
        torch.jit.trace(module, given, strict=False).save(str(paths["jit-traced"]))
    torch.save(module.state_dict(), paths["weights"])
    torch.export.save(torch.export.export(module, given), paths["exported"])
    return paths
