"""The entry script of an isolated process, in any interpreter: run as a file, never imported.

It makes this package importable there, but no package that is installed beside it: a framework's
environment has a numpy of its own.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def import_package() -> None:
    """Import the package that this file is a part of, under its own name."""
    package = Path(__file__).resolve().parents[1]
    spec = importlib.util.spec_from_file_location(
        package.name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[package.name] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    import_package()
    if sys.argv[1] == "--serve":
        from modeldocs.isolation import forkserver

        forkserver.main()
    else:
        from modeldocs.isolation import confinement

        confinement.main(Path(sys.argv[1]))
