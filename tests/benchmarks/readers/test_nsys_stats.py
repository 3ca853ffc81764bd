"""CSV of `nsys stats`."""

import pytest

from .files import read, refusal

PREAMBLE = """
NOTICE: Existing SQLite export found: report.sqlite
        It is assumed file was previously exported from: report.nsys-rep

Processing [report.sqlite] with [/opt/nsight/reports/cuda_gpu_trace.py]...
"""
TRACE = (
    PREAMBLE
    + "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    + "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
    + "1000,2500,1,,,,,,,,,,0.602,9800.0,Pageable,Device,NVIDIA A100 (0),1,,7,"
    + "[CUDA memcpy Host-to-Device]\n"
    + "5000,4000,2,1,1,1,64,1,1,16,0.000,0.000,,,,,NVIDIA A100 (0),1,,7,"
    + '"void gemm<int, float>(int)"\n'
    + "9000,500,3,,,,,,,,,,0.000,1.0,Device,,NVIDIA A100 (0),1,,7,[CUDA memset]\n"
)
SUMS = """Processing [r.sqlite] with [cuda_gpu_kern_sum.py]...
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000,2,1500.0,1500.0,1000,2000,707.1,"void gemm<int, float>(int)"
25.0,1000,1,1000.0,1000.0,1000,1000,0.0,relu

Processing [r.sqlite] with [cuda_gpu_mem_time_sum.py]...
Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
99.0,8000,4,2000.0,2000.0,2000,2000,0.0,[CUDA memcpy Host-to-Device]
1.0,100,1,100.0,100.0,100,100,0.0,[CUDA memset]

Processing [r.sqlite] with [cuda_gpu_mem_size_sum.py]...
Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
2.500,4,0.625,0.625,0.625,0.625,0.000,[CUDA memcpy Host-to-Device]
0.000,1,0.000,0.000,0.000,0.000,0.000,[CUDA memcpy Device-to-Host]
"""


class TestTrace:
    def test_times_and_decimal_megabytes(self, tmp_path):
        (record,) = read(tmp_path, TRACE)
        gpu = record.gpu
        assert (gpu.window_us, gpu.compute_us, gpu.copies_us, gpu.idle_us) == (8.5, 4, 2.5, 1.5)
        assert gpu.memcpy["HtoD"].bytes == 602_000
        assert gpu.kernels[0].name == "void gemm<int, float>(int)"
        assert record.device.name == "NVIDIA A100"

    def test_other_units_in_the_header(self, tmp_path):
        text = TRACE.replace("Start (ns),Duration (ns)", "Start (us),Duration (us)")
        (record,) = read(tmp_path, text.replace("Bytes (MB)", "Bytes (KiB)"))
        assert record.gpu.window_us == 8500
        assert record.gpu.memcpy["HtoD"].bytes == 616

    def test_sizes_too_small_to_be_printed_are_unknown(self, tmp_path):
        (record,) = read(tmp_path, TRACE.replace("0.602", "0.000"))
        assert record.gpu.memcpy["HtoD"].bytes is None

    def test_an_older_version(self, tmp_path):
        text = "Start(nsec),Duration(nsec),CorrId,Device,Name\n0,5000,1,Tesla V100 (0),relu\n"
        (record,) = read(tmp_path, text)
        assert (record.gpu.compute_us, record.device.name) == (5, "Tesla V100")


class TestSums:
    def test_several_reports_are_one_recording(self, tmp_path):
        (record,) = read(tmp_path, SUMS)
        gpu = record.gpu
        assert [(one.name, one.n, one.us) for one in gpu.kernels] == [
            ("void gemm<int, float>(int)", 2, 3),
            ("relu", 1, 1),
        ]
        down, up = gpu.memcpy["DtoH"], gpu.memcpy["HtoD"]
        assert (up.n, up.us, up.bytes) == (4, 8, 2_500_000)
        assert (down.n, down.us, down.bytes) == (1, None, None)
        assert gpu.compute_us is None

    def test_copies_of_unified_memory_are_added_to_the_others(self, tmp_path):
        row = "0.5,4000,1,4000.0,4000.0,4000,4000,0.0,[CUDA Unified Memory memcpy HtoD]\n"
        (record,) = read(tmp_path, SUMS.replace("1.0,100,1", row + "1.0,100,1"))
        assert (record.gpu.memcpy["HtoD"].n, record.gpu.memcpy["HtoD"].us) == (5, 12)

    def test_each_alone(self, tmp_path):
        kernels, times, sizes = SUMS.split("\n\n")
        assert len(read(tmp_path, kernels)[0].gpu.kernels) == 2
        assert read(tmp_path, times)[0].gpu.memcpy["HtoD"].bytes is None
        assert read(tmp_path, sizes)[0].gpu.memcpy["HtoD"].us is None


class TestRefused:
    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ("5000,4000", "5000,-4000", "takes -4 µs"),
            ("5000,4000", "inf,4000", "inf is no number"),
            ("Duration (ns)", "Duration (days)", "a unit that is not known"),
        ],
    )
    def test_a_cell_that_cannot_be(self, tmp_path, old, new, reason):
        assert reason in refusal(tmp_path, TRACE.replace(old, new))

    def test_a_row_that_is_cut_off(self, tmp_path):
        assert "cells, where the table has 21" in refusal(tmp_path, TRACE[:-25])

    def test_a_report_without_csv(self, tmp_path):
        assert "--format csv" in refusal(tmp_path, PREAMBLE.strip() + "\n Time (%)  Total Time\n")

    def test_negative_totals(self, tmp_path):
        assert "negative" in refusal(tmp_path, SUMS.replace("75.0,3000", "75.0,-3000"))
