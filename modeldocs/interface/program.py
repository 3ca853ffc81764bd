"""`modeldocs.generate`: a network as a program of another framework."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modeldocs import generators
from modeldocs.errors import ModeldocsError
from modeldocs.interface import notebook, session
from modeldocs.interface.subject import MODELS, SourceSettings
from modeldocs.site import document
from modeldocs.site.port import source as sources
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.program_proof import ProgramProof

_HEIGHT = 480
"""Height of its report in a notebook, in CSS pixels."""


class WrittenProgram(Struct, frozen=True):
    """A program, as text it is its code; `content` is its file, with `suffix` at its name's end.

    `proof` says how it was proven, None where it was not.
    """

    name: str
    target: str
    code: str
    content: bytes
    suffix: str
    proof: ProgramProof | None = None

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        proven = "proven" if self.proof is not None else "not proven"
        count = len(self.code.splitlines())
        return f"<WrittenProgram of {self.name} in {self.target}: {count} lines, {proven}>"

    def html(self) -> str:
        """The code, highlighted, as one HTML file, which needs no other."""
        templates = Templates()
        body = templates.html(
            "program_report",
            title=self.name,
            target=self.target,
            lines=sources.lines(f"program{self.suffix}", self.code),
        )
        return document.html(self.name, body, templates)

    def _repr_html_(self) -> str:
        return notebook.frame(self.name, self.html(), _HEIGHT)


def generate(
    source: object,
    to: str = "pytorch",
    *,
    proven: bool = True,
    inputs: object = None,
    args: Mapping[str, Any] | None = None,
    framework: str | None = None,
    models: str | Path = MODELS,
) -> WrittenProgram:
    """Write a network as a program of another framework, and prove that it is the same network.

    Args:
        source: a source or a live object, see `modeldocs.load`, as for the arguments by name.
        to: the framework to write it in.
        proven: whether to prove the program: it is loaded again, and run in both frameworks with
            the weights of either.
        inputs: see `modeldocs.load`.
        args: see `modeldocs.load`.
        framework: see `modeldocs.load`.
        models: see `modeldocs.load`.

    Raises:
        ModeldocsError: it cannot be loaded, a layer has no program there, or the program could not
            be proven.
    """
    target = generators.target(to)
    settings = SourceSettings(inputs=inputs, args=args or {}, framework=framework, models=models)
    with session.loaded([source], settings) as one:
        (subject,), (loaded,) = one.subjects, one.loads
        made = one.ports.program(subject.name, subject.port, loaded, target.name, proven=proven)
    if made.reason is not None:
        raise ModeldocsError(
            f"its program is not proven: {made.reason}",
            file=subject.name,
            fix="pass proven=False to see the program",
        )
    return WrittenProgram(
        name=subject.name,
        target=target.title,
        code=made.code,
        content=made.content,
        suffix=target.suffix,
        proof=made.proof,
    )
