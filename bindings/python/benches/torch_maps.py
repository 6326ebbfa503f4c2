"""hfy.torch against torch.softmax and the package entmax, on the same tensors in one process, in turns.

    python benches/torch_maps.py [threads]
"""

from timing import MANY, SHAPES, THREADS, best, repeated, table  # isort: skip  (threads are set before others are imported)

import torch

import hfy.torch as ours

try:
    import entmax
except ImportError:  # the others can be compared without it
    entmax = None

OURS = {
    "torch.softmax": lambda x: torch.softmax(x, -1),
    "softmax": ours.softmax,
    "sparsemax": ours.sparsemax,
    "entmax 1.5": ours.entmax15,
    "entmax 1.3": lambda x: ours.entmax_bisect(x, 1.3),
    "normmax 2": ours.normmax_bisect,
    "subsets 4": lambda x: ours.budget_bisect(x, 4),
}
THEIRS = {
    "sparsemax": lambda x: entmax.sparsemax(x, -1),
    "entmax 1.5": lambda x: entmax.entmax15(x, -1),
    "subsets 4": lambda x: entmax.budget_bisect(x, 4),
}


def compared(title, shape, work):
    """One table of what `work` makes of each map: times, over those of torch.softmax, and those of entmax over ours."""
    generator = torch.Generator().manual_seed(0)
    x, g = (torch.randn(shape, generator=generator) for _ in range(2))
    times = best({name: work(function, x, g) for name, function in OURS.items()})
    theirs = {}
    if entmax is not None:
        theirs = best({name: work(function, x, g) for name, function in THEIRS.items()}, rounds=2, seconds=0)
    rows = []
    for name, seconds in times.items():
        ratio = f"{theirs[name] / seconds:.0f}" if name in theirs else ""
        rows.append((name, [f"{1e3 * seconds:.2f} ms", f"{seconds / times['torch.softmax']:.2f}", ratio]))
    table(f"{title}, {shape} float32", rows, ["time", "/ torch.softmax", "entmax / ours"])


def forward(function, x, g):
    return lambda: function(x)


def forward_and_backward(function, x, g):
    leaf = x.clone().requires_grad_()
    return lambda: torch.autograd.grad(function(leaf), leaf, g)


def small():
    x, g = torch.randn(8), torch.randn(8)
    leaf = x.clone().requires_grad_()
    columns = {
        "without gradient": lambda function: lambda: function(x),
        "with gradient": lambda function: lambda: function(leaf),
        "and backward": lambda function: lambda: torch.autograd.grad(function(leaf), leaf, g),
    }
    kinds = OURS | ({f"{name} of entmax": function for name, function in THEIRS.items()} if entmax else {})
    times = [best({name: repeated(column(function)) for name, function in kinds.items()}) for column in columns.values()]
    rows = [(name, [f"{1e6 * column[name] / MANY:.1f} us" for column in times]) for name in kinds]
    table("8 numbers, a call", rows, list(columns))


if __name__ == "__main__":
    torch.set_num_threads(int(THREADS))
    print(f"torch {torch.__version__}, {THREADS} threads")
    small()
    for shape in SHAPES:
        compared("forward", shape, forward)
    for shape in SHAPES:
        compared("forward and backward", shape, forward_and_backward)
