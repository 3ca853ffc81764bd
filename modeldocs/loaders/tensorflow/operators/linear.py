"""Matrix products."""

from __future__ import annotations

from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits


@emits("MatMul")
def matrix_product(emission: Emission) -> Results:
    """Gemm: transposed operands stay settings, and a bias can join it."""
    turned = [int(bool(emission.attribute(f"transpose_{side}", False))) for side in "ab"]
    made = emission.node(
        "Gemm", [emission.value(0), emission.value(1)], transA=turned[0], transB=turned[1]
    )
    return [emission.is_main(made)]


@emits("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batched_product(emission: Emission) -> Results:
    """MatMul over the last two axes."""
    operands = []
    for slot, name in ((0, "adj_x"), (1, "adj_y")):
        value, rank = emission.value(slot), len(emission.shape(slot))
        if emission.attribute(name, False):
            value = emission.transpose(value, (*range(rank - 2), rank - 1, rank - 2))
        operands.append(value)
    return emission.result("MatMul", operands)


@emits("Einsum")
def einsum(emission: Emission) -> Results:
    """Einsum, whose equation the two write alike."""
    equation = emission.attribute("equation")
    if not isinstance(equation, str):
        raise UnsupportedError("has no equation")
    return emission.result("Einsum", emission.values(), equation=equation)
