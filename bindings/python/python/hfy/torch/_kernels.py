"""The kernels on tensors: numpy sees their memory, and torch allocates what is returned."""

import warnings
from typing import Any, Optional

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import _hfy

HALVES = frozenset({torch.float16, torch.bfloat16})
FLOATS = HALVES | {torch.float32, torch.float64}

_through_the_host_was_said = False


def weights(x: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int) -> Tensor:
    """The weights of a map, of the shape and strides of `x`."""
    if x.numel() == 0:
        return torch.empty_like(x)
    out = torch.empty_like(x) if x.is_cpu else torch.empty_like(x, device="cpu")
    _hfy.forward(
        omega,
        array(x),
        None if parameter is None else numbers(parameter),
        axis=dim,
        mask=None if mask is None else array(mask),
        out=array(out),
        bfloat16=x.dtype is torch.bfloat16,
    )
    return out if x.is_cpu else out.to(x.device)


def pulled(
    y: Tensor, gradient: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    """The gradient in the scores, from the weights and the gradient upstream."""
    try:
        return _pulled(y, gradient, parameter, mask, omega, dim)
    except ValueError:
        spoilt = _spoilt_rows(y, gradient, dim)
        if not spoilt.any():
            raise
        kept = _pulled(y, gradient.masked_fill(spoilt, 0), parameter, mask, omega, dim)
        return kept.masked_fill_(spoilt & (y != 0), torch.nan)


def _pulled(
    y: Tensor, gradient: Tensor, parameter: Optional[Tensor], mask: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    if y.numel() == 0:
        return torch.empty_like(y)
    out = torch.empty_like(y) if y.is_cpu else torch.empty_like(y, device="cpu")
    _hfy.pullback(
        omega,
        array(y),
        array(gradient),
        None if parameter is None else numbers(parameter),
        axis=dim,
        mask=None if mask is None else array(mask),
        out=array(out),
        bfloat16=y.dtype is torch.bfloat16,
    )
    return out if y.is_cpu else out.to(y.device)


def parameter_gradient(
    x: Optional[Tensor],
    y: Tensor,
    gradient: Tensor,
    parameter: Tensor,
    mask: Optional[Tensor],
    omega: str,
    dim: int,
) -> Tensor:
    """The gradient in the parameter, of its shape and dtype. The bounds of `bounded` need the scores, others do not."""
    if y.numel() == 0:
        return torch.zeros_like(parameter)
    settings: dict[str, Any] = {"axis": dim, "mask": None if mask is None else array(mask), "bfloat16": y.dtype is torch.bfloat16}

    def pull(gradient: Tensor) -> Tensor:
        if omega == "bounded":
            assert x is not None
            found = _hfy.upper_vjp(array(x), array(y), array(gradient), numbers(parameter), **settings)
        else:
            found = _hfy.parameter_vjp(omega, array(y), array(gradient), numbers(parameter), **settings)
        return torch.from_numpy(np.asarray(found)).to(parameter.device)

    try:
        found = pull(gradient)
    except ValueError:
        spoilt = _spoilt_rows(y, gradient, dim)
        if not spoilt.any():
            raise
        if omega == "bounded":
            spoilt = spoilt.expand_as(y)
        nothing = torch.zeros(spoilt.shape, dtype=torch.float64, device=spoilt.device)
        lost = nothing.masked_fill_(spoilt, torch.nan).sum_to_size(parameter.shape)
        found = pull(gradient.masked_fill(spoilt, 0)) + lost.to(parameter.device)
    return found.to(parameter.dtype)


def losses(
    x: Tensor,
    target: Tensor,
    parameter: Optional[Tensor],
    mask: Optional[Tensor],
    omega: str,
    ignore_index: Optional[int],
) -> tuple[Tensor, Tensor]:
    """The Fenchel-Young loss of each row along the last axis, and its gradient in the scores: weights less target."""
    if x.numel() == 0:
        return x.new_zeros(x.shape[:-1]), x.new_zeros(x.shape)
    found, gradient = _hfy.loss(
        omega,
        array(x),
        array(target.to(x.dtype) if target.is_floating_point() else target),
        None if parameter is None else numbers(parameter),
        mask=None if mask is None else array(mask),
        reduction="none",
        ignore_index=ignore_index,
        return_gradient=True,
        bfloat16=x.dtype is torch.bfloat16,
    )
    slopes = torch.from_numpy(np.ascontiguousarray(gradient))
    slopes = slopes.view(torch.bfloat16) if x.dtype is torch.bfloat16 else slopes
    return torch.from_numpy(np.asarray(found)).to(x.device, x.dtype), slopes.to(x.device)


def array(tensor: Tensor) -> NDArray[Any]:
    """The memory of a tensor as numpy sees it: for bfloat16 the bits, for other devices a copy."""
    if not tensor.is_cpu:
        _say_that_it_goes_through_the_host(tensor.device)
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.view(torch.uint16)
    return tensor.numpy(force=True)


def numbers(parameter: Tensor) -> NDArray[Any]:
    """A parameter as numpy sees it."""
    # Beside scores of another type the bits of bfloat16 would not be understood.
    return array(parameter.float() if parameter.dtype is torch.bfloat16 else parameter)


def _spoilt_rows(y: Tensor, gradient: Tensor, dim: int) -> Tensor:
    """Rows whose gradient upstream is not finite. Their own is then NaN and no error: scaling of losses counts on it."""
    return (~gradient.isfinite() & (y != 0)).any(dim, keepdim=True)


def _say_that_it_goes_through_the_host(device: torch.device) -> None:
    global _through_the_host_was_said
    if not _through_the_host_was_said:
        _through_the_host_was_said = True
        words = f"hfy.torch computes tensors on {device.type} on the host: they are copied there and back (said once)"
        warnings.warn(words, stacklevel=2)
