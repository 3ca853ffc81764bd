"""CSV of nvprof."""

import pytest

from .files import read, refusal

PREAMBLE = """==1234== NVPROF is profiling process 1234, command: python train.py
loss 0.5, accuracy 0.9
==1234== Profiling application: python train.py
==1234== Profiling result:
"""
COLUMNS = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z",'
    '"Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType",'
    '"DstMemType","Device","Context","Stream","Name"\n'
)
GPU = '"GeForce GTX 950 (0)","1","7"'
TRACE = (
    PREAMBLE
    + COLUMNS
    + "ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,\n"
    + '100.000000,10.500000,,,,,,,,,,0.500000,11.2,"Pageable","Device",'
    + f'{GPU},"[CUDA memcpy HtoD]"\n'
    + f'100.020000,4.250000,1,1,1,64,1,1,16,0.0,0,,,,,{GPU},"void gemm<int, float>(int) [42]"\n'
    + f'100.030000,1.000000,,,,,,,,,,0.000004,0.1,"Device",,{GPU},"[CUDA memset]"\n'
)
SUMMARY = (
    PREAMBLE
    + '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n'
    + ",%,ms,,us,us,us,\n"
    + '"GPU activities",60.0,1.250000,5,250.0,1.0,900.0,"void gemm<int, float>(int)"\n'
    + '"GPU activities",30.0,0.500000,2,250.0,1.0,900.0,"[CUDA memcpy HtoD]"\n'
    + '"GPU activities",1.0,0.001000,1,1.0,1.0,1.0,"[CUDA memset]"\n'
    + '"API calls",99.0,500.000000,1,500.0,1.0,1.0,"cudaMalloc"\n'
)


class TestTrace:
    def test_units_come_from_the_row_below_the_header(self, tmp_path):
        (record,) = read(tmp_path, TRACE)
        gpu = record.gpu
        assert (gpu.window_us, gpu.copies_us, gpu.compute_us) == (31, 10.5, 4.25)
        assert (gpu.exposed_copies_us, gpu.idle_us) == (11.5, 15.25)

    def test_megabytes_are_binary(self, tmp_path):
        (record,) = read(tmp_path, TRACE)
        assert record.gpu.memcpy["HtoD"].bytes == 2**19
        assert record.provenance.units == "KB, MB and GB are binary."

    def test_other_units(self, tmp_path):
        text = TRACE.replace("ms,us,,,,,,,,KB,B,MB", "s,ms,,,,,,,,KB,B,KB")
        (record,) = read(tmp_path, text)
        assert record.gpu.copies_us == 10_500
        assert record.gpu.memcpy["HtoD"].bytes == 512
        assert record.provenance.rounding.startswith("Starts are printed in seconds")

    def test_the_device_and_what_is_unknown(self, tmp_path):
        (record,) = read(tmp_path, TRACE)
        assert (record.device.name, record.device.kind) == ("GeForce GTX 950", "cuda")
        assert (record.run.date, record.run.task, record.gpu.launch_bound_us) == ("", None, None)

    def test_two_devices(self, tmp_path):
        other = TRACE.splitlines()[-2].replace("950 (0)", "950 (1)")
        records = read(tmp_path, TRACE + other + "\n")
        assert [one.gpu.compute_us for one in records] == [4.25, 4.25]

    def test_page_faults_are_no_kernels(self, tmp_path):
        fault = f'100.050000,9.0,,,,,,,,,,,,,,{GPU},"[Unified Memory GPU page faults]"\n'
        (record,) = read(tmp_path, TRACE + fault + fault.replace("(0)", "(1)"))
        assert record.gpu.window_us == 31


class TestSummary:
    def test_totals_without_unions(self, tmp_path):
        (record,) = read(tmp_path, SUMMARY)
        gpu = record.gpu
        assert [(one.name, one.n, one.us) for one in gpu.kernels] == [
            ("void gemm<int, float>(int)", 5, 1250)
        ]
        copies = gpu.memcpy["HtoD"]
        assert (copies.n, copies.us, copies.bytes) == (2, 500, None)
        assert (gpu.window_us, gpu.compute_us, gpu.idle_us) == (None, None, None)

    def test_tables_of_several_processes_are_added(self, tmp_path):
        (record,) = read(tmp_path, SUMMARY + "\n" + SUMMARY)
        copies = record.gpu.memcpy["HtoD"]
        assert (record.gpu.kernels[0].n, record.gpu.kernels[0].us) == (10, 2500)
        assert (copies.n, copies.us) == (4, 1000)

    def test_calls_of_an_older_version_are_told_by_their_names(self, tmp_path):
        lines = SUMMARY.replace('"Type",', "").replace('"GPU activities",', "")
        text = lines.replace('"API calls",', "").replace(",%,ms", "%,ms")
        assert read(tmp_path, text)[0].gpu == read(tmp_path, SUMMARY)[0].gpu


class TestRefused:
    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ("10.500000", "-1", "takes -1 µs"),
            ("10.500000", "nan", "nan is no number"),
            ("10.500000", "x", "could not convert"),
            ("100.020000", "1e30", "starts at"),
            ("ms,us,", "ms,years,", "no unit that is known for Duration"),
            ("B,MB,", "B,bits,", "no unit that is known for Size"),
        ],
    )
    def test_a_cell_that_cannot_be(self, tmp_path, old, new, reason):
        assert reason in refusal(tmp_path, TRACE.replace(old, new))

    def test_the_line_is_told(self, tmp_path):
        assert ":7: has a broken row" in refusal(tmp_path, TRACE.replace("10.500000", "x"))

    def test_a_row_that_is_cut_off(self, tmp_path):
        assert "row of 13 cells, where the table has 19" in refusal(tmp_path, TRACE[:-60])

    def test_a_log_without_csv(self, tmp_path):
        assert "print it with --csv" in refusal(tmp_path, PREAMBLE + " Time(%)      Time\n")
