"""Any map by its name: the one door that all others go through."""

from typing import Any, Optional, Union

import torch
from torch import Tensor

from ._formulas import needs_exact_weights
from ._kernels import FLOATS, HALVES
from ._weights import weights

Parameter = Union[float, Tensor, None]


def separation(
    x: Tensor, omega: str, parameter: Parameter = None, dim: int = -1, *, mask: Optional[Tensor] = None
) -> Tensor:
    """The weights of the map that a text names, along an axis. Differentiable twice and more, in `x` and in `parameter`.

    Parameters
    ----------
    x : tensor of any shape
        float16, bfloat16, float32 or float64. What is returned has its shape, dtype, device and strides.
    omega : str
        "softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:4", "sequence:2:t=0.5", ...; or a name that `parameter`
        completes: "entmax", "normmax", "subsets", "power", "bounded".
    parameter : number or tensor, optional
        alpha, gamma, k, r, or the upper bounds. A tensor broadcasts against `x` with `dim` cut down to length one (bounds: against
        `x`), and has a gradient.
    dim : int
        The axis that a row lies along.
    mask : tensor of bool, optional
        Broadcasts to `x`. **True = takes part**: False hides an entry, whose weight is exactly 0. So does a score of minus
        infinity. A row with nothing left gives zeros, and its gradient is zero.

    Scores of NaN or plus infinity are a ValueError. A gradient upstream that is not finite gives NaN in its row, as the scaling of
    losses expects. Tensors on other devices are copied to the host and back.

    >>> import torch
    >>> from hfy.torch import separation
    >>> x = torch.tensor([[1.0, 0.5, -1.0], [0.0, 3.0, 0.0]])
    >>> separation(x, "sparsemax")
    tensor([[0.7500, 0.2500, 0.0000],
            [0.0000, 1.0000, 0.0000]])
    >>> alpha = torch.tensor([[1.0], [2.0]], requires_grad=True)
    >>> separation(x, "entmax", alpha)[0].detach()
    tensor([0.5741, 0.3482, 0.0777])
    """
    x, parameter, omega, dim = checked(x, omega, parameter, dim, mask)
    wide = x.float() if x.dtype in HALVES and needs_exact_weights(omega) else x
    weighed: Tensor = weights(wide, parameter, mask, omega, dim)
    return weighed if wide is x else weighed.to(x.dtype)


def checked(
    x: Tensor, omega: str, parameter: Parameter, dim: int, mask: Optional[Tensor]
) -> tuple[Tensor, Optional[Tensor], str, int]:
    """Scores, parameter, text and axis as primitives take them: no numbers apart, an axis from the end, no halves in autocast."""
    if not isinstance(x, Tensor) or x.dtype not in FLOATS:
        _refuse_scores(x)
    axes = x.dim()
    if not -axes <= dim < axes:
        _refuse_dim(dim, axes)
    if mask is not None:
        _check_mask(mask)
    if parameter is not None and not isinstance(parameter, Tensor):
        omega, parameter = _with_number(omega, parameter)
    if x.dtype in HALVES and torch.is_autocast_enabled(x.device.type):
        x = x.float()  # as torch does for softmax on CUDA
    return x, parameter, omega, dim if dim < 0 else dim - axes


def _with_number(omega: str, number: float) -> tuple[str, Optional[Tensor]]:
    """A number goes into the text, but for bounds, whose text has one an entry."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"parameter is a {type(number).__name__}; expected a number or a tensor")
    if omega == "bounded":
        return omega, torch.tensor(number, dtype=torch.float64)
    return f"{omega}:{float(number)!r}", None


def _refuse_scores(x: Any) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"x is a {type(x).__name__}; expected a tensor")
    raise TypeError(f"x is of dtype {x.dtype}; expected float16, bfloat16, float32 or float64")


def _refuse_dim(dim: int, axes: int) -> None:
    if axes == 0:
        raise ValueError("x is a single number; expected a tensor with at least one axis")
    raise ValueError(f"dim = {dim}, but x has {axes} axes; expected {-axes} to {axes - 1}")


def _check_mask(mask: Any) -> None:
    if not isinstance(mask, Tensor):
        raise TypeError(f"mask is a {type(mask).__name__}; expected a tensor of bool, True for what takes part")
    if mask.dtype is not torch.bool:
        raise TypeError(f"mask is of dtype {mask.dtype}; expected bool, True for what takes part")
