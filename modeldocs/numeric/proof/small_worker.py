"""The worker process of a second run, with small values.

See `modeldocs.numeric.parity.scales.has_conflicting_targets`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from modeldocs.loaders import worker
from modeldocs.numeric.proof.worker import prove


def main(folder: Path) -> None:
    """Run the port that `request.json` in `folder` names."""
    worker.work(folder, functools.partial(prove, small=True))
