"""An encoder layer of a transformer, with a Hopfield association."""

from __future__ import annotations

from copy import deepcopy

from torch import Tensor, nn

from ._feed_forward import FeedForwardLayer
from .hopfield import Hopfield


class HopfieldEncoderLayer(FeedForwardLayer):
    """As `torch.nn.TransformerEncoderLayer` (normalising after each residual), with a copy of an association.

    It can stand in a `torch.nn.TransformerEncoder`. The association keeps the weights that it came with.

    >>> import torch
    >>> from hfy.torch.nn import Hopfield, HopfieldEncoderLayer
    >>> layer = HopfieldEncoderLayer(Hopfield(input_size=8, num_heads=2, omega="entmax:1.5"), dim_feedforward=16)
    >>> torch.nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)(torch.zeros(5, 7, 8)).shape
    torch.Size([5, 7, 8])
    """

    def __init__(
        self,
        hopfield_association: Hopfield,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
    ) -> None:
        super().__init__(hopfield_association, dim_feedforward, dropout, activation)
        self.hopfield_association = deepcopy(hopfield_association)
        self.norm_residual = nn.LayerNorm(self.output_size)
        self.dropout_hopfield_association = nn.Dropout(dropout)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """`src` and the result are (batch, length, depth), or as `batch_first` of the association says.

        `src_mask` and `src_key_padding_mask` are the association's `association_mask` and
        `stored_pattern_padding_mask`: True where something is IGNORED. `is_causal` is torch's hint about `src_mask`,
        and not needed.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield, HopfieldEncoderLayer
        >>> HopfieldEncoderLayer(Hopfield(input_size=8))(torch.zeros(1, 3, 8)).shape
        torch.Size([1, 3, 8])
        """
        found = self.hopfield_association(src, src_key_padding_mask, src_mask)
        return self._feed_forward(self.norm_residual(src + self.dropout_hopfield_association(found)))

    def get_association_matrix(self, input: Tensor) -> Tensor:
        """As `Hopfield.get_association_matrix`."""
        return self.hopfield_association.get_association_matrix(input)

    @property
    def self_attn(self) -> Hopfield:
        """The association, under the name that `torch.nn.TransformerEncoder` looks for."""
        return self.hopfield_association

    @property
    def batch_first(self) -> bool:
        """As in the association."""
        return self.hopfield_association.batch_first

    @property
    def input_size(self) -> int | None:
        """Depth of the input."""
        return self.hopfield_association.input_size
