"""Lookup: state patterns ask learned stored patterns."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from ._inputs import HopfieldInput
from ._patterns import PatternInput
from ._per_head import whole
from ._wrapper import HopfieldWrapper
from .hopfield import HopfieldOutput


class HopfieldLayer(HopfieldWrapper):
    """An answer for each pattern from `quantity` learned stored patterns (`lookup_weights`).

    All arguments of `Hopfield` go by name. `trainable`: whether the stored patterns are learned.
    `lookup_weights_as_separated`: what is answered are patterns of their own (`target_weights`), learned unless
    `lookup_targets_as_trainable` is False.

    >>> import torch
    >>> from hfy.torch.nn import HopfieldLayer
    >>> layer = HopfieldLayer(input_size=8, quantity=32, omega="sparsemax")
    >>> layer(torch.zeros(5, 7, 8)).shape
    torch.Size([5, 7, 8])
    """

    target_weights: nn.Parameter | None

    def __init__(
        self,
        input_size: int,
        *,
        lookup_weights_as_separated: bool = False,
        lookup_targets_as_trainable: bool = True,
        quantity: int = 1,
        trainable: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(input_size, options)
        self.quantity = whole("quantity", quantity, 1)
        # Where any depth does, hflayers takes that of a head.
        depth = self.hopfield.association_core.sizes.stored_depth or self.hopfield.hidden_size or input_size
        self.lookup_weights = self._learned(quantity, depth, trainable)
        self.register_parameter("target_weights", None)
        if lookup_weights_as_separated:
            target_depth = options.get("pattern_projection_size") or depth
            self.target_weights = self._learned(quantity, target_depth, lookup_targets_as_trainable)
        self._reset_learned()

    def _inputs(self, input: PatternInput) -> HopfieldInput:
        targets = self.lookup_weights if self.target_weights is None else self.target_weights
        return self.lookup_weights, input, targets

    def forward(
        self,
        input: PatternInput,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
        return_report: bool = False,
    ) -> HopfieldOutput:
        """An answer for each pattern of `input`, in its form; with `return_report` (answers, report).

        `input` has any form that `Hopfield` takes.

        The masks say True where a learned pattern is IGNORED, as in `Hopfield`.

        >>> import torch
        >>> from hfy.torch.nn import HopfieldLayer
        >>> layer = HopfieldLayer(input_size=2, quantity=4)
        >>> [len(answers) for answers in layer([torch.zeros(3, 2), torch.zeros(1, 2)])]
        [3, 1]
        """
        return self.hopfield(  # type: ignore[no-any-return]
            self._inputs(input),
            stored_pattern_padding_mask,
            association_mask,
            offsets=offsets,
            return_report=return_report,
        )
