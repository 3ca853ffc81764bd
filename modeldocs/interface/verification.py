"""`modeldocs.verify`: a network's graph against its own framework."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modeldocs.interface import notebook
from modeldocs.interface.subject import MODELS, SourceSettings, opened
from modeldocs.numeric.proof import Proof, prover
from modeldocs.site import document
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.kind import machine_failure
from modeldocs.tasks.proof import subject

_HEIGHT = 220
"""Height of its report in a notebook, in CSS pixels."""


class Verified(Struct, frozen=True):
    """A source or live object and its proof; `verdict` is `verified`, `disagrees` or `not run`."""

    source: str
    verdict: str
    proof: Proof

    @property
    def is_prevented(self) -> bool:
        """Whether the machine failed, so that nothing is known of it."""
        return machine_failure(self.proof) is not None

    def __repr__(self) -> str:
        against = f" against {self.proof.reference}" if self.proof.reference else ""
        return f"<Verified {self.source}{against}: {self.verdict}>"

    def html(self) -> str:
        """The proof as one HTML file, which needs no other."""
        templates = Templates()
        proof = templates.html("proof", proof=self.proof, href="")
        body = templates.html("proof_report", title=self.source, proof=proof)
        return document.html(self.source, body, templates)

    def _repr_html_(self) -> str:
        return notebook.frame(self.source, self.html(), _HEIGHT)


def verify(
    source: object,
    *,
    inputs: object = None,
    args: Mapping[str, Any] | None = None,
    framework: str | None = None,
    models: str | Path = MODELS,
) -> Verified:
    """Run a network in its framework, and its graph in onnxruntime, with the same weights.

    The arguments are those of `modeldocs.load`. A live object is run in this process, with weights
    that are made for that; afterwards it has its own again.

    Raises:
        ModeldocsError: it cannot be loaded or run, with file, line, reason and fix.
    """
    settings = SourceSettings(inputs=inputs, args=args or {}, framework=framework, models=models)
    with opened(source, settings) as one:
        proof = prover.prove(subject(one.port))
    if proof.failure is not None:
        raise proof.failure.error()
    return Verified(source=one.name, verdict=proof.verdict, proof=proof)
