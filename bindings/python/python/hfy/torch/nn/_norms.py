"""The normalisation of the inputs."""

from __future__ import annotations

from torch import Tensor, nn


def input_norm(
    name: str, wanted: bool, affine: bool, eps: float, depth: int | None, needed: int | None
) -> nn.LayerNorm | None:
    """The LayerNorm of an input, which must have the depth that is needed after it."""
    if not wanted:
        return None
    if depth is None:
        raise ValueError(f"normalize_{name} = True: it needs the depth to normalise, from input_size")
    if needed not in (None, depth):
        rule = f"a static input enters a head with depth {needed}, and its normalisation has depth {depth}"
        raise ValueError(f"{name}_as_static = True with normalize_{name} = True: {rule}; they must be equal")
    return nn.LayerNorm(depth, eps=eps, elementwise_affine=affine)


def normalised(name: str, patterns: Tensor, norm: nn.LayerNorm | None, needed: int | None) -> Tensor:
    """Patterns of the depth that they must have, and normalised if they are to be."""
    depth = needed if norm is None else norm.normalized_shape[0]
    if depth is not None and patterns.shape[-1] != depth:
        raise ValueError(f"{name} have depth {patterns.shape[-1]}: it must be {depth}")
    return patterns if norm is None else norm(patterns)
