"""What the encoder and the decoder have in common: dropout, residuals, and the two linear layers at the end."""

from __future__ import annotations

from torch import Tensor, nn

from ._activation import activation
from .hopfield import Hopfield


class FeedForwardLayer(nn.Module):
    """`linear_residual` and `linear_output` with a residual and `norm_output`, after the depth of an association."""

    def __init__(self, association: Hopfield, dim_feedforward: int, dropout: float, activation_name: str) -> None:
        super().__init__()
        depth = association.state_pattern_dim
        if depth is None:
            raise ValueError("input_size of the association = None: an encoder or decoder needs it")
        if association.association_core.out_proj is not None and association.output_size != depth:
            raise ValueError(
                f"output_size = {association.output_size}: it must be input_size = {depth}, as they are added"
            )
        activation("activation", activation_name)
        self.activation = activation_name
        self.linear_residual = nn.Linear(depth, dim_feedforward)
        self.linear_output = nn.Linear(dim_feedforward, depth)
        self.norm_output = nn.LayerNorm(depth)
        self.dropout_residual = nn.Dropout(dropout)
        self.dropout_output = nn.Dropout(dropout)

    def _feed_forward(self, patterns: Tensor) -> Tensor:
        inner = activation("activation", self.activation)(self.linear_residual(patterns))
        outer: Tensor = self.norm_output(
            patterns + self.dropout_output(self.linear_output(self.dropout_residual(inner)))
        )
        return outer

    def reset_parameters(self) -> None:
        """Draws all weights anew, those of the associations, too."""
        for module in self.children():
            reset = getattr(module, "reset_parameters", None)
            if reset is not None:
                reset()

    @property
    def output_size(self) -> int:
        """Depth of the output."""
        return self.linear_output.out_features
