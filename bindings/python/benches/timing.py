"""What the benchmarks share: how many threads, which shapes, times in turns, and tables.

Import it first: threads are counted when numpy and torch are imported.
"""

import os
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "2"
os.environ.setdefault("RAYON_NUM_THREADS", THREADS)
os.environ.setdefault("OMP_NUM_THREADS", THREADS)

SHAPES = [(10_000, 1_000), (1_000, 10_000), (128, 60_000)]
MANY = 1000


def best(works, seconds=4.0, rounds=5):
    """The least time of each work, taken in turns, so that a busy machine is unfair to all alike."""
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


def repeated(work):
    """A work many times, for those that are too short to be timed."""

    def run():
        for _ in range(MANY):
            work()

    return run


def table(title, rows, columns):
    print(f"\n{title}")
    print(f"{'':24}" + "".join(f"{column:>16}" for column in columns))
    for name, values in rows:
        print(f"{name:24}" + "".join(f"{value:>16}" for value in values))
