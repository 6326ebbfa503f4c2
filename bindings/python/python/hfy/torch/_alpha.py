"""An alpha that is learnt and cannot leave its domain."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


class AlphaParameter(torch.nn.Module):
    """A learnable alpha between `low` and `high`; its call gives it.

    alpha = low + (high - low) sigmoid(raw), or low + softplus(raw) where `high` is infinite, so that no step of an
    optimiser leads out of the domain. `raw` is the only entry of the state dict. `shape` makes one alpha a head or a
    row: for scores of shape (batch, heads, queries, keys) it is (heads, 1, 1).

    >>> import torch
    >>> from hfy.torch import AlphaParameter, entmax_bisect
    >>> alpha = AlphaParameter(1.5, shape=(2, 1, 1))
    >>> scores = torch.tensor([0.0, 1.0]).expand(3, 2, 1, 2)
    >>> entmax_bisect(scores, alpha())[0, 0, 0].detach()
    tensor([0.1693, 0.8307])
    >>> entmax_bisect(scores, alpha())[..., 0].sum().backward()
    >>> alpha.raw.grad.shape
    torch.Size([2, 1, 1])
    """

    def __init__(
        self, initial: float = 1.5, low: float = 1.0, high: float = 2.0, shape: Sequence[int] = ()
    ) -> None:
        super().__init__()
        if not 0 < low < high:
            raise ValueError(f"low = {low} and high = {high}; expected 0 < low < high")
        if not (low < initial < high and math.isfinite(initial)):
            raise ValueError(f"initial = {initial}; expected a number strictly between low = {low} and high = {high}")
        self.low, self.high = float(low), float(high)
        if math.isinf(high):
            raw = initial - low + math.log(-math.expm1(low - initial))
        else:
            raw = math.log((initial - low) / (high - initial))
        self.raw = torch.nn.Parameter(torch.full(tuple(shape), raw))

    def forward(self) -> Tensor:
        """The alphas, of the shape that was asked for."""
        if math.isinf(self.high):
            # Far down softplus rounds to nothing, and low itself is outside the domain.
            least = self.low * (1 + torch.finfo(self.raw.dtype).eps)
            return (self.low + torch.nn.functional.softplus(self.raw)).clamp(min=least)
        # The sum may be rounded across a bound; within, the clamp changes neither value nor gradient.
        return (self.low + (self.high - self.low) * torch.sigmoid(self.raw)).clamp(self.low, self.high)

    def extra_repr(self) -> str:
        """What `print` shows."""
        return f"low={self.low}, high={self.high}, shape={tuple(self.raw.shape)}"
