"""The table of layers that are fused in one port and decomposed in another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final


@dataclass(frozen=True)
class Term:
    """A layer of a pattern: its operator, its operands and its conditions.

    A term of one letter is a variable: any value, the same one wherever the letter occurs.
    `attributes` are required values of attributes (`$name`: that of the fused layer's attribute
    `name`), `learned` the roles of required parameters.
    """

    name: str
    operands: tuple[Term, ...] = ()
    attributes: tuple[tuple[str, Any], ...] = ()
    learned: tuple[str, ...] = ()

    @property
    def variable(self) -> bool:
        """Whether the term stands for any value."""
        return len(self.name) == 1


@dataclass(frozen=True)
class Pattern:
    """A fused layer, its decomposition, and the consequence of this difference.

    Where the `consequence` is spelling, both have the same number of parameters.
    """

    layer: str
    text: str
    consequence: str = "spelling"

    @cached_property
    def fused(self) -> Term:
        """The fused layer, with its conditions."""
        return _Reader(self.layer).term()

    @cached_property
    def term(self) -> Term:
        """The decomposition: its last layer, with its operands."""
        return _Reader(self.text).term()


PATTERNS: Final = (
    Pattern("Conv", "BatchNormalization(Conv(x))", "parameters"),
    Pattern("Conv", "Add[+B](Mul[+B](BatchNormalization(Conv(x))))", "parameters"),
    Pattern("Conv", "Mul[+B](BatchNormalization(Conv(x)))", "parameters"),
    Pattern("Conv", "Add[+B](Mul[+B](Conv(x)))", "parameters"),
    Pattern("Conv", "Add[+B](Conv(x))"),
    Pattern("ConvTranspose", "BatchNormalization(ConvTranspose(x))", "parameters"),
    Pattern("dense", "BatchNormalization(dense(x))", "parameters"),
    Pattern("dense", "Add[+B](dense(x))"),
    Pattern("BatchNormalization", "Add[+B](Mul[+B](BatchNormalization(x)))"),
    Pattern("BatchNormalization", "Add[+B](Mul[+B](x))", "parameters"),
    Pattern("Swish[alpha=1]", "Mul(x, Sigmoid(x))"),
    Pattern("HardSwish", "Mul(x, HardSigmoid[alpha=0.1666667,beta=0.5](x))"),
    Pattern("HardSwish", "Div[B=6](Mul(x, Clip[min=0,max=6](Add[B=3](x))))"),
    Pattern("HardSwish", "Mul[B=0.1666667](Mul(x, Clip[min=0,max=6](Add[B=3](x))))"),
    Pattern("HardSwish", "Mul(x, Div[B=6](Clip[min=0,max=6](Add[B=3](x))))"),
    Pattern("HardSigmoid[alpha=0.1666667,beta=0.5]", "Div[B=6](Clip[min=0,max=6](Add[B=3](x)))"),
    Pattern("HardSigmoid", "Clip[min=0,max=1](Add[B=$beta](Mul[B=$alpha](x)))"),
    Pattern("Mish", "Mul(x, Tanh(Softplus(x)))"),
    Pattern("Softplus", "Log(Add[B=1](Exp(x)))"),
    Pattern("Gelu[approximate=none]", "Mul[B=0.5](Mul(x, Add[B=1](Erf(Div[B=1.414214](x)))))"),
    Pattern("Gelu[approximate=none]", "Mul(Mul[B=0.5](x), Add[B=1](Erf(Div[B=1.414214](x))))"),
    Pattern("Gelu[approximate=none]", "Mul(Mul[B=0.5](x), Add[B=1](Erf(Mul[B=0.7071068](x))))"),
    Pattern("LeakyRelu", "Max(x, Mul[B=$alpha](x))"),
    Pattern("Clip[min=0]", "Clip[max=$max](Relu(x))"),
    Pattern("Clip[min=0]", "Min[B=$max](Relu(x))"),
    Pattern("LogSoftmax", "Log(Softmax[axis=$axis](x))"),
    Pattern("Softmax", "Exp(LogSoftmax[axis=$axis](x))"),
    Pattern("Softmax", "Div(Exp(x), ReduceSum[axes=$axis](Exp(x)))"),
    Pattern("LpNormalization", "Div(x, ReduceL2[axes=$axis](x))"),
    Pattern("LpNormalization", "Div(x, Clip[min=$epsilon](ReduceL2[axes=$axis](x)))"),
    Pattern("LpNormalization", "Div(x, Max[B=$epsilon](ReduceL2[axes=$axis](x)))"),
    Pattern("LpNormalization", "Div(x, Add[B=$epsilon](ReduceL2[axes=$axis](x)))"),
    Pattern("LpNormalization", "Div(x, Sqrt(ReduceSum[axes=$axis](Mul(x, x))))"),
    Pattern("LpNormalization", "Div(x, Sqrt(Add[B=$epsilon](ReduceSum[axes=$axis](Mul(x, x)))))"),
    Pattern("LpNormalization", "Div(x, Sqrt(Add[B=$epsilon](ReduceSum[axes=$axis](Pow[B=2](x)))))"),
    Pattern(
        "LayerNormalization",
        "Add[+B](Mul[+B](Div(Sub(x, ReduceMean[axes=$axis](x)), Sqrt(Add[B=$epsilon]("
        "ReduceMean[axes=$axis](Pow[B=2](Sub(x, ReduceMean[axes=$axis](x)))))))))",
    ),
    Pattern(
        "LayerNormalization",
        "Add[+B](Mul[+B](Div(Sub(x, ReduceMean[axes=$axis](x)), Sqrt(Add[B=$epsilon]("
        "ReduceMean[axes=$axis](Mul(Sub(x, ReduceMean[axes=$axis](x)),"
        " Sub(x, ReduceMean[axes=$axis](x)))))))))",
    ),
    Pattern(
        "LayerNormalization",
        "Div(Sub(x, ReduceMean[axes=$axis](x)), Sqrt(Add[B=$epsilon]("
        "ReduceMean[axes=$axis](Pow[B=2](Sub(x, ReduceMean[axes=$axis](x)))))))",
    ),
    Pattern("LayerNormalization", "Add[+B](Mul[+B](LayerNormalization[epsilon=$epsilon](x)))"),
    Pattern(
        "RMSNormalization",
        "Mul[+B](Div(x, Sqrt(Add[B=$epsilon](ReduceMean[axes=$axis](Pow[B=2](x))))))",
    ),
    Pattern(
        "RMSNormalization",
        "Mul[+B](Mul(x, Reciprocal(Sqrt(Add[B=$epsilon](ReduceMean[axes=$axis](Pow[B=2](x)))))))",
    ),
    Pattern("GlobalAveragePool", "ReduceMean(ReduceMean(x))"),
    Pattern("GlobalMaxPool", "ReduceMax(ReduceMax(x))"),
)
"""`Operator[conditions](operands)`; `+B` is a learned operand of one value a channel, `B=3` a
constant one, `$name` the value of the fused layer's attribute of that name (of several axes the
first). `dense` is any product with a weight."""


class _Reader:
    """Reads a pattern's text."""

    def __init__(self, text: str) -> None:
        self.words: list[str] = re.findall(r"[A-Za-z_]\w*|[-\d.]+|[$+\[\](),=]", text)

    def term(self) -> Term:
        """The next term."""
        name = self.words.pop(0)
        wanted, learned = self._conditions()
        operands = self._operands()
        return Term(name, operands, tuple(wanted), tuple(learned))

    def _conditions(self) -> tuple[list[tuple[str, Any]], list[str]]:
        wanted: list[tuple[str, Any]] = []
        learned: list[str] = []
        if self.words[:1] != ["["]:
            return wanted, learned
        while self.words.pop(0) != "]":
            word = self.words.pop(0)
            if word == "+":
                learned.append(self.words.pop(0))
                continue
            self.words.pop(0)
            wanted.append((word, self._value(self.words.pop(0))))
        return wanted, learned

    def _value(self, word: str) -> float | str:
        if word == "$":
            return f"${self.words.pop(0)}"
        return word if word.isalpha() else float(word)

    def _operands(self) -> tuple[Term, ...]:
        operands: list[Term] = []
        if self.words[:1] == ["("]:
            while self.words.pop(0) != ")":
                operands.append(self.term())
        return tuple(operands)
