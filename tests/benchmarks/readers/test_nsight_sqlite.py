"""SQLite exports of Nsight Systems."""

import gzip
import hashlib
import sqlite3

import pytest

from modeldocs.benchmarks import readers
from modeldocs.errors import ModeldocsError

from .files import of, refusal, shared

PROCESS = 5 * 2**24
KERNELS = (
    "CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER)"
)
COPIES = (
    "CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER)"
)
NAMES = "StringIds (id INTEGER PRIMARY KEY, value TEXT)"


def export(folder, tables):
    """A database of tables, given by their definition and rows."""
    path = folder / "export.sqlite"
    with sqlite3.connect(path) as connection:
        fill(connection, tables)
    connection.close()
    return path


def fill(connection, tables):
    """Create tables with rows."""
    for definition, rows in tables.items():
        connection.execute(f"CREATE TABLE {definition}")
        name = definition.split()[0]
        for row in rows:
            connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)


def whole(*, kernels=None, copies=None, **more):
    return {
        NAMES: [(1, "void relu<float>(int)"), (2, "relu")],
        KERNELS: kernels if kernels is not None else [(5000, 9000, 0, 7, PROCESS, 1, 2)],
        COPIES: copies if copies is not None else [(1000, 3500, 0, 6, PROCESS, 4096, 1)],
        **more,
    }


DESCRIBED = whole(
    **{
        "TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER)": [(1, 0), (0, 1)],
        "TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smMajor INTEGER,"
        " smMinor INTEGER)": [(0, "first", 10, 7, 5), (1, "second", 20, 8, 6)],
        "TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT)": [
            ("CpuDescription", "A processor"),
            ("NvDriverVersion", "591.86"),
            ("Hostname", "secret"),
        ],
        "TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)": [(1776781226557295056,)],
    }
)
"""Two devices, their driver, and the machine."""


def test_nanoseconds_become_microseconds(tmp_path):
    (record,) = of(export(tmp_path, whole()))
    gpu = record.gpu
    assert (gpu.window_us, gpu.compute_us, gpu.copies_us, gpu.idle_us) == (8, 4, 2.5, 1.5)
    assert gpu.kernels[0].name == "void relu<float>(int)"
    assert gpu.memcpy["HtoD"].bytes == 4096


@pytest.mark.parametrize(
    ("number", "kind"),
    [(1, "HtoD"), (2, "DtoH"), (8, "DtoD"), (9, "HtoH"), (10, "P2P"), (11, "HtoD"), (3, "HtoD")],
)
def test_kinds_of_copies(tmp_path, number, kind):
    copies = [(1000, 3500, 0, 6, PROCESS, 4096, number)]
    (record,) = of(export(tmp_path, whole(copies=copies)))
    assert set(record.gpu.memcpy) == {kind}


def test_launches_are_those_of_the_process(tmp_path):
    calls = "CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, globalTid INTEGER, correlationId INTEGER)"
    rows = [(900, PROCESS + 17, 6), (4000, PROCESS + 17, 7), (0, 6 * 2**24, 7)]
    (record,) = of(export(tmp_path, whole(**{calls: rows})))
    assert record.gpu.launch_bound_us == 1.5


def test_the_device_its_driver_the_processor_and_the_day(tmp_path):
    (record,) = of(export(tmp_path, DESCRIBED))
    device = record.device
    assert (device.name, device.memory_bytes, device.driver) == ("second", 20, "591.86")
    assert (device.compute_capability, record.host.cpu) == ("8.6", "A processor")
    assert record.run.date == "2026-04-21"
    assert "secret" not in str(record)


def test_an_older_version_without_most_columns(tmp_path):
    tables = {
        NAMES: [(2, "relu")],
        "CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER)": [(0, 9, 2)],
    }
    (record,) = of(export(tmp_path, tables))
    assert record.gpu.kernels[0].name == "relu"
    assert record.gpu.launch_bound_us == 0
    assert record.device.name == "not named in the trace"


def test_a_cuda_graph_counts_as_one_kernel(tmp_path):
    graphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER)"
    (record,) = of(export(tmp_path, whole(**{graphs: [(9000, 19000, 0)]})))
    assert (record.gpu.kernels[0].name, record.gpu.kernels[0].us) == ("CUDA graph", 10)
    assert record.notes == ("CUDA graphs were traced as a whole: each counts as one kernel.",)


class TestRefused:
    @pytest.mark.parametrize(
        "row",
        [
            (9000, 5000, 0, 7, PROCESS, 1, 2),
            (-9, 5000, 0, 7, PROCESS, 1, 2),
            ("x", 5000, 0, 7, PROCESS, 1, 2),
            (0.5, 5000, 0, 7, PROCESS, 1, 2),
            (0, 10**18, 0, 7, PROCESS, 1, 2),
        ],
    )
    def test_an_event_that_cannot_be(self, tmp_path, row):
        with pytest.raises(ModeldocsError, match="damaged export"):
            readers.read(export(tmp_path, whole(kernels=[row])))

    def test_a_damaged_file(self, tmp_path):
        path = export(tmp_path, whole())
        data = path.read_bytes()
        assert "damaged export" in refusal(tmp_path, data[:100] + b"x" * (len(data) - 100))

    def test_a_view_in_place_of_a_table_is_not_computed(self, tmp_path):
        path = export(tmp_path, {NAMES: []})
        with sqlite3.connect(path) as connection:
            connection.execute(
                "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(x) AS "
                "(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS start, x AS end FROM c"
            )
        connection.close()
        with pytest.raises(ModeldocsError, match="fits no format"):
            readers.read(path)

    def test_a_file_of_nvprof_says_how_to_print_it(self, tmp_path):
        path = export(tmp_path, {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INTEGER)": []})
        with pytest.raises(ModeldocsError, match="nvprof -i FILE"):
            readers.read(path)

    def test_an_export_without_cuda(self, tmp_path):
        path = export(tmp_path, {"META_DATA_EXPORT (name TEXT, value TEXT)": []})
        with pytest.raises(ModeldocsError, match="no activity of CUDA"):
            readers.read(path)

    def test_a_compressed_one(self, tmp_path):
        data = gzip.compress(export(tmp_path, whole()).read_bytes())
        assert "unpack" in refusal(tmp_path, data)


def test_the_file_is_not_changed():
    path = shared("rtx3080.nsys.sqlite")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    (record,) = of(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [one.n for one in record.gpu.kernels] == [1, 1]
    assert [one.us for one in record.gpu.kernels] == [2.689, 1.44]
    assert (record.gpu.memcpy["DtoH"].bytes, record.gpu.memcpy["DtoH"].us) == (4, 1.632)
    assert record.gpu.window_us == (1540180111 - 1517727052) / 1000
    assert record.device.name == "NVIDIA GeForce RTX 3080"
    assert record.provenance.tool == "Nsight Systems 2026.1.1.204"
