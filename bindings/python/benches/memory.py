#!/usr/bin/env python3
"""Opening, adding and scanning a memory, beside LanceDB (if it is installed) and a plain numpy.memmap.

    python3 memory.py [PATTERNS]

Every line is a median, in milliseconds, of one process on one disk. numpy.memmap cannot grow, so nothing is added.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hfy

try:
    import lancedb
except ImportError:
    lancedb = None

DIM, PART = 128, 500_000


def part(first: int, rows: int) -> np.ndarray:
    return ((np.arange(first, first + rows)[:, None] * 31 + np.arange(DIM) * 17) % 97 - 48).astype(np.float32)


def median(work: Callable[[], object], rounds: int = 15) -> float:
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begun))
    return statistics.median(times)


def row(name: str, *cells: float) -> None:
    print(f"{name:<34}" + "".join(f"{'-' if np.isnan(cell) else f'{cell:.2f}':>14}" for cell in cells), flush=True)


def main() -> None:
    patterns = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    parts = [(first, min(PART, patterns - first)) for first in range(0, patterns, PART)]
    query = part(7, 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        print(f"{patterns} patterns of {DIM} in float32" + f"{'open':>11}{'add one':>14}{'scan':>14}")
        memory = hfy.Memory.create(place / "m.hfy", DIM)
        plain = np.memmap(place / "plain", np.float32, "w+", shape=(patterns, DIM))
        for first, rows in parts:
            memory.add(part(first, rows))
            plain[first : first + rows] = part(first, rows)
        plain.flush()
        opened = hfy.Memory.open(place / "m.hfy")
        row(
            "hfy.Memory",
            median(lambda: len(hfy.Memory.open(place / "m.hfy"))),
            median(lambda: memory.add(query)),
            median(lambda: opened.patterns @ query, 5),
        )
        memory.compact()
        compacted = hfy.Memory.open(place / "m.hfy")
        row("hfy.Memory, compacted", float("nan"), float("nan"), median(lambda: compacted.patterns @ query, 5))
        mapped = np.memmap(place / "plain", np.float32, "r", shape=(patterns, DIM))
        row(
            "numpy.memmap",
            median(lambda: np.memmap(place / "plain", np.float32, "r", shape=(patterns, DIM))),
            float("nan"),
            median(lambda: mapped @ query, 5),
        )
        if lancedb is None:
            return
        import pyarrow as pa

        schema = pa.schema([("id", pa.int64()), ("vector", pa.list_(pa.float32(), DIM))])
        table = lancedb.connect(place / "lance").create_table("m", schema=schema)

        def arrow(first: int, rows: int) -> pa.Table:
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(part(first, rows).ravel()), DIM)
            return pa.table({"id": pa.array(range(first, first + rows), pa.int64()), "vector": vectors})

        for first, rows in parts:
            table.add(arrow(first, rows))
        one = arrow(7, 1)
        row(
            "LanceDB, best 10 by a flat scan",
            median(lambda: lancedb.connect(place / "lance").open_table("m").count_rows()),
            median(lambda: table.add(one)),
            median(lambda: table.search(query).distance_type("dot").limit(10).to_arrow(), 5),
        )


if __name__ == "__main__":
    main()
