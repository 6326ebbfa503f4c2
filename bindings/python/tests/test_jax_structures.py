"""Structures in hfy.jax."""

import numpy as np
import pytest
from golden import agree, agree_derivative, cases
from jaxed import doubles, draw, hj, jax, says  # noqa: F401

import hfy

jnp = jax.numpy


def test_golden_sequences(doubles):
    # A few of each length: every length is a program to compile.
    by_length = {}
    for case in cases("seq_ksubsets"):
        if np.ndim(case["t"]) < 2:
            by_length.setdefault((len(case["s"]), case["k"]), []).append(case)
    checked = 0
    for (_, k), group in list(by_length.items())[:6]:
        pull = jax.jit(lambda s, t, v: jax.vjp(lambda s, t: hj.sequence_subsets(s, k, t), s, t)[1](v))
        for case in group:
            s, t, v = (np.array(case[key], dtype=float) for key in ("s", "t", "v"))
            want, tolerance = case["both"], case["tol"]
            if not np.isfinite(t).all():
                continue
            agree(hj.sequence_subsets(s, k, t), want["y"], tolerance, case["id"])
            unary, by_t = pull(s, t, v)
            if want["vjp_s"] is not None:
                agree_derivative(unary, want["vjp_s"], 100 * tolerance, case["id"])
            if want["vjp_t"] is not None:
                agree_derivative(by_t, want["vjp_t"], 100 * tolerance, case["id"])
            checked += 1
    assert checked >= 5


@pytest.mark.parametrize("shape", [(), (5,), (3, 5), (2, 3, 5), (2, 1, 5)])
def test_transitions_of_any_shape(shape, doubles):
    x, g = draw(2, 3, 6), draw(2, 3, 6, seed=1)
    t = 0.3 + 0.2 * draw(*shape, seed=2)
    wide = np.broadcast_to(t if np.ndim(t) else np.full(5, t), (2, 3, 5))
    solution = hfy.sparsemap_solve(x, "sequence:2", wide)
    assert np.allclose(hj.sequence_subsets(x, 2, t), solution.marginals, atol=1e-14)
    value = lambda x, t: (hj.sequence_subsets(x, 2, t) * g).sum()
    by_x, by_t = jax.jit(jax.grad(value, (0, 1)))(x, t)
    unary, higher = solution.vjp(g)
    assert np.allclose(by_x, unary, atol=1e-12) and np.shape(by_t) == shape
    # What many rows share gathers what each would have.
    spread = lambda t: jnp.broadcast_to(t if np.ndim(t) else jnp.full(5, t), (2, 3, 5))
    assert np.allclose(by_t, jax.vjp(spread, t)[1](jnp.asarray(higher))[0], atol=1e-12)
    moved = jax.jvp(lambda t: hj.sequence_subsets(x, 2, t), (t,), (np.ones(shape),))[1]
    assert np.isclose((moved * g).sum(), by_t.sum(), atol=1e-12)


def test_infinite_transitions():
    x = draw(2, 6).astype(np.float32)
    assert np.allclose(hj.sequence_subsets(x, 2, np.inf), hfy.sequence(x, 2, np.inf), atol=1e-6)
    with says(Exception, r"higher\[0, 2\] = inf", "finite"):
        hj.sequence_subsets(x, 2, jnp.array([0, 0, jnp.inf, 0, 0])).block_until_ready()
    with says(Exception, r"higher\[0, 1\] = nan"):
        hj.sequence_subsets(x, 2, jnp.array([0, jnp.nan, 0, 0, 0])).block_until_ready()


def test_structures_that_were_built(doubles):
    x, g = draw(3, 4), draw(3, 4, seed=1)
    corners = hfy.Structure.listed(np.eye(4))
    assert np.allclose(hj.sparsemap(x, corners), hfy.sparsemax(x), atol=1e-12)
    pull = jax.jit(jax.grad(lambda x: (hj.sparsemap(x, corners) * g).sum()))
    assert np.allclose(pull(x), hfy.sparsemap_solve(x, corners).vjp(g)[0], atol=1e-12)
    other = hfy.Structure.listed(1 - np.eye(4))
    assert not np.allclose(hj.sparsemap(x, other), hj.sparsemap(x, corners))


def test_structures_by_text_and_regularisers(doubles):
    x = draw(2, 6)
    for structure in ["spans:3", "trees:4", "assignment:2x3", "atmost:2"]:
        assert np.allclose(hj.sparsemap(x, structure), hfy.sparsemap(x, structure), atol=1e-14)
        assert np.allclose(hj.sparsemap(x, hfy.Structure(structure)), hfy.sparsemap(x, structure), atol=1e-14)
    for regulariser in ["on", "both"]:
        want = hfy.sequence(x, 2, 0.3, regulariser=regulariser)
        assert np.allclose(hj.sequence_subsets(x, 2, 0.3, regulariser=regulariser), want, atol=1e-14)
        assert np.allclose(hj.sparsemap(x, "sequence:2:t=0.3", regulariser=regulariser), want, atol=1e-14)
    assert np.allclose(jax.vmap(lambda x: hj.sparsemap(x, "spans"))(x), hfy.sparsemap(x, "spans"), atol=1e-14)


def test_wrong_structures():
    x = np.zeros((2, 6), np.float32)
    for word, kind, call in [
        ("cannot read", ValueError, lambda: hj.sparsemap(x, "tree")),
        ("structure is a int", TypeError, lambda: hj.sparsemap(x, 3)),
        ("expected", ValueError, lambda: hj.sparsemap(x, "labels:2x2")),
        (r"higher has shape \[4\]", ValueError, lambda: hj.sparsemap(x, "sequence:2", higher=np.zeros(4))),
        ("regulariser = 'none'", ValueError, lambda: hj.sparsemap(x, "spans", regulariser="none")),
        ("k = 7", ValueError, lambda: hj.sequence_subsets(x, 7)),
        ("k = 1.5", ValueError, lambda: hj.sequence_subsets(x, 1.5)),
        (r"transition has shape \[4\]", ValueError, lambda: hj.sequence_subsets(x, 2, np.zeros(4))),
    ]:
        with says(kind, word):
            call()
