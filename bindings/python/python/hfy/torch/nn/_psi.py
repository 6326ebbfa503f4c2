"""The post-transformation of a Hopfield update, the gradient map of Ψ*."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn

# A state that was normalised in this precision may lie outside the domain of Ψ by its rounding.
_SLACK = {torch.float64: 1e-9, torch.float32: 1e-4}
_SLACK_HALF = 3e-2


def _slack(states: Tensor) -> float:
    return _SLACK.get(states.dtype, _SLACK_HALF)


def _onto_sphere(rows: Tensor, radius: float) -> Tensor:
    """`radius * z / |z|`; a zero row stays zero, with zero gradient.

    The map does not see the size of a row, so dividing by the largest entry as by a constant changes neither value nor
    gradient. It keeps squares from overflow and underflow.
    """
    largest = rows.detach().abs().amax(-1, keepdim=True)
    there = largest > 0
    scaled = rows / torch.where(there, largest, 1)
    squares = torch.where(there, (scaled * scaled).sum(-1, keepdim=True), 1)
    return torch.where(there, scaled * (radius * squares.rsqrt()), 0)


class Psi(ABC):
    """Ψ with its map: `psi(z)` is the gradient of Ψ* at each row, `psi.value(q)` is Ψ of each row."""

    @abstractmethod
    def __call__(self, rows: Tensor) -> Tensor: ...

    @abstractmethod
    def value(self, states: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class Identity(Psi):
    """Ψ(q) = |q|²/2."""

    def __call__(self, rows: Tensor) -> Tensor:
        return rows

    def value(self, states: Tensor) -> Tensor:
        return states.double().square().sum(-1) / 2


@dataclass(frozen=True)
class Ball(Psi):
    """The indicator of the ball |q| <= radius; the map is l2 normalisation."""

    radius: float = 1.0

    def __call__(self, rows: Tensor) -> Tensor:
        return _onto_sphere(rows, self.radius)

    def value(self, states: Tensor) -> Tensor:
        inside = states.double().norm(dim=-1) <= self.radius * (1 + _slack(states))
        return torch.where(inside, 0.0, math.inf).double()


@dataclass(frozen=True)
class LayerNorm(Psi):
    """Layer normalisation `eta (z - mean) / sqrt(var + eps)` with the biased variance and no offset.

    Ψ(q) = -sqrt(D eps) sqrt(R² - |q|²) on the disc |q| <= R = eta sqrt(D), 1·q = 0.
    """

    eps: float = 0.0
    eta: float = 1.0

    def __call__(self, rows: Tensor) -> Tensor:
        # From an entry of the row, so that a constant row has a spread of exactly zero.
        shifted = rows - rows[..., :1].detach()
        centred = shifted - shifted.mean(-1, keepdim=True)
        if self.eps == 0:
            return _onto_sphere(centred, self.eta * math.sqrt(rows.shape[-1]))
        return centred * (self.eta * (centred.square().mean(-1, keepdim=True) + self.eps).rsqrt())

    def value(self, states: Tensor) -> Tensor:
        depth, wide = states.shape[-1], states.double()
        radius, slack = self.eta * math.sqrt(depth), _slack(states)
        size = wide.norm(dim=-1)
        inside = (size <= radius * (1 + slack)) & (wide.sum(-1).abs() <= slack * radius * math.sqrt(depth))
        height = (radius**2 - size.square()).clamp(min=0).sqrt() * math.sqrt(depth * self.eps)
        return torch.where(inside, -height, math.inf)


class AffineLayerNorm(nn.Module):
    """Layer normalisation of each row with a learned scale and offset, which all heads share."""

    def __init__(self, eps: float, depth: int) -> None:
        super().__init__()
        self.norm = LayerNorm(eps)
        self.weight, self.bias = nn.Parameter(torch.empty(depth)), nn.Parameter(torch.empty(depth))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """A scale of one and an offset of zero."""
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, rows: Tensor) -> Tensor:
        return self.norm(rows) * self.weight + self.bias

    def value(self, states: Tensor) -> Tensor:
        """NaN: with a scale for each coordinate the map is the gradient of no convex function."""
        return torch.full(states.shape[:-1], math.nan, dtype=torch.float64, device=states.device)


def learned_psi(psi: Psi, text: str, hidden: int | None, pattern: int | None) -> AffineLayerNorm:
    """`psi` with a learned scale and offset, for heads of this depth."""
    if not isinstance(psi, LayerNorm):
        raise ValueError(f"psi_affine = True: only layernorm has a scale and an offset to learn, and psi is {text!r}")
    if psi.eta != 1:
        rule = "the learned scale stands for eta: psi takes eps alone"
        raise ValueError(f"psi_affine = True: {rule}, and is {text!r}")
    if hidden is None:
        raise ValueError("psi_affine = True: it needs the depth of a head, from hidden_size or input_size")
    if pattern not in (None, hidden):
        rule = f"heads, keys and values share it: it must be hidden_size = {hidden}"
        raise ValueError(f"pattern_size = {pattern} with psi_affine = True: {rule}")
    return AffineLayerNorm(psi.eps, hidden)


def read_psi(text: str) -> Psi:
    """Ψ from its text: identity, l2, l2:RADIUS, layernorm, layernorm:eps=EPS, layernorm:eta=ETA,eps=EPS."""
    known = "known are identity, l2, l2:RADIUS, layernorm and layernorm:eta=ETA,eps=EPS"
    if not isinstance(text, str):
        raise TypeError(f"psi = {text!r}: it must be a text; {known}")
    name, _, settings = text.partition(":")
    if text == "identity":
        return Identity()
    if name == "l2":
        return Ball(_setting(text, "radius", settings, least=0, strict=True)) if settings else Ball()
    if name == "layernorm":
        values = {"eps": 0.0, "eta": 1.0}
        for part in settings.split(",") if settings else []:
            key, equals, number = part.partition("=")
            if key not in values or not equals:
                raise ValueError(f"psi = {text!r}: layernorm takes eta and eps, as in layernorm:eta=1,eps=1e-5")
            values[key] = _setting(text, key, number, least=0, strict=key == "eta")
        return LayerNorm(**values)
    raise ValueError(f"psi = {text!r}: {known}")


def _setting(text: str, name: str, number: str, least: float, strict: bool) -> float:
    rule = f"{name} must be a finite number {'above' if strict else 'of at least'} {least}"
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"psi = {text!r}: {rule}") from None
    if not math.isfinite(value) or value < least or (strict and value == least):
        raise ValueError(f"psi = {text!r}: {rule}")
    return value
