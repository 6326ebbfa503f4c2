"""The association itself: projections, scores, updates, answer, and report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from ._iteration import Iteration, Stopping, change, iterate
from ._masks import Mask
from ._omega import Omega
from ._per_head import along_heads, head_tensor, one_per_head, positive, register_per_head
from ._projections import Projections
from ._psi import AffineLayerNorm, Psi
from ._sizes import Sizes
from .report import AssociationReport


@dataclass(frozen=True)
class Association:
    """What a pass through the core leaves: enough for the output, and for a report."""

    iteration: Iteration
    keys: Tensor
    values: Tensor
    mask: Mask


class AssociationCore(Projections):
    """The Hopfield update `q <- ŷ_Ψ(Kᵀ ŷ_Ω(β K q))` in every head, and the answer `ŷ_Ψ(Vᵀ ŷ_Ω(β K q))`."""

    def __init__(
        self,
        sizes: Sizes,
        *,
        omega: Omega,
        psi: Psi | AffineLayerNorm,
        psi_patterns: bool,
        scaling: float | Sequence[float] | Tensor | None,
        stopping: Stopping,
        dropout: float,
        joint: bool,
        bias: bool,
        norm_affine: bool,
        norm_eps: float,
        bias_patterns: bool,
        zero_pattern: bool,
    ) -> None:
        super().__init__(
            sizes,
            joint=joint,
            bias=bias,
            norm_affine=norm_affine,
            norm_eps=norm_eps,
            bias_patterns=bias_patterns,
            zero_pattern=zero_pattern,
        )
        self.omega, self.psi, self.psi_patterns, self.stopping = omega, psi, psi_patterns, stopping
        self.dropout = dropout
        if scaling is None:
            scaling = 1.0 if sizes.wiring.without_weights else 1.0 / math.sqrt(sizes.hidden or 1)
        each = one_per_head("scaling", scaling, sizes.heads, positive)
        if not isinstance(scaling, (int, float)):
            scaling = scaling if isinstance(scaling, Tensor) else torch.tensor(each, dtype=torch.float64)
            register_per_head(self, "beta", scaling, sizes.heads)
        else:
            self.beta = each[0]

    def associate(
        self, state: Tensor, stored: Tensor, projection: Tensor, mask: Mask, absent: Tensor | None
    ) -> Association:
        """From inputs (batch, length, depth) to the end of the updates.

        `mask` is about the stored patterns as given. `absent` (batch, queries) says True where there is no query at
        all.
        """
        state, keys, values = self(state, stored, projection)
        if self.psi_patterns:
            state, keys, values = self.psi(state), self.psi(keys), self.psi(values)
        mask = mask.with_patterns(self.added)
        if absent is not None:
            mask = mask.both(Mask(keep=~absent[:, None, :, None]))
        iteration = iterate(
            state,
            lambda state: self.omega(self.scores(state, keys, mask), mask.keep),
            lambda association: self.psi(association @ keys),
            self.stopping,
        )
        return Association(iteration, keys, values, mask)

    def scores(self, state: Tensor, keys: Tensor, mask: Mask) -> Tensor:
        """β K q, and what the mask adds: (batch, heads, queries, stored)."""
        beta = self.beta if isinstance(self.beta, float) else along_heads(self.beta).to(state.dtype)
        scores = (state * beta) @ keys.transpose(-1, -2)
        return scores if mask.added is None else scores + mask.added.to(scores.dtype)

    def answer(self, found: Association) -> Tensor:
        """The output (batch, queries, output_size) of an association."""
        weights = functional.dropout(found.iteration.association, self.dropout, self.training)
        return self.output(self.psi(weights @ found.values))

    @torch.no_grad()
    def report(self, found: Association) -> AssociationReport:
        """What an association did."""
        iteration, keys, mask = found.iteration, found.keys, found.mask
        scores = self.scores(iteration.state, keys, mask)
        beta = self.beta if isinstance(self.beta, float) else self.beta.double().reshape(-1, 1)
        energy = self.psi.value(iteration.state) - self.omega.conjugate(scores, mask.keep) / beta
        onward = self.omega(self.scores(self.psi(iteration.association @ keys).to(keys.dtype), keys, mask), mask.keep)
        residual = change(onward, iteration.association)
        batch = len(iteration.association)
        return AssociationReport(
            association=iteration.association.detach(),
            state=iteration.state.detach().expand(batch, -1, -1, -1),
            stored=keys.detach().expand(batch, -1, -1, -1),
            energy=energy,
            steps=iteration.steps,
            residual=residual,
            converged=residual <= head_tensor(self.stopping.eps, residual).reshape(1, -1),
        )
