"""Sequential k-subsets of stored patterns, with the transition in the text or apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from hfy import _hfy

from .._separation import separation
from .._structures import sparsemap
from ._per_head import along_heads


def present(scores: Tensor, keep: Tensor) -> Tensor:
    """How many entries of each row take part, (..., 1). A mask may be about whole rows."""
    return keep.expand(*keep.shape[:-1], scores.shape[-1]).sum(-1, keepdim=True)


@dataclass(frozen=True)
class Sequences:
    """k stored patterns in a row, where neighbours interact; all of them where there are fewer than k."""

    k: int
    settings: str
    """What follows k in the text, with its colon."""

    @classmethod
    def read(cls, text: str) -> Sequences:
        """From a text that the kernel has accepted."""
        _, k, *settings = text.split(":")
        return cls(int(k), "".join(f":{setting}" for setting in settings))

    def weights(self, scores: Tensor, transition: Tensor | None, keep: Tensor | None) -> Tensor:
        """The marginals along the last axis of scores (batch, heads, queries, stored)."""
        count = scores.shape[-1]
        if count < self.k:
            few = None if keep is None else present(scores, keep).float()
            return separation(scores, f"subsets:{count}" if few is None else "subsets", few, mask=keep)
        higher = _beside(scores, transition)
        text = f"sequence:{self.k}{self.settings}"
        if keep is None:
            return sparsemap(scores, text, higher=higher)
        # No sequence has fewer than k: such rows are hidden from the structures, and all of their entries chosen.
        some = present(scores, keep)
        enough = some >= self.k
        chosen = separation(scores, "subsets", some.clamp(max=self.k).float(), mask=keep & ~enough)
        return sparsemap(scores, text, higher=higher, mask=keep & enough) + chosen

    def conjugate(self, scores: Tensor, transition: Tensor | None, keep: Tensor | None) -> Tensor:
        """Ω* of each row, as if entries that do not take part were not there; minus infinity for a row without any."""
        x = scores.double().cpu().numpy()
        higher = _beside(scores, transition)
        parts = None if higher is None else higher.double().cpu().numpy()
        mask = np.ones(x.shape, bool) if keep is None else keep.expand(scores.shape).cpu().numpy()
        some = mask.sum(-1)
        values = np.full(some.shape, -math.inf)
        for k in np.unique(np.minimum(some[some > 0], self.k)):
            rows = np.minimum(some, self.k) == k
            higher_of_rows = None if parts is None else parts[rows]
            text = f"sequence:{k}{self.settings}"
            values[rows] = _hfy.sparsemap_solve(x[rows], text, higher_of_rows, mask=mask[rows]).value
        if "reg=on" not in self.settings.replace(" ", ""):
            # The kernel counts the state "off" of what is hidden.
            values += (x.shape[-1] - some) / 2
        return torch.from_numpy(values).to(scores.device)


def _beside(scores: Tensor, transition: Tensor | None) -> Tensor | None:
    """The transition of each head for each pair of neighbours."""
    if transition is None:
        return None
    return along_heads(transition).expand(-1, -1, scores.shape[-1] - 1).expand(*scores.shape[:-1], -1)
