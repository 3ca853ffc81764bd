"""The worker process of a second run, with small values.

See `modeldocs.numeric.parity.scales.has_conflicting_targets`.
"""

from __future__ import annotations

import functools
from pathlib import Path

from modeldocs.loaders import worker
from modeldocs.numeric.proof import worker as usual


def main(folder: Path) -> None:
    """Run the port that `request.json` in `folder` names."""
    worker.work(folder, do)


do = functools.partial(usual.do, small=True)
"""Write one run of the port of a request, with small values."""
