"""What the tests of hfy.torch.nn share."""

import torch

PLAIN = {f"normalize_{name}": False for name in ("stored_pattern", "state_pattern", "pattern_projection")}
STATIC = {f"{name}_as_static": True for name in ("stored_pattern", "state_pattern", "pattern_projection")}


def random(*shape, seed=0):
    """Normal numbers in float64, the same ones for the same seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def spread(layer, std=0.5, norms=False, seed=1):
    """The layer with weights that give scores of some size. Alpha and beta stay, and norms unless asked for."""
    generator = torch.Generator().manual_seed(seed)
    kept = ("omega", "beta") if norms else ("omega", "beta", "norm")
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if not any(part in name for part in kept):
                parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) * std)
    return layer


def same(got, expected):
    """Equal up to rounding in float64."""
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
