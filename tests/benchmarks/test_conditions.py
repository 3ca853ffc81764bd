"""A run whose conditions cannot be read is refused before it is recorded."""

import msgspec
import pytest

from modeldocs.benchmarks import conditions
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.request import Facts
from modeldocs.errors import ModeldocsError

GPU = part.Device(
    name="NVIDIA A100", kind="cuda", driver="550.54", clocks_before=part.Clocks(core_mhz=1410)
)
CPU = part.Device(name="AMD EPYC", kind="cpu")


def facts(device, **software):
    known = {"framework": "PyTorch", "framework_version": "2.13.0", "threads": 2, **software}
    return Facts(
        device=device,
        software=part.Software(**known),
        numerics=part.Numerics(),
        params=1,
        input_shapes={"": (1, 2)},
    )


@pytest.mark.parametrize("device", [GPU, CPU])
def test_a_run_that_tells_all_is_accepted(device):
    conditions.check(facts(device))


@pytest.mark.parametrize(
    ("device", "missing"),
    [
        (msgspec.structs.replace(GPU, driver=None), "the version of the driver"),
        (msgspec.structs.replace(GPU, clocks_before=None), "the clocks of the device"),
        (msgspec.structs.replace(GPU, name="GPU of unknown name"), "the name of the device"),
        (msgspec.structs.replace(CPU, name="CPU of unknown model"), "the name of the device"),
    ],
)
def test_a_device_that_cannot_be_read_is_refused(device, missing):
    with pytest.raises(ModeldocsError, match=f"^{missing} cannot be read"):
        conditions.check(facts(device))


def test_all_that_is_missing_is_named_at_once():
    with pytest.raises(ModeldocsError) as caught:
        conditions.check(facts(CPU, framework_version=None, threads=None))
    assert caught.value.reason.startswith(
        "the version of the framework and the number of threads cannot be read"
    )


def test_a_gpu_without_its_drivers_tool_is_told_what_to_do():
    with pytest.raises(ModeldocsError) as caught:
        conditions.check(facts(msgspec.structs.replace(GPU, driver=None)))
    assert "nvidia-smi" in caught.value.fix
