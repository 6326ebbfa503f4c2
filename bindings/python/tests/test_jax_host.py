"""How programs of jax call kernels: both ways, with large arrays, and with what is wrong."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from jaxed import MAPS, doubles, draw, hj, jax, says  # noqa: F401

import hfy
from hfy.jax import _host

jnp = jax.numpy


@pytest.fixture
def through_callbacks(monkeypatch):
    """What other devices than CPUs run: arrays go to the host and back."""
    monkeypatch.setattr(jax.lax, "platform_dependent", lambda *operands, cpu, default: default(*operands))
    jax.clear_caches()
    yield
    jax.clear_caches()


@pytest.mark.parametrize("name", ["entmax 1.3", "normmax 5", "bounded", "sequence 2"])
def test_callbacks_do_the_same(name, doubles, through_callbacks):
    x = draw(3, 4, 6)
    value = lambda x: (MAPS[name](x) ** 2).sum()
    got = jax.jit(jax.vmap(MAPS[name]))(x), jax.jit(jax.vmap(jax.grad(value)))(x)
    assert "callback" in str(jax.make_jaxpr(MAPS[name])(x))
    assert np.allclose(got[0], np.stack([MAPS[name](row) for row in x]), atol=1e-14)
    moved = draw(3, 4, 6, seed=1)
    step = 1e-6
    if name not in ("bounded", "sequence 2"):  # which have kinks
        want = (value(x + step * moved) - value(x - step * moved)) / (2 * step)
        assert np.isclose((got[1] * moved).sum(), want, atol=1e-6)
    alpha = np.array([1.2, 1.5, 2.0])
    by_alpha = jax.vmap(lambda alpha: hj.entmax(x[0, 0], alpha))(alpha)
    assert np.array_equal(by_alpha, hfy.entmax(x[0, :1].repeat(3, 0), alpha[:, None]))


def test_on_cpus_buffers_are_lent():
    text = jax.jit(hj.sparsemax).lower(jnp.zeros((2, 3))).as_text()
    assert "hfy_kernel" in text and "callback" not in text


def test_programs_say_what_they_call():
    """A program that is kept on disk may be run by another process: nothing in it may be an address of this one."""
    program = lambda: jax.jit(lambda x: hj.entmax(x, 1.5)).lower(jnp.zeros((2, 3))).as_text()
    assert program() == program() and "forward" in program() and "entmax" in program()


LARGE = """
    import os, sys
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax, numpy as np, hfy, hfy.jax
    from hfy import _hfy
    if sys.argv[1] == "callbacks":
        jax.lax.platform_dependent = lambda *operands, cpu, default: default(*operands)
    x = np.random.default_rng(0).standard_normal((3000, 1000), dtype=np.float32)
    program = jax.jit(jax.grad(lambda x: (hfy.jax.sparsemax(hfy.jax.entmax15(x) * 90) ** 2).sum()))
    results = [program(x) for _ in range(4)]  # all under way at once
    inner = hfy.entmax(x, 1.5)
    outer = hfy.sparsemax(inner * 90)
    want = _hfy.pullback("entmax", inner, 90 * _hfy.pullback("sparsemax", outer, 2 * outer), 1.5)
    print(abs(want).max() > 1 and all(np.allclose(result, want, rtol=1e-3, atol=1e-3) for result in results))
