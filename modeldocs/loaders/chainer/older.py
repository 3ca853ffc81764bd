"""Files written for Chainer 1: told apart from mistakes, as Chainer 7 says what it dropped."""

from __future__ import annotations

import re

from modeldocs.errors import ModeldocsError

_DROPPED = re.compile(
    r"is not supported anymore"
    r"|cannot import name 'FunctionSet'|has no attribute 'FunctionSet'"
    r"|module 'chainer\.functions' has no attribute '(Linear|Convolution2D|BatchNormalization|"
    r"Deconvolution2D|EmbedID|PReLU|Inception|InceptionBN|Parameter|NegativeSampling)'"
    r"|unexpected keyword argument '(volatile|wscale|use_cudnn)'"
)


def explained(error: ModeldocsError) -> ModeldocsError:
    """An error with its fix, where what it says is that Chainer 1 was meant."""
    if _DROPPED.search(error.reason) is None:
        return error
    return ModeldocsError(
        error.reason,
        file=error.file,
        line=error.line,
        fix="it is written for Chainer 1: spell it as Chainer 7 does (links are in chainer.links, "
        "the mode is chainer.config.train)",
    )
