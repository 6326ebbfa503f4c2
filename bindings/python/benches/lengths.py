"""hfy.torch against torch.softmax for rows of every length, in one process, in turns: a table in Markdown.

    python benches/lengths.py [threads]

Each tensor has a million numbers, and at least 64 rows. Times are the least of some turns, over that of
torch.softmax. To keep the allocator's page faults out of both sides, run it with MALLOC_TRIM_THRESHOLD_ and
MALLOC_MMAP_THRESHOLD_ set to 4294967296.
"""

from timing import THREADS, best  # isort: skip  (first: it sets threads)

import torch
from torch_maps import forward, forward_and_backward

import hfy.torch as ours

LENGTHS = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 10_000, 60_000]
MAPS = {
    "torch.softmax": lambda x: torch.softmax(x, -1),
    "softmax": ours.softmax,
    "sparsemax": ours.sparsemax,
    "1.5-entmax": ours.entmax15,
    "alpha = 1.3": lambda x: ours.entmax_bisect(x, 1.3),
    "alpha = 1.13": lambda x: ours.entmax_bisect(x, 1.13),
    "alpha = 1.03": lambda x: ours.entmax_bisect(x, 1.03),
    "alpha = 0.7": lambda x: ours.entmax_bisect(x, 0.7),
    "2-normmax": ours.normmax_bisect,
    "5-normmax": lambda x: ours.normmax_bisect(x, 5),
    "4-subsets": lambda x: ours.budget_bisect(x, min(4, x.shape[-1] - 1)),
}


def compared(title, work):
    columns = {}
    for length in LENGTHS:
        generator = torch.Generator().manual_seed(0)
        shape = (max((1 << 20) // length, 64), length)
        x, g = (torch.randn(shape, generator=generator) for _ in range(2))
        columns[length] = best({name: work(function, x, g) for name, function in MAPS.items()}, seconds=2.0)
    print(f"\n{title}\n")
    print("| | " + " | ".join(str(length) for length in LENGTHS) + " |")
    print("|---|" + "---|" * len(LENGTHS))
    times = (f"{1e3 * column['torch.softmax']:.2f}" for column in columns.values())
    print("| `torch.softmax`, ms | " + " | ".join(times) + " |")
    for name in MAPS:
        if name != "torch.softmax":
            ratios = (f"{column[name] / column['torch.softmax']:.2f}" for column in columns.values())
            print(f"| {name} | " + " | ".join(ratios) + " |")


if __name__ == "__main__":
    torch.set_num_threads(int(THREADS))
    print(f"torch {torch.__version__}, {THREADS} threads, float32")
    compared("Forward, over torch.softmax", forward)
    compared("Forward and backward, over torch.softmax", forward_and_backward)
