"""Our maps against torch.softmax and the package entmax, on the same arrays in one process.

    python benches/maps.py [threads]

Arrays of numpy are shared with torch. Times are the best of several, in turns, so that a busy machine is unfair to all alike.
"""

import os
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "2"
os.environ.setdefault("RAYON_NUM_THREADS", THREADS)
os.environ.setdefault("OMP_NUM_THREADS", THREADS)

import numpy as np  # noqa: E402
import torch  # noqa: E402

import hfy  # noqa: E402
from hfy import _hfy  # noqa: E402

try:
    import entmax
except ImportError:  # the others can be compared without it
    entmax = None

SHAPES = [(10_000, 1_000), (1_000, 10_000), (128, 60_000)]


def best(works, seconds=4.0, rounds=5):
    """The least time of each work, taken in turns."""
    times = {name: float("inf") for name in works}
    end = time.perf_counter() + seconds
    done = 0
    while done < rounds or (time.perf_counter() < end and done < 200):
        for name, work in works.items():
            begin = time.perf_counter()
            work()
            times[name] = min(times[name], time.perf_counter() - begin)
        done += 1
    return times


def table(title, rows, columns):
    print(f"\n{title}")
    print(f"{'':24}" + "".join(f"{column:>14}" for column in columns))
    for name, values in rows:
        print(f"{name:24}" + "".join(f"{value:>14}" for value in values))


def forward(shape):
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    tensor = torch.from_numpy(x)
    works = {
        "torch.softmax": lambda: torch.softmax(tensor, -1),
        "softmax": lambda: hfy.softmax(x),
        "sparsemax": lambda: hfy.sparsemax(x),
        "entmax 1.5": lambda: hfy.entmax(x, 1.5),
        "subsets 4": lambda: hfy.subsets(x, 4),
    }
    times = best(works)
    theirs = {}
    if entmax is not None:
        slow = {
            "sparsemax": lambda: entmax.sparsemax(tensor, -1),
            "entmax 1.5": lambda: entmax.entmax15(tensor, -1),
            "subsets 4": lambda: entmax.budget_bisect(tensor, 4, -1),
        }
        theirs = best(slow, rounds=1, seconds=0)
    soft = times["torch.softmax"]
    rows = [
        (name, [f"{1e3 * t:.2f} ms", f"{t / soft:.2f}", f"{theirs[name] / t:.0f}" if name in theirs else ""])
        for name, t in times.items()
    ]
    table(f"forward, {shape} float32", rows, ["time", "/ torch.softmax", "entmax / ours"])


def backward(shape):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape, dtype=np.float32), rng.standard_normal(shape, dtype=np.float32)
    leaf, upstream = torch.from_numpy(x).requires_grad_(), torch.from_numpy(g)

    def both(name, parameter=None):
        return lambda: _hfy.pullback(name, _hfy.forward(name, x, parameter), g, parameter)

    works = {
        "torch.softmax": lambda: torch.autograd.grad(torch.softmax(leaf, -1), leaf, upstream),
        "sparsemax": both("sparsemax"),
        "entmax 1.5": both("entmax", 1.5),
        "subsets 4": both("subsets", 4),
    }
    times = best(works)
    soft = times["torch.softmax"]
    rows = [(name, [f"{1e3 * t:.2f} ms", f"{t / soft:.2f}"]) for name, t in times.items()]
    table(f"forward and backward, {shape} float32", rows, ["time", "/ torch.softmax"])


def small():
    x = np.random.default_rng(0).standard_normal(8, dtype=np.float32)
    tensor, out, weights, many = torch.from_numpy(x), np.empty_like(x), hfy.softmax(x), range(1000)

    def repeated(work):
        def run():
            for _ in many:
                work()

        return run

    works = {
        "numpy.exp": lambda: np.exp(x),
        "torch.softmax": lambda: torch.softmax(tensor, -1),
        "sparsemax": lambda: hfy.sparsemax(x),
        "sparsemax, out": lambda: hfy.sparsemax(x, out=out),
        "entmax 1.5": lambda: hfy.entmax(x, 1.5),
        "forward by name": lambda: _hfy.forward("entmax", x, 1.5),
        "pullback by name": lambda: _hfy.pullback("entmax", weights, x, 1.5),
    }
    times = best({name: repeated(work) for name, work in works.items()})
    table("8 numbers", [(name, [f"{1e3 * t:.2f} us"]) for name, t in times.items()], ["a call"])


if __name__ == "__main__":
    torch.set_num_threads(int(THREADS))
    print(f"hfy {hfy.__version__}, torch {torch.__version__}, {THREADS} threads")
    small()
    for shape in SHAPES:
        forward(shape)
    for shape in SHAPES:
        backward(shape)
