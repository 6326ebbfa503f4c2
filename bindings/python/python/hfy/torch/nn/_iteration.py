"""The Hopfield update, as often as asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ._per_head import count_or_unlimited, head_tensor, one_per_head, positive, whole


@dataclass(frozen=True)
class Stopping:
    """When the updates of a head end: after `most` of them, or once one changes the association by no more than `eps`.

    `most` is None for a head that goes on until it has converged, at the longest for `limit` updates.
    """

    most: tuple[int | None, ...]
    eps: tuple[float, ...]
    limit: int

    @classmethod
    def read(cls, heads: int, most: object, eps: object, limit: object) -> Stopping:
        return cls(
            one_per_head("update_steps_max", most, heads, count_or_unlimited),
            one_per_head("update_steps_eps", eps, heads, positive),
            whole("update_steps_limit", limit, 1),
        )

    @property
    def allowed(self) -> tuple[int, ...]:
        return tuple(self.limit if most is None else most for most in self.most)


@dataclass(frozen=True)
class Iteration:
    """Where the updates ended: the association, the state that has it, and the updates made (batch, heads)."""

    association: Tensor
    state: Tensor
    steps: Tensor


def change(after: Tensor, before: Tensor) -> Tensor:
    """How far two associations lie apart, (batch, heads): the Frobenius norm over queries and stored patterns."""
    distance: Tensor = (after - before).float().flatten(2).norm(dim=-1)
    return distance


def iterate(
    state: Tensor, associate: Callable[[Tensor], Tensor], update: Callable[[Tensor], Tensor], stopping: Stopping
) -> Iteration:
    """Associates, then updates the state and associates again, until each head of each element has ended.

    Each element ends by itself, so that its answer does not depend on what else is in the batch.
    """
    association = associate(state)
    batch, heads = association.shape[:2]
    steps = torch.zeros(batch, heads, dtype=torch.int64, device=association.device)
    most = max(stopping.allowed)
    if most == 0:
        return Iteration(association, state, steps)
    allowed = head_tensor(stopping.allowed, association).reshape(1, heads)
    eps = head_tensor(stopping.eps, association).reshape(1, heads)
    settled = torch.zeros_like(steps, dtype=torch.bool)
    # A compiled graph has a fixed number of updates: heads that have ended stay as they are.
    unrolled = torch.compiler.is_compiling() and None not in stopping.most
    for step in range(most):
        active = ~settled & (allowed > step)
        if not unrolled and not bool(active.any()):
            break
        state = torch.where(active[:, :, None, None], update(association).to(state.dtype), state)
        # Where the state stayed, so does its association.
        updated = associate(state)
        with torch.no_grad():
            steps = steps + active
            settled = settled | (active & (change(updated, association) <= eps))
        association = updated
    unlimited = [head for head, count in enumerate(stopping.most) if count is None]
    if unlimited and not bool(settled[:, unlimited].all()):
        rule = "a head of an element of the batch still changed by more than update_steps_eps"
        warnings.warn(f"update_steps_limit = {stopping.limit}: {rule}", RuntimeWarning, stacklevel=2)
    return Iteration(association, state, steps)
