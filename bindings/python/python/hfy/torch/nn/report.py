"""What an association did."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class AssociationReport:
    """What an association did, without gradients. Made by `forward(..., return_report=True)` of the layers.

    Bags of different sizes stand in rows as long as the longest; what is beyond a bag has weight zero and infinite
    energy.

    >>> import torch
    >>> from hfy.torch.nn import Hopfield
    >>> stored = torch.eye(3)
    >>> memory = Hopfield.memory(3, omega="sparsemax", beta=4.0)
    >>> answer, report = memory((stored, torch.tensor([[0.1, 0.9, 0.2]]), stored), return_report=True)
    >>> report.pattern, report.support_sizes, report.support(0, 0, 0)
    (tensor([[[1]]]), tensor([[[1]]]), tensor([1]))
    """

    association: Tensor
    """Weights of the stored patterns, and then of those that the layer adds, (batch, heads, queries, stored)."""
    state: Tensor
    """The states whose associations these are, (batch, heads, queries, hidden_size)."""
    stored: Tensor
    """The stored patterns in the Hopfield space, (batch, heads, stored, hidden_size)."""
    energy: Tensor
    """E(q) = Ψ(q) - Ω*(β K q)/β of the states, (batch, heads, queries), float64; infinite outside the domain of Ψ,
    NaN with `psi_affine`."""
    steps: Tensor
    """Updates made, (batch, heads)."""
    residual: Tensor
    """By how much one more update would change the association, in the Frobenius norm, (batch, heads)."""
    converged: Tensor
    """Whether `residual` is at most `update_steps_eps`, (batch, heads)."""

    @property
    def support_sizes(self) -> Tensor:
        """How many stored patterns have weight, (batch, heads, queries)."""
        return (self.association > 0).sum(-1)

    @property
    def pattern(self) -> Tensor:
        """The first stored pattern of the largest weight, -1 where none has any, (batch, heads, queries)."""
        if self.association.shape[-1] == 0:
            return torch.full_like(self.energy, -1, dtype=torch.int64)
        largest, index = self.association.max(-1)
        return index.masked_fill(largest <= 0, -1)

    def support(self, batch: int, head: int, query: int) -> Tensor:
        """The indices of the stored patterns that have weight for one query."""
        return self.association[batch, head, query].nonzero().squeeze(-1)
