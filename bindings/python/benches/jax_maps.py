"""hfy.jax against jax.nn.softmax, both compiled, on the same arrays in one process, in turns.

    python benches/jax_maps.py [threads]
"""

from timing import MANY, SHAPES, THREADS, best, repeated, table  # isort: skip  (it counts threads first)

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import numpy as np  # noqa: E402

import hfy.jax as ours  # noqa: E402

MAPS = {
    "jax.nn.softmax": jax.nn.softmax,
    "softmax": ours.softmax,
    "sparsemax": ours.sparsemax,
    "entmax 1.5": ours.entmax15,
    "entmax 1.3": lambda x: ours.entmax(x, 1.3),
    "normmax 2": ours.normmax,
    "subsets 4": lambda x: ours.subsets(x, 4),
}
WORKS = {
    "forward": lambda function: lambda x, g: function(x),
    "forward and backward": lambda function: lambda x, g: jax.vjp(function, x)[1](g)[0],
}


def work(program, *arrays):
    return lambda: program(*arrays).block_until_ready()


def compared(title, shape):
    rng = np.random.default_rng(0)
    x, g = (jax.numpy.asarray(rng.standard_normal(shape, dtype=np.float32)) for _ in range(2))
    times = best({name: work(jax.jit(WORKS[title](function)), x, g) for name, function in MAPS.items()})
    softmax = times["jax.nn.softmax"]
    rows = [(name, [f"{1e3 * seconds:.2f} ms", f"{seconds / softmax:.2f}"]) for name, seconds in times.items()]
    table(f"{title}, {shape} float32", rows, ["time", "/ jax.nn.softmax"])


def small():
    x = jax.numpy.arange(8.0)
    works = {name: repeated(work(jax.jit(MAPS[name]), x)) for name in ["jax.nn.softmax", "sparsemax"]}
    works["sparsemax, not compiled"] = repeated(work(ours.sparsemax, x))
    rows = [(name, [f"{1e6 * seconds / MANY:.0f} us"]) for name, seconds in best(works, 2.0).items()]
    table("8 numbers", rows, ["a call"])


if __name__ == "__main__":
    print(f"jax {jax.__version__}, {THREADS} threads")
    small()
    for title in WORKS:
        for shape in SHAPES:
            compared(title, shape)
