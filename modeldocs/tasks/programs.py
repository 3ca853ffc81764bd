"""Programs made from ports: generated from what the store holds of a load, then proven."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir

from modeldocs import generators, sources
from modeldocs.catalog import Port
from modeldocs.diff import Diff, settle
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.generators import Draft, Network, Target, docstring
from modeldocs.generators.docstring import ProgramFacts
from modeldocs.generators.interface import Interface
from modeldocs.numeric.proof import frameworks, held_program
from modeldocs.numeric.proof.frameworks import FrameworksProof
from modeldocs.numeric.proof.held_program import HeldProgram
from modeldocs.numeric.proof.holding import HeldOperand
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct
from modeldocs.tasks import load
from modeldocs.tasks import store as stores
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.proof import PortInput


class ProgramInputs(Struct, frozen=True):
    """A port that loaded, and the name of the target to write it in.

    `name` is what the program calls the port, `graph` the digest of its graph.
    """

    name: str
    target: str
    own: PortInput
    graph: str


class ProgramProof(Struct, frozen=True):
    """How a program was proven, by its loader, by parity, and in its framework.

    `diff` is the diff of port and program, settled by running both with the same weights; it is
    None where no loader loads the program. `frameworks` compares what their own frameworks compute.
    `loaded` is how the program loaded.
    """

    loaded: Load | None = None
    diff: Diff | None = None
    frameworks: FrameworksProof = FrameworksProof()
    failure: Failure | None = None

    @property
    def reason(self) -> str | None:
        """Why it is not proven; None where it is."""
        if self.failure is not None:
            return self.failure.reason
        differs = _difference(self.diff) if self.diff is not None else None
        if differs is not None:
            return differs
        if self.frameworks.failure is not None:
            return self.frameworks.failure.reason
        is_shown = self.diff is not None and self.frameworks.unrunnable is not None
        if not is_shown and not self.frameworks.holds:
            return "its framework gives other numbers than that of its source"
        return None


def _difference(diff: Diff) -> str | None:
    """How a program differs from its source by their diff, which parity has settled; None where it
    does not.
    """
    parity = diff.parity
    graver = [one for one in diff.changes if one.consequence != "spelling"]
    if graver:
        return f"it differs from its source: {graver[0].title}"
    if parity is not None and parity.failure is not None:
        return f"it could not be run beside its source: {parity.failure.reason}"
    if parity is None or parity.verdict != "holds":
        first = parity.first if parity is not None else None
        where = f", first at {', '.join(first.pair[0])}" if first is not None else ""
        return f"it gives other numbers than its source{where}"
    return None


class GeneratedProgram(Struct, frozen=True):
    """A program, and how it was proven; None where no proof was asked for.

    `code` is the program as it is read, `content` its file. `failure` says why there is no program,
    or what of the machine prevented its proof.
    """

    code: str = ""
    content: bytes = b""
    proof: ProgramProof | None = None
    failure: Failure | None = None

    @property
    def reason(self) -> str | None:
        """Why it is not there, or not proven; None where it is, or where no proof was asked for."""
        if self.failure is not None:
            return self.failure.reason
        return self.proof.reason if self.proof is not None else None


class ProgramGenerator:
    """Generates programs of ports that loaded, and proves them."""

    def __init__(self, ports: Ports, target: Target) -> None:
        self.ports = ports
        self.target = target

    def generate(
        self, name: str, port: Port, loaded: Load, *, proven: bool = True
    ) -> GeneratedProgram:
        """The program of a port.

        Raises:
            ModeldocsError: a layer has no program in the target.
        """
        draft, facts = self.draft(name, loaded), _facts(name, port)
        own = docstring.text(self.target, facts)
        if not proven:
            return _written(draft, own)
        proof = self.prove(name, port, loaded, draft, draft.content(own))
        return _written(draft, docstring.text(self.target, facts, _proof_lines(proof)), proof)

    def draft(self, name: str, loaded: Load) -> Draft:
        """The program of a port, without docstring.

        Raises:
            ModeldocsError: a layer has no program in the target.
        """
        objects = self.ports.place.objects
        model = ir.from_proto(onnx.load_from_string(objects.read(str(loaded.normal))))
        return self.target.draft(Network.of(model), _title(name))

    def prove(
        self, name: str, port: Port, loaded: Load, draft: Draft, content: bytes
    ) -> ProgramProof:
        """The proof of a file with the inputs, outputs and weights of a port's program."""
        prove = self._proof if self.target.runner is None else self._proof_by_runner
        with tempfile.TemporaryDirectory(prefix="modeldocs-program-") as folder:
            file = Path(folder) / f"program{self.target.suffix}"
            file.write_bytes(content)
            return prove(name, port, loaded, file, draft)

    def _proof(self, name: str, port: Port, loaded: Load, file: Path, draft: Draft) -> ProgramProof:
        """The proof of a program that a loader loads."""
        try:
            with sources.resolve(str(file), file.parent / "none") as made:
                own = self.ports.load({str(file): made})[str(file)]
                if own.failure is not None:
                    return ProgramProof(failure=own.failure)
                pair = f"{name} and its program"
                compared = self.ports.diff(pair, loaded, own)
                limits = port.limits.wider(made.limits)
                parity = self.ports.parity(pair, loaded, own, compared, limits)
                both = frameworks.prove(
                    _subject(name, port), self._program(made, own, loaded, draft.interface)
                )
        except ModeldocsError as error:
            return ProgramProof(failure=Failure.of(error))
        settled = settle(compared.diff, msgspec.structs.replace(parity, seconds=0.0))
        return ProgramProof(_kept(own), settled, both)

    def _proof_by_runner(
        self, name: str, port: Port, loaded: Load, file: Path, draft: Draft
    ) -> ProgramProof:
        """The proof of a program that no loader loads, by its own framework alone."""
        runner, program = self.target.runner, draft.program
        assert runner is not None and program is not None
        path = self.ports.place.objects.path
        held = HeldProgram(
            file=str(file),
            network=program.root.name,
            title=self.target.title,
            runner=runner.module,
            environment=runner.environment,
            source_onnx=str(path(str(loaded.onnx)).resolve()),
            source_normal=str(path(str(loaded.normal)).resolve()),
            weights={
                place: HeldOperand(one.value, one.axes, one.order, one.columns)
                for place, one in program.weights.items()
            },
            inputs=program.interface.inputs,
            outputs=program.interface.outputs,
        )
        return ProgramProof(frameworks=held_program.prove(_subject(name, port), held))

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


