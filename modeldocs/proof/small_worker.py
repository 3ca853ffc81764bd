"""The worker process of a second proof, with small values.

See `modeldocs.parity.scales.has_conflicting_targets`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from modeldocs.loaders import worker
from modeldocs.proof.worker import prove


def main(folder: Path) -> None:
    """Prove what `request.json` in `folder` asks for."""
    worker.work(folder, functools.partial(prove, small=True))
