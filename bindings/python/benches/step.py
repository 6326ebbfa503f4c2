"""One step of 1000 queries on 60,000 patterns of 784 against torch's scaled_dot_product_attention, on the same memory.

    python benches/step.py [threads]

The patterns are MNIST where HFY_DATA_DIR names a folder with it, and else random ones of the same size.
"""

from timing import THREADS, best, table  # isort: skip  (first: it sets threads)

import gzip
import os
from pathlib import Path

import numpy as np
import torch

import hfy

BETA = 0.1


def mnist():
    """Stored pictures and queries in [-1, 1], if they are there."""
    found = []
    for name in ["train-images-idx3-ubyte", "t10k-images-idx3-ubyte"]:
        folder = Path(os.environ.get("HFY_DATA_DIR", "."))
        place = next((path for path in folder.rglob(name + "*") if path.is_file()), None)
        if place is None:
            return None
        data = gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()
        pixels = np.frombuffer(data, np.uint8, offset=16).reshape(-1, 784)
        found.append(pixels.astype(np.float32) / 127.5 - 1)
    return found[0], found[1][:1000].copy()


def random_ones():
    random = np.random.default_rng(0)
    return [random.standard_normal((n, 784), dtype=np.float32) for n in (60_000, 1_000)]


def main():
    torch.set_num_threads(int(THREADS))
    real = mnist()
    patterns, queries = real or random_ones()
    stored, states = torch.from_numpy(patterns), torch.from_numpy(queries)
    works = {
        "attention of torch": lambda: torch.nn.functional.scaled_dot_product_attention(
            states[None, None], stored[None, None], stored[None, None], scale=BETA
        )
    }
    for omega in ["softmax", "entmax:1.5", "sparsemax"]:
        network = hfy.Network(patterns, omega, beta=BETA, copy=False)
        works[f"{omega}, step"] = lambda network=network: network.step(queries)
        if omega != "softmax":
            settings = {"steps": 1, "energy": False, "index": 128}
            works[f"{omega}, index"] = lambda network=network, settings=settings: network.retrieve(queries, **settings)
    times = best(works, seconds=0, rounds=5)
    base = times["attention of torch"]
    rows = [(name, [f"{seconds:.3f} s", f"{seconds / base:.2f}"]) for name, seconds in times.items()]
    table(f"{'MNIST' if real else 'random'}, float32, {THREADS} threads", rows, ["a step", "/ attention"])


if __name__ == "__main__":
    main()
