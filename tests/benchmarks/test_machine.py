import subprocess

from modeldocs.benchmarks import machine, metadata

CPUINFO = """processor\t: 0
model name\t: Some  CPU @ 2.0GHz
physical id\t: 0
core id\t\t: 0

processor\t: 1
model name\t: Some  CPU @ 2.0GHz
physical id\t: 0
core id\t\t: 1

processor\t: 2
model name\t: Some  CPU @ 2.0GHz
physical id\t: 0
core id\t\t: 0
"""


def test_the_host_is_told_by_processor_cores_and_system_alone():
    found = machine.host()
    assert set(found.__struct_fields__) == {"cpu", "physical_cores", "logical_cores", "os"}
    assert found.logical_cores >= 1


def test_threads_of_one_core_count_once(monkeypatch):
    monkeypatch.setattr(machine, "_read", lambda file: CPUINFO)
    assert machine.host().cpu == "Some CPU @ 2.0GHz"
    assert machine.host().physical_cores == 2


def test_cores_that_are_not_told_are_unknown(monkeypatch):
    monkeypatch.setattr(machine, "_read", lambda file: "processor : 0\n")
    assert machine.host().physical_cores is None
    assert machine.cpu().name


def test_the_peak_of_memory_grows_with_what_is_held():
    before = machine.peak_rss_bytes()
    held = bytearray(64 << 20)
    held[::4096] = b"x" * len(held[::4096])
    assert machine.peak_rss_bytes() >= before
    assert machine.peak_rss_bytes() >= 64 << 20


ANSWERS = {
    "driver_version": "575.1",
    "power.limit": "700.00",
    "clocks.sm": "1980",
    "clocks.mem": "[N/A]",
    "temperature.gpu": "41",
    "pcie.link.width.current": "16",
    "pcie.link.gen.current": "5",
    "clocks_event_reasons.active": "",
    "clocks_throttle_reasons.active": "0x0000000000000004",
}


def test_the_drivers_answers_are_told_and_its_gaps_are_unknown(monkeypatch):
    def answer(command, **_):
        field = command[3].removeprefix("--query-gpu=")
        return subprocess.CompletedProcess(command, 0, stdout=ANSWERS[field] + "\n")

    monkeypatch.setattr(machine.subprocess, "run", answer)
    device = machine.with_driver_facts(metadata.Device(name="GPU"), "GPU-1")
    device = machine.with_state_after(device, "GPU-1")
    assert device.driver == "575.1"
    assert device.power_limit_w == 700
    assert device.clocks_before == metadata.Clocks(core_mhz=1980)
    assert device.clocks_after == device.clocks_before
    assert device.temperature_after_c == 41
    assert device.throttle_reasons == "0x0000000000000004"
    assert device.link == "PCIe 5.0 x16"


def test_without_a_driver_all_of_it_is_unknown(monkeypatch):
    def absent(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(machine.subprocess, "run", absent)
    device = machine.with_driver_facts(metadata.Device(name="GPU"), "GPU-1")
    assert (device.driver, device.power_limit_w, device.link) == (None, None, None)


def test_without_nvml_the_energy_is_unknown(monkeypatch):
    monkeypatch.setattr(machine, "_NVML", ("libnothing-of-the-kind.so",))
    assert machine.energy_mj("GPU-1") is None
