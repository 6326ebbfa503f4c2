"""Derivatives of the maps as torch expressions of their weights, so that autograd finds the derivatives of derivatives.

Every map that is optimal for a regulariser Ω solves θ = ∇Ω(y) + μ on its support. So its Jacobian J is a function of y, and a
change of the parameter p acts as a change of the scores by -∂∇Ω/∂p: ∂y/∂p = -J ∂∇Ω/∂p.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Optional

import torch
from torch import Tensor

from ._kernels import HALVES

Number = Tensor | float
FIXED = {"softmax": ("entmax", 1.0), "sparsemax": ("entmax", 2.0), "argmax": ("entmax", math.inf)}
CURVED = frozenset({"entmax", "normmax", "power", "exponential", "exp"})
SMOOTH_IN_ITS_WEIGHTS = CURVED | {*FIXED, "subsets", "quadratic", "identity"}


def named(omega: str, parameter: Tensor | None) -> tuple[str, Any]:
    """The name of a map and its parameter, which may stand in the text."""
    name, _, text = omega.partition(":")
    name = name.strip()
    if name in FIXED:
        return FIXED[name]
    if parameter is not None:
        return name, _wide(parameter)
    return name, float(text) if name in CURVED and text else None


def needs_exact_weights(omega: str) -> bool:
    """Whether the derivative of a map depends on which bounds or structures its weights meet, which rounding to a half type hides."""
    return omega.partition(":")[0].strip() not in SMOOTH_IN_ITS_WEIGHTS


def is_curved(omega: str, parameter: Tensor | None) -> bool:
    """Whether the Jacobian of a map moves with its weights, other than by jumps."""
    name, value = named(omega, parameter)
    return name in CURVED and not (name == "entmax" and isinstance(value, float) and value in (2.0, math.inf))


def pullback(y: Tensor, parameter: Tensor | None, *, g: Tensor, omega: str, dim: int) -> Tensor:
    """J g for the maps that are curved."""
    name, value = named(omega, parameter)
    wide, up = _wide(y), _wide(g)
    pulled: Tensor
    if name == "entmax":
        pulled = _entmax_pullback(wide, up, value, dim)
    elif name == "normmax":
        pulled = _normmax_pullback(wide, up, value, dim)
    elif name == "power":
        pulled = (value - 1) * _power(wide.abs(), (value - 2) / (value - 1)) * up
    else:
        pulled = wide * up
    return pulled.to(g.dtype)


def parameter_gradient(
    y: Tensor, g: Tensor, parameter: Tensor, *, x: Optional[Tensor], omega: str, dim: int
) -> Tensor:
    """g · ∂y/∂p, of the shape of the parameter. The bounds of `bounded` need the scores, others do not."""
    wide, up, value = _wide(y), _wide(g), _wide(parameter)
    if omega == "entmax":
        tilt = -_entmax_pullback(wide, _entmax_slope(wide, value), value, dim)
    elif omega == "normmax":
        tilt = -_normmax_pullback(wide, _normmax_slope(wide, value, dim), value, dim)
    elif omega == "power":
        tilt = wide * _log(wide.abs()) / (value - 1)
    elif omega == "subsets":
        free = ((wide > 0) & (wide < 1)).to(wide.dtype)
        tilt = free / free.sum(dim, keepdim=True).clamp(min=1)
    else:
        assert x is not None
        return _bounds_gradient(x.detach(), wide, up, value, dim).sum_to_size(parameter.shape).to(parameter.dtype)
    return (up * tilt).sum(dim, keepdim=True).sum_to_size(parameter.shape).to(parameter.dtype)


def regulariser(parameter: Tensor, *, y: Tensor, omega: str) -> Tensor:
    """Ω(y) of each row along the last axis, up to a constant, for entmax and normmax."""
    wide, value = _wide(y), _wide(parameter)
    if omega == "normmax":
        return _norm(wide, value, -1).squeeze(-1)
    logs = _log(wide)
    # (y^α - y) / (α (α-1)), which is 0 for α = ∞.
    each = wide * logs * _expm1_over(_finite(value - 1) * logs) / _finite(value)
    return torch.where(value.isinf(), 0, each).sum(-1)


def pulled_back(expression: Callable[..., Tensor], upstream: Tensor, *points: Tensor) -> tuple[Tensor, ...]:
    """The gradients of an expression at some points; differentiable themselves."""
    pull: Any = torch.func.vjp(expression, *points)[1]
    gradients: tuple[Tensor, ...] = pull(upstream)
    return gradients


def pushed_forward(
    expression: Callable[..., Tensor], tangents: Sequence[Optional[Tensor]], *points: Tensor
) -> Tensor:
    """The tangent of an expression at some points: its pullback is linear, and this is the pullback of that."""
    value, pull = torch.func.vjp(expression, *points)[:2]
    push: Any = torch.func.vjp(pull, torch.zeros_like(value))[1]
    given = (torch.zeros_like(point) if tangent is None else tangent for tangent, point in zip(tangents, points))
    pushed: Tensor = push(tuple(given))[0]
    return pushed


def tilted(
    x: Optional[Tensor], y: Tensor, parameter: Tensor, tangent: Tensor, omega: str, dim: int
) -> Tensor:
    """∂y/∂p applied to a tangent of the parameter: the transpose of its gradient, which is linear in g."""

    def gradient(g: Tensor) -> Tensor:
        return parameter_gradient(y, g, parameter, x=x, omega=omega, dim=dim)

    return pulled_back(gradient, tangent, torch.zeros_like(y))[0]


def _wide(tensor: Tensor) -> Tensor:
    """Half types are storage: they are computed in float32."""
    return tensor.float() if tensor.dtype in HALVES else tensor


def _log(y: Tensor) -> Tensor:
    """log y, and 0 where y is 0, with finite derivatives."""
    return torch.where(y > 0, y, 1).log()


def _power(y: Tensor, exponent: Number) -> Tensor:
    """y to a power where y > 0, and 0 elsewhere, with finite derivatives in both."""
    return torch.where(y > 0, torch.exp(exponent * _log(y)), 0)


def _finite(value: Any) -> Any:
    """A parameter whose infinite entries are hidden, so that they do not spoil what is discarded afterwards."""
    return torch.where(value.isinf(), 2, value) if isinstance(value, Tensor) else value


def _entmax_pullback(y: Tensor, g: Tensor, alpha: Number, dim: int) -> Tensor:
    """J = diag(s) - s sᵀ / Σs with s = y^(2 - α); 0 for α = ∞."""
    s = _power(y, 2 - _finite(alpha))
    total = s.sum(dim, keepdim=True)
    pulled = s * (g - (s * g).sum(dim, keepdim=True) / torch.where(total > 0, total, 1))
    return torch.where(alpha.isinf(), 0, pulled) if isinstance(alpha, Tensor) else pulled


def _bounds_gradient(x: Tensor, y: Tensor, g: Tensor, upper: Tensor, dim: int) -> Tensor:
    """What a full entry may have more, the free ones lose; where none is free, the bounds cannot move alone."""
    free = (y > 0) & (y < upper)
    level = (x - y).where(free, -torch.inf).amax(dim, keepdim=True)
    full = (x > level) & (y >= upper) & free.any(dim, keepdim=True)
    mean = g.where(free, 0).sum(dim, keepdim=True) / free.sum(dim, keepdim=True).clamp(min=1)
    return (g - mean).where(full, 0)


def _entmax_slope(y: Tensor, alpha: Tensor) -> Tensor:
    """∂/∂α of (y^(α-1) - 1) / (α - 1), which is log²y F((α-1) log y), F the derivative of (eᶻ - 1) / z."""
    logs = _log(y)
    return logs.square() * _expm1_over_slope(_finite(alpha - 1) * logs)


def _normmax_pullback(y: Tensor, g: Tensor, gamma: Number, dim: int) -> Tensor:
    """J = |y|^(γ-1) / (γ-1) (diag(b) - y bᵀ - b yᵀ + Σb y yᵀ) with b = y^(2 - γ); 0 for γ = ∞, which is constant by pieces."""
    if not isinstance(gamma, Tensor) and math.isinf(gamma):
        return torch.zeros_like(y)
    kept = _finite(gamma)
    b = _power(y, 2 - kept)
    along = [part.sum(dim, keepdim=True) for part in (b * g, y * g, b)]
    pulled = b * g - y * along[0] - along[1] * (b - y * along[2])
    pulled = pulled * _power(_norm(y, kept, dim), kept - 1) / (kept - 1)
    found: Tensor = torch.where(gamma.isinf(), 0, pulled) if isinstance(gamma, Tensor) else pulled
    return found


def _normmax_slope(y: Tensor, gamma: Tensor, dim: int) -> Tensor:
    """∂/∂γ of w = (y / |y|)^(γ-1), which is w (log(y / |y|) - (γ-1) ∂log|y|/∂γ)."""
    kept = _finite(gamma)
    norm = _norm(y, kept, dim)
    powers = _power(y, kept)
    total = powers.sum(dim, keepdim=True)
    total = torch.where(total > 0, total, 1)
    drift = ((powers * _log(y)).sum(dim, keepdim=True) / total - _log(norm)) / kept
    share = y / torch.where(norm > 0, norm, 1)
    slope: Tensor = _power(share, kept - 1) * (_log(share) - (kept - 1) * drift)
    return slope


def _norm(y: Tensor, gamma: Number, dim: int) -> Tensor:
    """The γ-norm along an axis, which is kept; 0 for a row of zeros."""
    kept = _finite(gamma)
    largest = y.amax(dim, keepdim=True).detach()  # the sum is then at least 1, whatever γ is
    scale = torch.where(largest > 0, largest, 1)
    norm: Tensor = scale * _power(_power(y / scale, kept).sum(dim, keepdim=True), 1 / kept)
    return norm


def _series(z: Tensor, coefficients: list[float]) -> Tensor:
    """A polynomial, from the constant on."""
    total = torch.full_like(z, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * z + coefficient
    return total


NEAR = 0.5
TERMS = 16  # 0.5^16 / 18! is below what a float64 holds


def _expm1_over(z: Tensor) -> Tensor:
    """(eᶻ - 1) / z, with all derivatives where z is near 0."""
    near = z.abs() < NEAR
    close, far = torch.where(near, z, 0), torch.where(near, 1, z)
    series = _series(close, [1 / math.factorial(n + 1) for n in range(TERMS)])
    return torch.where(near, series, torch.expm1(far) / far)


def _expm1_over_slope(z: Tensor) -> Tensor:
    """(1 + (z - 1) eᶻ) / z², the derivative of (eᶻ - 1) / z, with all derivatives where z is near 0."""
    near = z.abs() < NEAR
    close, far = torch.where(near, z, 0), torch.where(near, 1, z)
    series = _series(close, [(n + 1) / math.factorial(n + 2) for n in range(TERMS)])
    return torch.where(near, series, (1 + (far - 1) * far.exp()) / far.square())
