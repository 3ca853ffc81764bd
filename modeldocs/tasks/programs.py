"""Programs made from ports: generated from what the store holds of a load, then proven."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import onnx
import onnx_ir as ir

from modeldocs import edits, generators, sources
from modeldocs.catalog import Port
from modeldocs.diff import settle
from modeldocs.edits import Edit
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.generators import Network, ProgramDraft, Target, docstring
from modeldocs.generators.docstring import ProgramFacts
from modeldocs.generators.interface import Interface
from modeldocs.isolation import Limits
from modeldocs.numeric.proof import frameworks, held_program
from modeldocs.numeric.proof.held_program import HeldProgram
from modeldocs.numeric.proof.holding import HeldOperand
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct
from modeldocs.tasks import load
from modeldocs.tasks import store as stores
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.program_proof import ProgramProof
from modeldocs.tasks.proof import PortInput

_PROOF_LIMITS = Limits(seconds=600.0)
"""What each process of a proof may take at least: ONNX's reference evaluator is slow."""


class ProgramInputs(Struct, frozen=True):
    """A port that loaded, and the name of the target to write it in.

    `name` is what the program calls the port, `graph` the digest of its graph.
    """

    name: str
    target: str
    own: PortInput
    graph: str


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
        draft, told = self.draft(name, loaded), facts(name, port, changes)
        own = docstring.text(self.target, told)
        if not proven:
            return _written(draft, own)
        content = draft.file(own).content
        proof = self.prove(name, port, loaded, draft, content, is_edited=bool(changes))
        return _written(draft, docstring.text(self.target, told, proof.lines()), proof)

    def draft(self, name: str, loaded: Load) -> ProgramDraft:
        """The program of a port, without docstring.

        Raises:
            ModeldocsError: a layer has no program in the target.
        """
        objects = self.ports.place.objects
        model = ir.from_proto(onnx.load_from_string(objects.read(str(loaded.normal))))
        return self.target.draft(Network.of(model), _title(name))

    def prove(
        self,
        name: str,
        port: Port,
        loaded: Load,
        draft: ProgramDraft,
        content: bytes,
        *,
        is_edited: bool = False,
    ) -> ProgramProof:
        """The proof of a file with the inputs, outputs and weights of a port's program.

        One of an edited port is held against no framework.
        """
        started = time.monotonic()
        port = msgspec.structs.replace(port, limits=port.limits.wider(_PROOF_LIMITS))
        with tempfile.TemporaryDirectory(prefix="modeldocs-program-") as folder:
            file = Path(folder) / f"program{self.target.suffix}"
            file.write_bytes(content)
            try:
                if self.target.runner is None:
                    orders = None if is_edited else draft.interface
                    proof = self._proof(name, port, loaded, file, orders)
                elif is_edited:
                    raise ModeldocsError(
                        f"no loader reads programs in {self.target.title}, and no framework has "
                        "the edited network to hold one against",
                        fix="write it with --no-proof",
                    )
                else:
                    proof = self._proof_by_runner(name, port, loaded, file, draft)
            except ModeldocsError as error:
                proof = ProgramProof(failure=Failure.of(error))
        seconds = round(time.monotonic() - started, 1)
        return msgspec.structs.replace(proof, seconds=seconds)

    def _proof(
        self, name: str, port: Port, loaded: Load, file: Path, orders: Interface | None
    ) -> ProgramProof:
        """The proof of a program that a loader loads; without `orders` no framework runs it."""
        with sources.resolve(str(file), file.parent / "none") as made:
            own = self.ports.load({str(file): made})[str(file)]
            if own.failure is not None:
                return ProgramProof(failure=own.failure)
            pair = f"{name} and its program"
            compared = self.ports.diff(pair, loaded, own)
            limits = port.limits.wider(made.limits)
            with ThreadPoolExecutor(1) as thread:
                both = None
                if orders is not None:
                    program = self._program(made, own, loaded, orders)
                    both = thread.submit(frameworks.prove, _subject(name, port), program)
                parity = self.ports.parity(pair, loaded, own, compared, limits)
        settled = settle(compared.diff, msgspec.structs.replace(parity, seconds=0.0))
        return ProgramProof(_kept(own), settled, both.result() if both is not None else None)

    def _proof_by_runner(
        self, name: str, port: Port, loaded: Load, file: Path, draft: ProgramDraft
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
                place: HeldOperand(
                    one.value, one.axes, one.order, one.columns, one.summed, one.gates
                )
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


def _written(draft: ProgramDraft, doc: str, proof: ProgramProof | None = None) -> GeneratedProgram:
    failure = proof.machine_failure if proof is not None else None
    return GeneratedProgram(*draft.file(doc), proof, failure)


def _kept(own: Load) -> Load:
    """How a program loaded, without what tells of its temporary file."""
    return Load(
        framework=own.framework,
        graph=own.graph,
        onnx=own.onnx,
        normal=own.normal,
        version=own.version,
    )


def _subject(name: str, port: Port) -> ProofSubject:
    return ProofSubject(
        name=name, framework=port.framework, request=port.request, limits=port.limits
    )


def _title(name: str) -> str:
    """What the network is called: its model, or its file or callable."""
    model, _, _ = name.partition("/") if not name.startswith(("/", ".")) else ("", "", "")
    return model or Path(name.partition(":")[0]).stem


def facts(name: str, port: Port, changes: Sequence[Edit]) -> ProgramFacts:
    """What programs of a port say that they were made from."""
    source = port.source
    return ProgramFacts(
        network=name,
        framework=port.framework,
        file=source.name if source is not None else str(port.request.source),
        digest=stores.digest_file(source) if source is not None else None,
        edits=tuple(" ".join(edits.written(one)) for one in changes),
    )
