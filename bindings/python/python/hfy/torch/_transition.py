"""A transition of sequential k-subsets that is learnt."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


class TransitionParameter(torch.nn.Module):
    """A learnable transition of sequential k-subsets: what neighbours score that are both chosen; its call gives it.

    Any number will do: positive ones choose neighbours together, negative ones apart. So `raw`, the only entry of the state
    dict, is the transition itself; it has the name that `AlphaParameter` gives to what is learnt. `shape` makes one
    transition a head.

    >>> import torch
    >>> from hfy.torch import TransitionParameter
    >>> from hfy.torch.nn import Hopfield
    >>> transition = TransitionParameter(0.5, shape=(2,))
    >>> layer = Hopfield(8, num_heads=2, omega="sequence:2", omega_parameter=transition)
    >>> layer(torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(0))).sum().backward()
    >>> transition().detach(), transition.raw.grad.shape
    (tensor([0.5000, 0.5000]), torch.Size([2]))
    """

    def __init__(self, initial: float = 0.0, shape: Sequence[int] = ()) -> None:
        super().__init__()
        if not math.isfinite(initial):
            raise ValueError(f"initial = {initial}; expected a finite number")
        self.raw = torch.nn.Parameter(torch.full(tuple(shape), float(initial)))

    def forward(self) -> Tensor:
        """The transitions, of the shape that was asked for."""
        return self.raw

    def extra_repr(self) -> str:
        """What `print` shows."""
        return f"shape={tuple(self.raw.shape)}"
