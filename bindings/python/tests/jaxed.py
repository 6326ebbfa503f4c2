"""What the tests of hfy.jax share: jax on the CPU, in double precision where a test asks for it."""

import os

import numpy as np
import pytest
from golden import scores

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what is compiled here runs once
jax = pytest.importorskip("jax", reason="hfy.jax needs jax, which is not installed")

import hfy.jax as hj  # noqa: E402

MAPS = {
    "softmax": lambda x, **settings: hj.softmax(x, **settings),
    "sparsemax": lambda x, **settings: hj.sparsemax(x, **settings),
    "entmax 1.3": lambda x, **settings: hj.entmax(x, 1.3, **settings),
    "entmax 1.5": lambda x, **settings: hj.entmax15(x, **settings),
    "entmax 3": lambda x, **settings: hj.entmax(x, 3.0, **settings),
    "normmax 5": lambda x, **settings: hj.normmax(x, 5.0, **settings),
    "subsets 2": lambda x, **settings: hj.subsets(x, 2, **settings),
    "bounded": lambda x, **settings: hj.bounded(x, 0.75, **settings),
    "sequence 2": lambda x, **settings: hj.sequence_subsets(x, 2, 0.3, **settings),
    "spans": lambda x, **settings: hj.sparsemap(x, "spans", **settings),
}
KERNELS = {
    "softmax": "softmax",
    "sparsemax": "sparsemax",
    "entmax 1.3": "entmax:1.3",
    "entmax 1.5": "entmax:1.5",
    "entmax 3": "entmax:3",
    "normmax 5": "normmax:5",
    "subsets 2": "subsets:2",
    "sequence 2": "sequence:2:t=0.3",
    "spans": "spans",
}
FAMILIES = [("entmax", "entmax", "alpha"), ("normmax", "normmax", "gamma"), ("ksubsets", "subsets", "k")]
families = pytest.mark.parametrize("family, function, argument", FAMILIES)
every = pytest.mark.parametrize("name", MAPS)


@pytest.fixture
def doubles():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def draw(*shape, seed=0):
    return 1.5 * np.random.default_rng(seed).standard_normal(shape)


def says(kind, *words):
    return pytest.raises(kind, match="(?s)" + "".join(f"(?=.*{word})" for word in words))


def rows(lists, filler):
    """Rows of one length, filled up: minus infinity takes no part, and every length would be a program to compile."""
    whole = np.full((len(lists), max(map(len, lists))), filler)
    for row, values in zip(whole, lists):
        row[: len(values)] = scores(values)
    return whole
