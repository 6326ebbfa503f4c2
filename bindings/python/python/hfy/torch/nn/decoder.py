"""A decoder layer of a transformer, with Hopfield associations."""

from __future__ import annotations

from copy import deepcopy

from torch import Tensor, nn

from ._feed_forward import FeedForwardLayer
from ._inputs import HopfieldInput
from .hopfield import Hopfield


class HopfieldDecoderLayer(FeedForwardLayer):
    """As `torch.nn.TransformerDecoderLayer` (normalising after each residual), with copies of two associations.

    It can stand in a `torch.nn.TransformerDecoder`. The associations keep the weights that they came with.

    >>> import torch
    >>> from hfy.torch.nn import Hopfield, HopfieldDecoderLayer
    >>> itself, cross = Hopfield(input_size=8, num_heads=2), Hopfield(input_size=8, num_heads=2, omega="sparsemax")
    >>> layer = HopfieldDecoderLayer(itself, cross, dim_feedforward=16)
    >>> torch.nn.TransformerDecoder(layer, num_layers=2)(torch.zeros(5, 7, 8), torch.zeros(5, 4, 8)).shape
    torch.Size([5, 7, 8])
    """

    def __init__(
        self,
        hopfield_association_self: Hopfield,
        hopfield_association_cross: Hopfield,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
    ) -> None:
        super().__init__(hopfield_association_self, dim_feedforward, dropout, activation)
        one, other = hopfield_association_self.batch_first, hopfield_association_cross.batch_first
        if one != other:
            raise ValueError(f"batch_first of the associations = {one} and {other}: they must be equal")
        self.hopfield_association_self = deepcopy(hopfield_association_self)
        self.hopfield_association_cross = deepcopy(hopfield_association_cross)
        self.norm_residual_self = nn.LayerNorm(self.output_size)
        self.norm_residual_cross = nn.LayerNorm(self.output_size)
        self.dropout_hopfield_association_self = nn.Dropout(dropout)
        self.dropout_hopfield_association_cross = nn.Dropout(dropout)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """`tgt`, `memory` and the result are (batch, length, depth), or as `batch_first` of the associations says.

        In the masks True is IGNORED. `tgt_is_causal` and `memory_is_causal` are torch's hints about the masks, and not
        needed.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield, HopfieldDecoderLayer
        >>> layer = HopfieldDecoderLayer(Hopfield(input_size=8), Hopfield(input_size=8))
        >>> layer(torch.zeros(1, 3, 8), torch.zeros(1, 5, 8)).shape
        torch.Size([1, 3, 8])
        """
        found = self.hopfield_association_self(tgt, tgt_key_padding_mask, tgt_mask)
        tgt = self.norm_residual_self(tgt + self.dropout_hopfield_association_self(found))
        found = self.hopfield_association_cross((memory, tgt, memory), memory_key_padding_mask, memory_mask)
        return self._feed_forward(self.norm_residual_cross(tgt + self.dropout_hopfield_association_cross(found)))

    def get_association_matrix_self(self, input: HopfieldInput) -> Tensor:
        """As `Hopfield.get_association_matrix`, of the association of the target with itself."""
        return self.hopfield_association_self.get_association_matrix(input)

    def get_association_matrix_cross(self, input: HopfieldInput) -> Tensor:
        """As `Hopfield.get_association_matrix`, of the association of the target with the memory."""
        return self.hopfield_association_cross.get_association_matrix(input)

    @property
    def self_attn(self) -> Hopfield:
        """The association of the target with itself, under the name that `torch.nn.TransformerDecoder` looks for."""
        return self.hopfield_association_self

    @property
    def batch_first(self) -> bool:
        """As in the associations."""
        return self.hopfield_association_self.batch_first

    @property
    def input_size(self) -> int | None:
        """Depth of the input."""
        return self.hopfield_association_self.input_size
