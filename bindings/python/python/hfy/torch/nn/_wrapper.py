"""What pooling and lookup have in common: a `Hopfield` one or two of whose inputs are learned."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .hopfield import Hopfield


def _of_hopfield(name: str) -> property:
    described = getattr(getattr(Hopfield, name, None), "__doc__", None) or f"As the argument `{name}` of `Hopfield`."
    return property(lambda self: getattr(self.hopfield, name), doc=described)


class HopfieldWrapper(nn.Module):
    """A module around `self.hopfield`, with its sizes and settings."""

    hopfield: Hopfield

    def __init__(self, input_size: int, options: dict[str, Any]) -> None:
        super().__init__()
        self.hopfield = Hopfield(input_size=input_size, **options)

    def _learned(self, quantity: int, depth: int, trainable: bool) -> nn.Parameter:
        """Learned patterns: (1, quantity, depth), or (quantity, 1, depth) without batch_first."""
        shape = (1, quantity, depth) if self.hopfield.batch_first else (quantity, 1, depth)
        return nn.Parameter(torch.empty(shape), requires_grad=trainable)

    def reset_parameters(self) -> None:
        """Draws the weights and the learned patterns anew, these from N(0, 0.02²)."""
        self.hopfield.reset_parameters()
        self._reset_learned()

    @torch.no_grad()
    def _reset_learned(self) -> None:
        for _, parameter in self.named_parameters(recurse=False):
            nn.init.normal_(parameter, std=0.02)

    def _inputs(self, input: Any) -> Any:
        """The three inputs of the Hopfield, of which `input` is the one, or the two, that are not learned."""
        raise NotImplementedError

    def get_association_matrix(
        self,
        input: Any,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """As `Hopfield.get_association_matrix`, for the input of this layer."""
        return self.hopfield.get_association_matrix(
            self._inputs(input), stored_pattern_padding_mask, association_mask, offsets=offsets
        )

    def get_projected_pattern_matrix(
        self,
        input: Any,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """As `Hopfield.get_projected_pattern_matrix`, for the input of this layer."""
        return self.hopfield.get_projected_pattern_matrix(
            self._inputs(input), stored_pattern_padding_mask, association_mask, offsets=offsets
        )

    batch_first = _of_hopfield("batch_first")
    scaling = _of_hopfield("scaling")
    update_steps_max = _of_hopfield("update_steps_max")
    update_steps_eps = _of_hopfield("update_steps_eps")
    input_size = _of_hopfield("input_size")
    hidden_size = _of_hopfield("hidden_size")
    pattern_size = _of_hopfield("pattern_size")
    output_size = _of_hopfield("output_size")
    state_pattern_dim = _of_hopfield("state_pattern_dim")
    stored_pattern_dim = _of_hopfield("stored_pattern_dim")
    pattern_projection_dim = _of_hopfield("pattern_projection_dim")