"""


@pytest.mark.parametrize("way", ["lent", "callbacks"])
def test_large_arrays_do_not_wait_for_each_other(way):
    command = [sys.executable, "-c", textwrap.dedent(LARGE), way]
    done = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_errors_of_kernels():
    bad = jnp.array([[0.0, 1.0], [0.0, jnp.nan]])
    pull = jax.grad(lambda x: hj.sparsemax(x)[0, 0])
    for function in [hj.sparsemax, jax.jit(hj.sparsemax), jax.vmap(hj.sparsemax), pull]:
        with says((ValueError, RuntimeError), r"scores\[1\] = NaN in row 1", "finite"):
            jax.block_until_ready(function(bad))
    with says((ValueError, RuntimeError), "alpha = -0.5", r"\(0, inf\]"):
        jax.block_until_ready(jax.jit(hj.entmax)(jnp.zeros(3), -0.5))
    with says((ValueError, RuntimeError), "k = 9"):
        jax.block_until_ready(jax.jit(hj.subsets)(jnp.zeros(3), 9))
    with says((ValueError, RuntimeError), r"targets\[0\] = 7"):
        jax.block_until_ready(hj.sparsemax_loss(jnp.zeros((2, 3)), jnp.array([0, 7])))
    assert (np.asarray(hj.sparsemax(jnp.array([0.0, 9.0]))) == [0, 1]).all()  # and all goes on


@pytest.mark.parametrize("kind, words, call", [
    (TypeError, ["x is of dtype complex64", "real numbers"], lambda x: hj.sparsemax(x.astype(complex))),
    (TypeError, ["x is a str"], lambda x: hj.sparsemax("words")),
    (TypeError, ["x is of dtype float8"], lambda x: hj.sparsemax(x.astype(jnp.float8_e4m3fn))),
    (ValueError, ["x is a single number"], lambda x: hj.sparsemax(3.0)),
    (ValueError, ["axis = 2", "2 axes", "-2 to 1"], lambda x: hj.sparsemax(x, 2)),
    (TypeError, ["axis = 'last'"], lambda x: hj.sparsemax(x, "last")),
    (TypeError, ["mask is of dtype int32", "True for what takes part"], lambda x: hj.sparsemax(x, mask=jnp.arange(3))),
    (ValueError, [r"mask has shape \[2\]", r"\[2, 3\]"], lambda x: hj.sparsemax(x, mask=jnp.array([True, False]))),
    (ValueError, ["alpha = -0.5"], lambda x: hj.entmax(x, -0.5)),
    (ValueError, ["gamma = 1"], lambda x: hj.normmax(x, 1)),
    (ValueError, ["k = 4"], lambda x: hj.subsets(x, 4)),
    (ValueError, [r"alpha has shape \[2\]", r"\[2, 1\]"], lambda x: hj.entmax(x, jnp.ones(2))),
    (ValueError, [r"upper has shape \[2\]"], lambda x: hj.bounded(x, jnp.ones(2))),
    (ValueError, ["upper sums to 0.3"], lambda x: hj.bounded(x, 0.1)),
    (ValueError, [r"target has shape \[3\], expected \[2\]"], lambda x: hj.sparsemax_loss(x, jnp.zeros(3, int))),
    (ValueError, [r"target has shape \[2\], expected \[2, 3\]"], lambda x: hj.sparsemax_loss(x, jnp.zeros(2))),
    (ValueError, ["target has shape", "axis of classes"], lambda x: hj.subsets_loss(x, jnp.zeros(2, int), 1)),
    (ValueError, ["ignore_index = -1", "classes"], lambda x: hj.sparsemax_loss(x, x + 1 / 3, ignore_index=-1)),
])  # fmt: skip
def test_what_is_wrong_while_tracing(kind, words, call):
    with says(kind, *words):
        call(jnp.zeros((2, 3)))
    if not any("words" in word or "single" in word for word in words):
        with says(kind, *words):
            jax.jit(call).lower(jax.ShapeDtypeStruct((2, 3), jnp.float32))  # before anything runs


def test_kernels_take_as_many_operands_as_they_need():
    shape = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    made = _host.call("forward", (shape,), (jnp.zeros((2, 3)),), map="softmax", axis=-1)
    assert np.allclose(made[0], 1 / 3)


def test_jax_is_asked_for_when_it_is_missing():
    code = """
        import sys
        sys.modules["jax"] = None
        import hfy
        try:
            import hfy.jax
        except ImportError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert "hfy.jax needs jax" in done.stdout and "pip install" in done.stdout, done.stderr
