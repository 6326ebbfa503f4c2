"""Training with hfy.jax: a learned alpha finds the map that made the data."""

import numpy as np
from jaxed import draw, hj, jax

import hfy

jnp = jax.numpy


def adam(value, start, steps, rate=0.05):
    """Adam on a tree, in one compiled loop."""

    def step(state, count):
        point, mean, square = state
        loss, pulled = jax.value_and_grad(value)(point)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, pulled)
        square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, pulled)
        move = lambda p, m, s: p - rate * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.99**count)) + 1e-8)
        return (jax.tree.map(move, point, mean, square), mean, square), loss

    nothing = jax.tree.map(jnp.zeros_like, start)
    (point, _, _), losses = jax.lax.scan(step, (start, nothing, nothing), jnp.arange(1.0, steps + 1))
    return point, losses


def test_alpha_is_found():
    x = draw(64, 8).astype(np.float32)
    seen = hfy.entmax(x, 1.7)
    value = lambda raw: ((hj.entmax(x, hj.learned_alpha(raw)) - seen) ** 2).sum()
    raw, losses = jax.jit(lambda start: adam(value, start, 150))(jnp.float32(-2.0))
    assert abs(hj.learned_alpha(raw) - 1.7) < 0.01 and losses[-1] < 1e-3 * losses[0]


def test_one_alpha_a_head_with_a_classifier():
    """Attention with a learned alpha a head, and the loss of sparsemax on top: classes that can be told apart are."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 48)
    bags = rng.standard_normal((48, 6, 4)).astype(np.float32)
    bags[np.arange(48), rng.integers(0, 6, 48), kinds] += 6  # one member says which
    start = {
        "query": jnp.asarray(rng.standard_normal((2, 4)), jnp.float32),
        "out": jnp.asarray(0.1 * rng.standard_normal((8, 3)), jnp.float32),
        "alpha": jnp.zeros((2, 1)),
    }

    def logits(point, bag):
        weights = hj.entmax(point["query"] @ bag.T, hj.learned_alpha(point["alpha"], 1.0, 3.0))
        return (weights @ bag).reshape(-1) @ point["out"]

    value = lambda point: jax.vmap(lambda bag, kind: hj.sparsemax_loss(logits(point, bag), kind))(bags, kinds).mean()
    point, losses = jax.jit(lambda start: adam(value, start, 200))(start)
    assert losses[-1] < 0.02 < losses[0] and np.isfinite(losses).all()
    guesses = jax.vmap(lambda bag: logits(point, bag).argmax())(bags)
    assert (guesses == kinds).mean() > 0.95 and (point["alpha"] != 0).all()
