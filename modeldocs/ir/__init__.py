"""The intermediate representation: graphs of layers as plain data, for every framework."""

from modeldocs.ir.document import FORMAT, decode, document, encode, schema
from modeldocs.ir.graph import LayerGraph
from modeldocs.ir.layer import (
    Attribute,
    Body,
    Constant,
    GraphInput,
    GraphOutput,
    Layer,
    Module,
    Operand,
    Origin,
    Parameter,
)
from modeldocs.ir.steps import Cast, Reshape, Step, Transpose
from modeldocs.ir.tensor import Dim, Shape, TensorType, bits
from modeldocs.ir.totals import Totals

__all__ = [
    "FORMAT",
    "Attribute",
    "Body",
    "Cast",
    "Constant",
    "Dim",
    "GraphInput",
    "GraphOutput",
    "Layer",
    "LayerGraph",
    "Module",
    "Operand",
    "Origin",
    "Parameter",
    "Reshape",
    "Shape",
    "Step",
    "TensorType",
    "Totals",
    "Transpose",
    "bits",
    "decode",
    "document",
    "encode",
    "schema",
]
