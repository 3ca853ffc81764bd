"""Failures of files that are written for Chainer 1, explained."""

from __future__ import annotations

import re

from modeldocs.errors import ModeldocsError

_REMOVED = re.compile(
    r"is not supported anymore"
    r"|cannot import name 'FunctionSet'|has no attribute 'FunctionSet'"
    r"|module 'chainer\.functions' has no attribute '(Linear|Convolution2D|BatchNormalization|"
    r"Deconvolution2D|EmbedID|PReLU|Inception|InceptionBN|Parameter|NegativeSampling)'"
    r"|unexpected keyword argument '(volatile|wscale|use_cudnn)'"
)
"""What Python and Chainer 7 say of names that Chainer 7 no longer has."""


def explained(error: ModeldocsError) -> ModeldocsError:
    """An error, with another fix where the port uses what only Chainer 1 had."""
    if _REMOVED.search(error.reason) is None:
        return error
    return ModeldocsError(
        error.reason,
        file=error.file,
        line=error.line,
        fix="it is written for Chainer 1: spell it as Chainer 7 does (links are in chainer.links, "
        "the mode is chainer.config.train)",
    )
