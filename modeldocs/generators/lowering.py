"""The operations of a network by a target's table."""

from __future__ import annotations

from collections.abc import Mapping

from modeldocs.errors import ModeldocsError
from modeldocs.generators.layouts import Layouts, tensor
from modeldocs.generators.lowered import LoweredNetwork
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Network
from modeldocs.generators.no_program import NoProgramError
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.site import Lowering, Site


def lower(
    network: Network, table: Mapping[str, Lowering], moves: Moves, orders: Layouts
) -> LoweredNetwork:
    """The operations of a network, in its order.

    Raises:
        NoProgramError: a layer has no program; the error names it.
    """
    lowered = LoweredNetwork(network, moves, orders)
    for layer in network.graph.layers:
        site = Site(layer, lowered)
        if layer.operator not in table:
            raise site.unsupported("the target has no program for this operator")
        try:
            expression = table[layer.operator](site)
        except NoProgramError:
            raise
        except ModeldocsError as error:
            raise site.unsupported(error.reason) from error
        every = tuple(tensor(layer.id, index) for index in range(len(layer.outputs)))
        lowered.operations.append(
            LoweredOperation(
                layer.id, site.results or every, expression, tuple(site.parts), site.alone
            )
        )
    return lowered
