"""One build in a process of its own, with the time of each of its phases as JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")


def main(folder: Path) -> None:
    """Build the catalog in `folder`, and print what it took; see `measured`."""
    started = time.monotonic()
    from modeldocs.site import default_config, plugin, project
    from modeldocs.site.incremental import stored_pages

    options = {"models": str(folder / "models"), "store": str(folder / ".modeldocs")}
    with default_config.configuration("scale", folder / "site", options) as file:
        config, site = project.configure(file)
        phases: dict[str, float] = {"start": time.monotonic() - started}
        plugin.build = _timed(plugin.build, "tasks", phases)
        stored_pages.write = _timed(stored_pages.write, "pages", phases)
        project.build_changed(config, site)
    sys.stdout.write(json.dumps(measured(time.monotonic() - started, phases, site)) + "\n")


def _timed(work: Any, name: str, phases: dict[str, float]) -> Any:
    def timed(*args: Any, **options: Any) -> Any:
        before = _cpu()
        start = time.monotonic()
        result = work(*args, **options)
        phases[name] = time.monotonic() - start
        phases[f"{name} cpu"] = _cpu() - before
        return result

    return timed


def _cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def measured(seconds: float, phases: dict[str, float], site: Any) -> dict[str, Any]:
    """Seconds, CPU seconds of all processes, MiB of this one, phases and seconds by task."""
    kinds: dict[str, float] = {}
    for run in site.ready.results.log:
        kinds[run.kind] = kinds.get(run.kind, 0.0) + run.seconds
    return {
        "seconds": seconds,
        "cpu": _cpu(),
        "own cpu": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "phases": phases,
        "kinds": kinds,
        "failures": len(site.ready.summary.failures),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
