"""`make bench-NAME` is `python -m evaluation NAME`: it measures the tool, and prints the figures or
writes them into the guide. Without a name it lists what can be measured.
"""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent

PARTS = ("diff.scaling", "maps.worker", "regression.measured", "scale.build")
"""Programs that harnesses start."""


def harnesses() -> dict[str, str]:
    """The names of what can be measured, each with the first line of what it says of itself."""
    found = {}
    for file in sorted(FOLDER.rglob("*.py")):
        name = ".".join(file.relative_to(FOLDER).with_suffix("").parts).removesuffix(".__main__")
        text = file.read_text("utf-8")
        if 'if __name__ == "__main__"' in text and name not in ("__main__", *PARTS):
            found[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return found


def main() -> int:
    """Run the harness of that name with the other arguments, or list all."""
    names = harnesses()
    if len(sys.argv) > 1 and sys.argv[1] in names:
        name = f"{__package__}.{sys.argv[1]}"
        is_package = FOLDER.joinpath(*sys.argv[1].split("."), "__main__.py").exists()
        del sys.argv[1]
        runpy.run_module(f"{name}.__main__" if is_package else name, run_name="__main__")
        return 0
    width = max(map(len, names))
    for name, told in names.items():
        sys.stdout.write(f"{name:{width}}  {told}\n")
    return 0 if len(sys.argv) == 1 else 2


if __name__ == "__main__":
    sys.exit(main())