def run(inputs: ProgramInputs, place: TaskFolders) -> GeneratedProgram:
    """The task's work: a program, or the failure that says why there is none."""
    own = inputs.own
    port = Port(
        name=own.name,
        framework=own.framework,
        request=load.absolute(own.request, place.root),
        limits=own.limits,
    )
    loaded = Load(
        framework=own.framework, graph=inputs.graph, onnx=own.onnx, normal=own.normal, read=own.read
    )
    generator = ProgramGenerator(Ports(place.objects), generators.target(inputs.target))
    try:
        return generator.generate(inputs.name, port, loaded)
    except ModeldocsError as error:
        return GeneratedProgram(failure=Failure.of(error))


def _written(draft: Draft, doc: str, proof: ProgramProof | None = None) -> GeneratedProgram:
    failure = _machine_failure(proof) if proof is not None else None
    return GeneratedProgram(draft.text(doc), draft.content(doc), proof, failure)


def _kept(own: Load) -> Load:
    """How a program loaded, without what tells of its temporary file."""
    return Load(
        framework=own.framework,
        graph=own.graph,
        onnx=own.onnx,
        normal=own.normal,
        version=own.version,
    )


def _machine_failure(proof: ProgramProof) -> Failure | None:
    """The failure of the machine that prevented a proof."""
    parity = proof.diff.parity if proof.diff is not None else None
    failures = (proof.failure, proof.frameworks.failure, parity.failure if parity else None)
    return next((one for one in failures if one is not None and one.machine), None)


def _subject(name: str, port: Port) -> ProofSubject:
    return ProofSubject(
        name=name, framework=port.framework, request=port.request, limits=port.limits
    )


def _title(name: str) -> str:
    """What the network is called: its model, or its file or callable."""
    model, _, _ = name.partition("/") if not name.startswith(("/", ".")) else ("", "", "")
    return model or Path(name.partition(":")[0]).stem


def _facts(name: str, port: Port) -> ProgramFacts:
    source = port.source
    return ProgramFacts(
        network=name,
        framework=port.framework,
        file=source.name if source is not None else str(port.request.source),
        digest=stores.digest_file(source) if source is not None else None,
    )


def _proof_lines(proof: ProgramProof) -> list[str]:
    """What a program says of how it was proven."""
    if proof.reason is not None:
        return []
    spellings = [one.title for one in proof.diff.changes] if proof.diff is not None else []
    lines = [f"Written differently: {one}." for one in spellings]
    if proof.diff is not None:
        same = "the same layers" if not spellings else "the same layers but for that"
        lines.append(f"Proven: {same}; the weights of either give the same outputs in both.")
    both = proof.frameworks
    if both.unrunnable is not None:
        where = "to hold it against" if both.outputs is None else "but onnxruntime its layers"
        lines.append(f"Nothing runs {both.unrunnable} any more {where}.")
    if both.outputs is not None:
        start = "Proven: " if proof.diff is None else ""
        lines.append(
            f"{start}{both.source} and {both.program} agree within {frameworks.TOLERANCE:.0e} with "
            "designed weights and with ordinary ones."
        )
    return lines
