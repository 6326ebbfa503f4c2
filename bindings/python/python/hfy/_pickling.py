"""How objects of the package come back from a pickle."""

from typing import Any

from ._hfy import Network


def network(patterns: Any, omega: str, psi: str, beta: float, values: Any) -> Network:
    """The network with these parts, which nobody else holds."""
    return Network(patterns, omega, psi, beta, values=values, copy=False)
