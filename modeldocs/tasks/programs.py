"""Programs made from ports: generated from what the store holds of a load, then proven."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import onnx
import onnx_ir as ir

from modeldocs import edits, sources
from modeldocs.catalog import Port
from modeldocs.diff import Diff, settle
from modeldocs.edits import Edit
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.generators import Network, Target, docstring, generate
from modeldocs.generators.docstring import ProgramFacts
from modeldocs.generators.interface import Interface
from modeldocs.numeric.proof import frameworks
from modeldocs.numeric.proof.frameworks import FrameworksProof
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct
from modeldocs.tasks import store as stores
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports

FILE: Final = "program.py"


class ProgramProof(Struct, frozen=True):
    """How a program was proven, by its loader, by parity, and in its framework.

    `diff` is the diff of port and program, settled by running both with the same weights;
    `frameworks` compares what their own frameworks compute. It is None for an edited port, which no
    framework has.
    """

    diff: Diff | None = None
    frameworks: FrameworksProof | None = FrameworksProof()
    failure: Failure | None = None

    @property
    def reason(self) -> str | None:
        """Why it is not proven; None where it is."""
        if self.failure is not None:
            return self.failure.reason
        assert self.diff is not None
        parity = self.diff.parity
        graver = [one for one in self.diff.changes if one.consequence != "spelling"]
        if graver:
            return f"it differs from its source: {graver[0].title}"
        if parity is not None and parity.failure is not None:
            return f"it could not be run beside its source: {parity.failure.reason}"
        if parity is None or parity.verdict != "holds":
            first = parity.first if parity is not None else None
            where = f", first at {', '.join(first.pair[0])}" if first is not None else ""
            return f"it gives other numbers than its source{where}"
        both = self.frameworks
        if both is not None and both.failure is not None:
            return both.failure.reason
        if both is not None and both.unrunnable is None and not both.holds:
            return "its framework gives other numbers than that of its source"
        return None


class GeneratedProgram(Struct, frozen=True):
    """A program, and how it was proven; None where no proof was asked for."""

    code: str
    proof: ProgramProof | None


class ProgramGenerator:
    """Generates programs of ports that loaded, and proves them."""

    def __init__(self, ports: Ports, target: Target) -> None:
        self.ports = ports
        self.target = target

    def generate(
        self,
        name: str,
        port: Port,
        loaded: Load,
        *,
        proven: bool = True,
        changes: Sequence[Edit] = (),
    ) -> GeneratedProgram:
        """The program of a port; `changes` are the edits by which what was loaded came of it.

        Raises:
            ModeldocsError: a layer has no program in the target.
        """
        objects = self.ports.place.objects
        model = ir.from_proto(onnx.load_from_string(objects.read(str(loaded.normal))))
        program = generate(Network.of(model), self.target, _title(name))
        facts = _facts(name, port, changes)
        draft = self.target.write(program, docstring.text(self.target, facts))
        if not proven:
            return GeneratedProgram(draft, None)
        with tempfile.TemporaryDirectory(prefix="modeldocs-program-") as folder:
            file = Path(folder) / FILE
            file.write_text(draft)
            proof = self._proof(name, port, loaded, file, None if changes else program.interface)
        lines = _proof_lines(proof)
        code = self.target.write(program, docstring.text(self.target, facts, lines))
        return GeneratedProgram(code, proof)

    def _proof(
        self, name: str, port: Port, loaded: Load, file: Path, orders: Interface | None
    ) -> ProgramProof:
        """The proof of a program in a file; without `orders` it is held against no framework."""
        try:
            with sources.resolve(str(file), file.parent / "none") as made:
                own = self.ports.load({str(file): made})[str(file)]
                if own.failure is not None:
                    return ProgramProof(failure=own.failure)
                pair = f"{name} and its program"
                compared = self.ports.diff(pair, loaded, own)
                limits = port.limits.wider(made.limits)
                parity = self.ports.parity(pair, loaded, own, compared, limits)
                both = (
                    frameworks.prove(_subject(name, port), self._program(made, own, loaded, orders))
                    if orders is not None
                    else None
                )
        except ModeldocsError as error:
            return ProgramProof(failure=Failure.of(error))
        settled = settle(compared.diff, msgspec.structs.replace(parity, seconds=0.0))
        return ProgramProof(settled, both)

    def _program(
        self, made: Port, own: Load, source: Load, orders: Interface
    ) -> frameworks.ProgramSubject:
        objects = self.ports.place.objects
        onnx, normal, source_onnx = (
            str(objects.path(str(digest)).resolve())
            for digest in (own.onnx, own.normal, source.onnx)
        )
        subject = _subject("its program", made)
        return frameworks.ProgramSubject(
            subject, onnx, normal, source_onnx, orders.inputs, orders.outputs
        )


def _subject(name: str, port: Port) -> ProofSubject:
    return ProofSubject(
        name=name, framework=port.framework, request=port.request, limits=port.limits
    )


def _title(name: str) -> str:
    """What the network is called: its model, or its file or callable."""
    model, _, _ = name.partition("/") if not name.startswith(("/", ".")) else ("", "", "")
    return model or Path(name.partition(":")[0]).stem


def _facts(name: str, port: Port, changes: Sequence[Edit]) -> ProgramFacts:
    source = port.source
    return ProgramFacts(
        network=name,
        framework=port.framework,
        file=source.name if source is not None else str(port.request.source),
        digest=stores.digest_file(source) if source is not None else None,
        edits=tuple(" ".join(edits.written(one)) for one in changes),
    )


def _proof_lines(proof: ProgramProof) -> list[str]:
    """What a program says of how it was proven."""
    if proof.reason is not None or proof.diff is None:
        return []
    spellings = [one.title for one in proof.diff.changes]
    lines = [f"Written differently: {one}." for one in spellings]
    same = "the same layers" if not spellings else "the same layers but for that"
    lines.append(f"Proven: {same}; the weights of either give the same outputs in both.")
    both = proof.frameworks
    if both is None:
        lines.append("No framework has the edited network to hold it against.")
    elif both.unrunnable is not None:
        lines.append(f"Nothing runs {both.unrunnable} any more to hold it against.")
    else:
        lines.append(
            f"{both.source} and {both.program} agree within {frameworks.TOLERANCE:.0e} with "
            "designed weights and with ordinary ones."
        )
    return lines
