"""The separation map of a Hopfield association, with a parameter for each head where asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hfy import _hfy

from .._separation import separation
from ._per_head import along_heads, check_per_head, register_per_head
from ._sequences import Sequences, present

OmegaParameter: TypeAlias = "float | Sequence[float] | Tensor | nn.Module | None"

_TAKES = {
    "softmax": "",
    "sparsemax": "",
    "entmax": "alpha",
    "normmax": "gamma",
    "subsets": "k",
    "sequence": "transition",
}


def _softmax(scores: Tensor, keep: Tensor | None) -> Tensor:
    """The softmax where the scores are, as the kernels of the maps are on the host."""
    if keep is None:
        return scores.softmax(-1)
    # A row without entries is left whole, and then has weight zero: no NaN, and a gradient of zero.
    there = keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & there, -math.inf).softmax(-1) * there


class Omega(nn.Module):
    """`omega(scores, keep)` is ŷ_Ω along the last axis of scores (batch, heads, queries, stored).

    The parameter is in the text ("entmax:1.5"), or given apart ("entmax" and a number, one for each head, a Parameter,
    or a module that gives one when called, such as `hfy.torch.AlphaParameter`). Sequences have k in the text in any case:
    "sequence:2" with a transition apart.
    """

    def __init__(self, text: str, parameter: OmegaParameter, heads: int) -> None:
        super().__init__()
        if not isinstance(text, str):
            raise TypeError(f'omega = {text!r}: it must be a text such as "entmax:1.5"')
        self.text, self.heads = text, heads
        self.name = text.partition(":")[0]
        if self.name not in _TAKES:
            raise ValueError(
                f'omega = {text!r}: known are {", ".join(_TAKES)}, as in "entmax:1.5" or "sequence:4:t=0.1"'
            )
        self.apart = parameter is not None
        if isinstance(parameter, (int, float)):
            self.text, self.apart = self._joined(parameter), False
        elif isinstance(parameter, nn.Module):
            self._joined("module")
            self.module = parameter
        elif parameter is not None:
            self._joined("tensor")
            values = parameter if isinstance(parameter, Tensor) else torch.tensor(list(parameter), dtype=torch.float64)
            register_per_head(self, "parameter", values, heads)
        self._check_domain()
        self.sequences = Sequences.read(self.text) if self.name == "sequence" else None

    def _joined(self, parameter: object) -> str:
        if not _TAKES[self.name]:
            raise ValueError(f"omega_parameter = {parameter}: {self.name} takes none apart from its text")
        if self.name == "sequence":
            if self.text.count(":") != 1:
                raise ValueError(f"omega = {self.text!r}: a transition apart goes with sequence:K and no more")
            return f"{self.text}:t={parameter}"
        if ":" in self.text:
            raise ValueError(
                f"omega = {self.text!r} has its parameter already: omega_parameter goes with the bare name"
            )
        return f"{self.text}:{parameter}"

    def _check_domain(self) -> None:
        """Lets the kernel judge the text, and the parameter on one row of scores for each entry of it."""
        value = self.value()
        entries = None if value is None else value.detach().double().cpu().reshape(-1, 1).numpy()
        try:
            if entries is None or self.name == "sequence":
                _hfy.forward(self.text, np.zeros((0, 1)))
            if entries is not None:
                self._check_entries(entries)
        except ValueError as error:
            raise ValueError(f"omega = {self.text!r}: {error}") from None

    def _check_entries(self, entries: NDArray[np.float64]) -> None:
        if self.name == "sequence":
            # Of two variables, which have one transition.
            _hfy.sparsemap_solve(np.zeros((len(entries), 2)), "sequence:1", entries)
            return
        width = int(np.ceil(max(1.0, entries.max()))) if self.name == "subsets" else 1
        _hfy.forward(self.name, np.zeros((len(entries), width)), entries)

    def value(self) -> Tensor | None:
        """The parameter that is given apart, as it is now: one entry, or one for each head."""
        if not self.apart:
            return None
        if not hasattr(self, "module"):
            fixed = self.parameter
            assert isinstance(fixed, Tensor)
            return fixed
        value = self.module()
        if not isinstance(value, Tensor):
            raise TypeError(f"omega_parameter() gave {type(value).__name__}: it must give a tensor")
        check_per_head("omega_parameter()", value, self.heads)
        return value

    def forward(self, scores: Tensor, keep: Tensor | None) -> Tensor:
        if scores.numel() == 0:
            return scores
        if self.name == "softmax" and not scores.is_cpu:
            return _softmax(scores, keep)
        if self.sequences is not None:
            return self.sequences.weights(scores, self.value(), keep)
        text, parameter = self.resolve(scores, keep)
        return separation(scores, text, parameter, mask=keep)

    def resolve(self, scores: Tensor, keep: Tensor | None) -> tuple[str, Tensor | None]:
        """The map as a whole text, or as a name and a parameter that broadcasts with the last axis cut to one.

        No more than all entries of a row can be chosen: where a row has fewer than k, k is their number, and all have
        weight one.
        """
        value = self.value()
        if self.name != "subsets":
            return (self.text, None) if value is None else (self.name, along_heads(value))
        if value is None:
            k = float(self.text.partition(":")[2])
            if keep is None and k <= scores.shape[-1]:
                return self.text, None
            value = scores.new_tensor(k)
        # A count of entries in half precision would round.
        value = along_heads(value).to(torch.promote_types(value.dtype, torch.float32))
        if keep is None:
            return self.name, value.clamp(max=scores.shape[-1])
        return self.name, torch.minimum(value, present(scores, keep).to(value))

    def conjugate(self, scores: Tensor, keep: Tensor | None) -> Tensor:
        """Ω* of each row, in float64 and without gradient; minus infinity for a row without entries."""
        if scores.numel() == 0:
            return scores.new_full(scores.shape[:-1], -math.inf, dtype=torch.float64)
        with torch.no_grad():
            if self.sequences is not None:
                return self.sequences.conjugate(scores, self.value(), keep)
            text, parameter = self.resolve(scores, keep)
            values = _hfy.conjugate(
                text,
                scores.double().cpu().numpy(),
                None if parameter is None else parameter.double().cpu().numpy(),
                mask=None if keep is None else keep.expand(scores.shape).cpu().numpy(),
            )
            return torch.from_numpy(np.asarray(values)).to(scores.device)

    def extra_repr(self) -> str:
        return self.text
