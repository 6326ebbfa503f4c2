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
    print(f"{'':18}" + "".join(f"{column:>14}" for column in columns))
    for name, values in rows:
        print(f"{name:18}" + "".join(f"{value:>14}" for value in values))


MAPS = {"softmax": ("softmax", None), "sparsemax": ("sparsemax", None), "entmax 1.5": ("entmax", 1.5), "subsets 4": ("subsets", 4)}


def ratios(title, kept, new, theirs):
    """One table: into arrays that are kept, into new ones, and what the package entmax takes for the same."""
    rows = []
    for name in kept:
        a, b = kept[name], new[name]
        times = [f"{1e3 * a:.2f} ms", f"{a / kept['torch.softmax']:.2f}", f"{1e3 * b:.2f} ms", f"{b / new['torch.softmax']:.2f}"]
        rows.append((name, [*times, f"{theirs[name] / b:.0f}" if name in theirs else ""]))
    table(title, rows, ["kept", "/ torch", "new", "/ torch", "entmax / ours"])


def forward(shape):
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    out = np.empty_like(x)
    tensor, kept = torch.from_numpy(x), torch.from_numpy(out)
    into = {"torch.softmax": lambda: torch.softmax(tensor, -1, out=kept)}
    new = {"torch.softmax": lambda: torch.softmax(tensor, -1)}
    for name, (map, parameter) in MAPS.items():
        into[name] = lambda map=map, parameter=parameter: _hfy.forward(map, x, parameter, out=out)
        new[name] = lambda map=map, parameter=parameter: _hfy.forward(map, x, parameter)
    theirs = {}
    if entmax is not None:
        slow = {
            "sparsemax": lambda: entmax.sparsemax(tensor, -1),
            "entmax 1.5": lambda: entmax.entmax15(tensor, -1),
            "subsets 4": lambda: entmax.budget_bisect(tensor, 4, -1),
        }
        theirs = best(slow, rounds=2, seconds=0)
    ratios(f"forward, {shape} float32", best(into), best(new), theirs)


def backward(shape):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape, dtype=np.float32), rng.standard_normal(shape, dtype=np.float32)
    y, pulled = np.empty_like(x), np.empty_like(x)
    tensor, upstream, weights, to = (torch.from_numpy(array) for array in (x, g, y, pulled))
    leaf = torch.from_numpy(x).requires_grad_()

    def softmax_into():
        torch.softmax(tensor, -1, out=weights)
        torch.ops.aten._softmax_backward_data.out(upstream, weights, -1, torch.float32, grad_input=to)

    def ours(map, parameter, out, to):
        return lambda: _hfy.pullback(map, _hfy.forward(map, x, parameter, out=out), g, parameter, out=to)

    into = {"torch.softmax": softmax_into}
    new = {"torch.softmax": lambda: torch.autograd.grad(torch.softmax(leaf, -1), leaf, upstream)}
    for name, (map, parameter) in MAPS.items():
        into[name] = ours(map, parameter, y, pulled)
        new[name] = ours(map, parameter, None, None)
    theirs = {}
    if entmax is not None:
        slow = {
            "sparsemax": lambda: torch.autograd.grad(entmax.sparsemax(leaf, -1), leaf, upstream),
            "entmax 1.5": lambda: torch.autograd.grad(entmax.entmax15(leaf, -1), leaf, upstream),
            "subsets 4": lambda: torch.autograd.grad(entmax.budget_bisect(leaf, 4, -1), leaf, upstream),
        }
        theirs = best(slow, rounds=2, seconds=0)
    ratios(f"forward and backward, {shape} float32", best(into), best(new), theirs)


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
