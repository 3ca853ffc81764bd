"""The results that flows of one catalog share, as those of earlier pipelines."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store for what one host's flow has computed, which the next may start from."""
    return tmp_path_factory.mktemp("kept") / "store"
