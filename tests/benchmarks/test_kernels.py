"""What names of kernels tell. Names are those of CUDA and ROCm libraries in traces."""

from __future__ import annotations

import pytest

from modeldocs.benchmarks.kernels import OTHER, kind, product_precision


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("volta_sgemm_64x64_nt", "float32"),
        ("maxwell_scudnn_128x64_relu_interior_nn", "float32"),
        ("cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", "float32"),
        ("ampere_gcgemm_64x64_nt", "float32"),
        ("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3>(int, int, int)", "float32"),
        ("void implicit_convolve_sgemm<__half, __half, 1024, 5, 5, 3>(int)", "float16"),
        ("void gemv2T_kernel_val<int, int, float, float, float, float, 128>(float)", "float32"),
        ("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)", "float32"),
        ("volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", "float16"),
        ("volta_h884cudnn_256x128_ldg8_relu_exp_small_nhwc_tn_v1", "float16"),
        ("turing_h1688gemm_128x128_ldg8_tn", "float16"),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_relu_f2f_tn", "float16"),
        ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", "float16"),
        ("cutlass_75_tensorop_f16_s1688gemm_f16_128x128_nn_align8", "float16"),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32", "float16"),
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "float16"),
        ("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", "bfloat16"),
        ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn", "bfloat16"),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32>", "bfloat16"),
        ("Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x128", "bfloat16"),
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x16", "float16"),
        ("Cijk_Ailk_Bljk_SB_MT64x64x16", "float32"),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8", "float32"),
        ("sm86_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw", "tf32"),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align1>", "tf32"),
        ("void at::native::vectorized_elementwise_kernel<4, add<c10::BFloat16> >", None),
        ("nvjet_unknown", None),
        ("", None),
    ],
)
def test_the_precision_of_products(name, expected):
    assert product_precision(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("volta_sgemm_64x64_nt", "matrix product"),
        ("Cijk_Ailk_Bljk_SB_MT64x64x16", "matrix product"),
        ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", "convolution"),
        ("maxwell_scudnn_128x64_relu_interior_nn", "convolution"),
        ("void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>", "convolution"),
        ("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", "normalization"),
        (
            "void at::native::vectorized_layer_norm_kernel<float>",
            "normalization",
        ),
        ("void at::native::(anonymous namespace)::max_pool_forward_nchw<float>", "pooling"),
        ("void pytorch_flash::flash_fwd_kernel<traits>", "attention"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "communication"),
        ("void cudnn::ops::nchwToNhwcKernel<float>", "copy and layout"),
        ("void at::native::vectorized_elementwise_kernel<4, AddFunctor<float> >", "elementwise"),
        ("void at::native::reduce_kernel<512, 1, ReduceOp<float> >", "reduction"),
        ("my_kernel", OTHER),
    ],
)
def test_kinds(name, expected):
    assert kind(name) == expected
