"""Images that are sampled, cut into blocks, and pooled by norms, in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import sampling, windows
from modeldocs.generators.pytorch.layers import pad
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method
from modeldocs.generators.windows import pair


def grid_sample(site: Site) -> ast.expr:
    """`F.grid_sample`."""
    own = sampling.sampling(site)
    is_volume = len(site.shape(0)) == 5
    if len(site.shape(0)) not in (4, 5) or (is_volume and own.mode == "cubic"):
        raise site.unsupported("PyTorch samples images, and volumes linearly")
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(own.mode, own.mode)
    return call(
        "F.grid_sample",
        site.operand(0),
        site.operand(1),
        mode=mode,
        padding_mode=own.padding,
        align_corners=own.is_aligned,
    )


def space_to_depth(site: Site) -> ast.expr:
    """`F.pixel_unshuffle` of one channel, else by a function of the program."""
    factor = int(site.layer.number("blocksize", 1))
    if site.shape(0)[1] == 1:
        site.alone = call("nn.PixelUnshuffle", downscale_factor=factor)
        return call("F.pixel_unshuffle", site.data(), downscale_factor=factor)
    return call("space_to_depth", site.data(), factor=factor)


def depth_to_space(site: Site) -> ast.expr:
    """`F.pixel_shuffle`; where the place in a block counts first, by a function of the program."""
    factor = int(site.layer.number("blocksize", 1))
    if site.attributes.get("mode", "DCR") != "CRD" and site.layer.outputs[0].shape[1] != 1:  # type: ignore[index]
        return call("depth_to_space", site.data(), factor=factor)
    site.alone = call("nn.PixelShuffle", upscale_factor=factor)
    return call("F.pixel_shuffle", site.data(), upscale_factor=factor)


def lp_pool(site: Site) -> ast.expr:
    """`F.lp_pool2d` and its kin, of absolute values."""
    rank, kernel, steps = windows.spatial(site), site.layer.sizes("kernel_shape"), None
    if tuple(kernel) != windows.strides(site):
        steps = pair(windows.strides(site))
    if max(windows.dilations(site)) > 1:
        raise site.unsupported("PyTorch has no dilated pooling by a norm")
    amounts, order = windows.reach(site), int(site.layer.number("p", 2))
    source = site.data()
    if order % 2:
        source = method(source, "abs")
    if any(map(any, amounts)):
        source = pad(source, [one[0] for one in amounts], [one[1] for one in amounts], 0.0)
    settings = {"norm_type": order, "kernel_size": pair(kernel), "stride": steps}
    return call(f"F.lp_pool{rank}d", source, **settings)


def global_lp_pool(site: Site) -> ast.expr:
    """A norm over all of an image."""
    axes = tuple(range(2, len(site.shape(0))))
    order = int(site.layer.number("p", 2))
    return method(site.data(), "norm", order, dim=axes, keepdim=True)


TABLE: dict[str, Lowering] = {
    "DepthToSpace": depth_to_space,
    "GlobalLpPool": global_lp_pool,
    "GridSample": grid_sample,
    "LpPool": lp_pool,
    "SpaceToDepth": space_to_depth,
}
