"""The learned weights of an association, under the names of hflayers' state dicts."""

from __future__ import annotations

from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn import functional

from ._sizes import Sizes


class Projections(nn.Module):
    """Takes state and stored patterns and pattern projections into the heads, and the heads' answers to the output.

    The weights of the three are one matrix `in_proj_weight` where their inputs and outputs have the same depths, and
    three matrices otherwise. `in_proj_bias` always has a last part for the pattern projection, used or not.
    """

    in_proj_weight: nn.Parameter | None
    q_proj_weight: nn.Parameter | None
    k_proj_weight: nn.Parameter | None
    v_proj_weight: nn.Parameter | None
    in_proj_bias: nn.Parameter | None
    p_norm_weight: nn.Parameter | None
    p_norm_bias: nn.Parameter | None
    bias_k: nn.Parameter | None
    bias_v: nn.Parameter | None
    out_proj: nn.Linear | None

    def __init__(
        self,
        sizes: Sizes,
        *,
        joint: bool,
        bias: bool,
        norm_affine: bool,
        norm_eps: float,
        bias_patterns: bool,
        zero_pattern: bool,
    ) -> None:
        super().__init__()
        wiring = sizes.wiring
        self.sizes, self.norm_eps, self.zero_pattern = sizes, norm_eps, zero_pattern
        self._check(bias_patterns, norm_affine)
        width = sizes.heads * (sizes.hidden or 0)
        depth = sizes.heads * (sizes.pattern or 0)
        rows = {
            "q": 0 if wiring.state_static else width,
            "k": 0 if wiring.stored_static else width,
            "v": 0 if wiring.projection_static else depth,
        }
        self._weight_rows = list(rows.values())
        self._bias_rows = [rows["q"], rows["k"], depth]
        projected = sum(self._weight_rows) > 0
        v_columns = width if wiring.connected and not wiring.stored_static else sizes.projection
        columns = {"q": sizes.input, "k": sizes.stored, "v": v_columns}
        for part, count in rows.items():
            self._parameter(f"{part}_proj_weight", (count, columns[part]) if count and not joint else None)
        self._parameter("in_proj_weight", (sum(self._weight_rows), sizes.input) if joint and projected else None)
        self._parameter("in_proj_bias", (sum(self._bias_rows),) if bias and projected else None)
        for name in ("p_norm_weight", "p_norm_bias"):
            self._parameter(name, (sizes.hidden,) if norm_affine else None)
        self._parameter("bias_k", (1, 1, width) if bias_patterns else None)
        self._parameter("bias_v", (1, 1, depth) if bias_patterns else None)
        self.out_proj = nn.Linear(depth, sizes.output or 0, bias=bias) if wiring.out_projection else None
        self.reset_parameters()

    def _check(self, bias_patterns: bool, norm_affine: bool) -> None:
        wiring = self.sizes.wiring
        if bias_patterns and (wiring.stored_static or wiring.projection_static):
            rule = "it adds a pattern in the Hopfield space, to stored patterns and projections that are not static"
            raise ValueError(f"concat_bias_pattern = True: {rule}")
        if norm_affine and not wiring.hopfield_norm:
            raise ValueError("normalize_hopfield_space_affine = True: it needs normalize_hopfield_space = True")

    def _parameter(self, name: str, shape: tuple[int | None, ...] | None) -> None:
        self.register_parameter(name, None if shape is None else nn.Parameter(torch.empty(shape)))  # type: ignore[arg-type]

    def reset_parameters(self) -> None:
        """Weights from N(0, 0.02²), biases zero."""
        for name, parameter in self.named_parameters(recurse=False):
            if name == "p_norm_weight":
                nn.init.ones_(parameter)
            elif name in ("in_proj_bias", "p_norm_bias"):
                nn.init.zeros_(parameter)
            else:
                nn.init.normal_(parameter, std=0.02)
        if self.out_proj is not None:
            nn.init.normal_(self.out_proj.weight, std=0.02)
            if self.out_proj.bias is not None:
                nn.init.zeros_(self.out_proj.bias)

    def forward(self, state: Tensor, stored: Tensor, projection: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(batch, length, depth) three times, to queries, keys and values (batch, heads, length, depth of a head)."""
        wiring, heads = self.sizes.wiring, self.sizes.heads
        (q_weight, k_weight, v_weight), (q_bias, k_bias, v_bias) = self._weights(), self._biases()
        state = (
            _repeated(state, heads) if q_weight is None else _split(functional.linear(state, q_weight, q_bias), heads)
        )
        if k_weight is None:
            keys = _repeated(stored, heads)
        else:
            keys = _split(functional.linear(stored, k_weight, k_bias), heads)
            if wiring.connected:
                projection = functional.linear(projection, k_weight, k_bias)
        if v_weight is not None:
            values = _split(functional.linear(projection, v_weight, v_bias), heads)
        elif wiring.connected and k_weight is not None:
            values = _split(projection, heads)
        else:
            values = _repeated(projection, heads)
        if wiring.hopfield_norm:
            state, keys = self._normalised(state), self._normalised(keys)
        return state, *self._with_added(keys, values)

    @property
    def added(self) -> int:
        """How many patterns `forward` adds to the stored ones: the learned one and the zero."""
        return (self.bias_k is not None) + self.zero_pattern

    def output(self, heads: Tensor) -> Tensor:
        """The answers (batch, heads, length, depth) of all heads beside each other, and projected to the output."""
        joined = heads.transpose(1, 2).flatten(2)
        return joined if self.out_proj is None else self.out_proj(joined)

    def _weights(self) -> list[Tensor | None]:
        if self.in_proj_weight is None:
            return [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        return _parts(self.in_proj_weight, self._weight_rows)

    def _biases(self) -> list[Tensor | None]:
        return [None, None, None] if self.in_proj_bias is None else _parts(self.in_proj_bias, self._bias_rows)

    def _normalised(self, patterns: Tensor) -> Tensor:
        return functional.layer_norm(patterns, patterns.shape[-1:], self.p_norm_weight, self.p_norm_bias, self.norm_eps)

    def _with_added(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        key_parts, value_parts = [keys], [values]
        if self.bias_k is not None and self.bias_v is not None:
            key_parts.append(_split(self.bias_k, self.sizes.heads).expand(len(keys), -1, -1, -1))
            value_parts.append(_split(self.bias_v, self.sizes.heads).expand(len(values), -1, -1, -1))
        if self.zero_pattern:
            key_parts.append(torch.zeros_like(keys[..., :1, :]))
            value_parts.append(torch.zeros_like(values[..., :1, :]))
        if len(key_parts) == 1:
            return keys, values
        return torch.cat([part.to(keys) for part in key_parts], -2), torch.cat(
            [part.to(values) for part in value_parts], -2
        )


def _parts(joint: Tensor, rows: list[int]) -> list[Tensor | None]:
    ends = list(accumulate(rows))
    return [joint[end - count : end] if count else None for end, count in zip(ends, rows, strict=True)]


def _split(joined: Tensor, heads: int) -> Tensor:
    return joined.reshape(*joined.shape[:-1], heads, joined.shape[-1] // heads).transpose(1, 2)


def _repeated(patterns: Tensor, heads: int) -> Tensor:
    return patterns.unsqueeze(1).expand(-1, heads, -1, -1)
