"""Comparisons mirrored: what was computed with A and B exchanged, with A first again."""

from __future__ import annotations

import msgspec

from modeldocs.diff import Diff, Direction, Divergence, Law, Pair, Returned, Uncompared


def diff(forward: Diff) -> Diff:
    """The matches and changes of a diff with A and B exchanged."""
    replace = msgspec.structs.replace
    return replace(
        forward,
        a=forward.b,
        b=forward.a,
        matches=tuple(match.mirrored() for match in forward.matches),
        changes=tuple(
            replace(change, pairs=tuple(pair[::-1] for pair in change.pairs))
            for change in forward.changes
        ),
    )


def direction(backward: Direction) -> Direction:
    """A direction that was computed with A and B exchanged, with A first again."""
    first, end = backward.first, backward.end
    return msgspec.structs.replace(
        backward,
        end=(end[1], end[0]) if end else None,
        first=_divergence(first) if first else None,
        divergences=tuple(map(_divergence, backward.divergences)),
        returned=tuple(map(_returned, backward.returned)),
        partly=tuple(
            msgspec.structs.replace(
                one,
                pairs=_turned(one.pairs),
                names=tuple(names[::-1] for names in one.names),
            )
            for one in backward.partly
        ),
        clusters=tuple(
            msgspec.structs.replace(one, pairs=_turned(one.pairs)) for one in backward.clusters
        ),
        uncompared=tuple(
            Uncompared(pair=(item.pair[1], item.pair[0]), reason=item.reason)
            for item in backward.uncompared
        ),
        weights=msgspec.structs.replace(
            backward.weights,
            mapped=tuple(
                msgspec.structs.replace(item, pair=(item.pair[1], item.pair[0]))
                for item in backward.weights.mapped
            ),
        ),
    )


def _turned(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return tuple((ours, theirs) for theirs, ours in pairs)


def _divergence(divergence: Divergence) -> Divergence:
    return msgspec.structs.replace(
        divergence,
        pair=(divergence.pair[1], divergence.pair[0]),
        operators=divergence.operators[::-1],
        names=divergence.names[::-1],
        laws=tuple(Law(one.name, one.after, one.before) for one in divergence.laws),
    )


def _returned(one: Returned) -> Returned:
    replace = msgspec.structs.replace
    mirror = {"places": one.places[::-1], "shapes": one.shapes[::-1], "types": one.types[::-1]}
    return replace(one, a=one.b, b=one.a, **mirror)
