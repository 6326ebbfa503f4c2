"""Pooling: learned state patterns ask a bag of stored patterns."""

from __future__ import annotations

from typing import Any, TypeAlias

from torch import Tensor

from ._inputs import HopfieldInput
from ._patterns import PatternInput
from ._per_head import whole
from ._wrapper import HopfieldWrapper
from .report import AssociationReport

PoolingInput: TypeAlias = "PatternInput | tuple[PatternInput, PatternInput]"


class HopfieldPooling(HopfieldWrapper):
    """One vector for a bag of patterns: the answers for `quantity` learned state patterns (`pooling_weights`).

    All arguments of `Hopfield` go by name. `trainable`: whether the state patterns are learned.

    >>> import torch
    >>> from hfy.torch.nn import HopfieldPooling
    >>> pooling = HopfieldPooling(input_size=8, hidden_size=4, num_heads=2, quantity=3, omega="entmax:1.5")
    >>> pooling([torch.zeros(5, 8), torch.zeros(2, 8)]).shape
    torch.Size([2, 24])
    """

    def __init__(self, input_size: int, *, quantity: int = 1, trainable: bool = True, **options: Any) -> None:
        super().__init__(input_size, options)
        self.quantity = whole("quantity", quantity, 1)
        depth = self.hopfield.association_core.sizes.state_depth
        # Where any depth does, hflayers takes that of a head.
        self.pooling_weights = self._learned(quantity, depth or self.hopfield.hidden_size or input_size, trainable)
        self._reset_learned()

    def _inputs(self, input: PoolingInput) -> HopfieldInput:
        if not isinstance(input, tuple):
            return input, self.pooling_weights, input
        if len(input) != 2:
            raise ValueError(f"input has {len(input)} parts: it must be (stored patterns, pattern projections)")
        return input[0], self.pooling_weights, input[1]

    def forward(
        self,
        input: PoolingInput,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
        return_report: bool = False,
    ) -> Tensor | tuple[Tensor, AssociationReport]:
        """(batch, quantity * output_size), in any layout; with `return_report` (that, report).

        `input` is what is stored and projected at once, or a tuple of these two, in any form that `Hopfield` takes. The
        masks say True where something is IGNORED, as in `Hopfield`.

        >>> import torch
        >>> from hfy.torch.nn import HopfieldPooling
        >>> HopfieldPooling(input_size=2)(torch.zeros(7, 2), offsets=torch.tensor([0, 3, 7])).shape
        torch.Size([2, 2])
        """
        result = self.hopfield(
            self._inputs(input),
            stored_pattern_padding_mask,
            association_mask,
            offsets=offsets,
            return_report=return_report,
        )
        answers, report = result if return_report else (result, None)
        pooled = (answers if self.batch_first else answers.transpose(0, 1)).flatten(1)
        return pooled if report is None else (pooled, report)
