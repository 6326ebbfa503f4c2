"""Our maps against torch.softmax and the package entmax, on the same arrays in one process.

    python benches/maps.py [threads]

Arrays of numpy are shared with torch. Times are the best of several, in turns, so that a busy machine is unfair to all alike.
"""

from timing import SHAPES, THREADS, best, repeated, table  # isort: skip  (threads are set before others are imported)

import numpy as np
import torch

import hfy
from hfy import _hfy

try:
    import entmax
except ImportError:  # the others can be compared without it
    entmax = None

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
    tensor, out, weights = torch.from_numpy(x), np.empty_like(x), hfy.softmax(x)

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
