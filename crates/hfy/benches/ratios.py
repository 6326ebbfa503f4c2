#!/usr/bin/env python3
"""Tables of ratios from the lines that benchmarks print.

    make bench > ours.jsonl
    python3 .../peers_cpu.py --only map/torch.softmax > peers.jsonl
    python3 crates/hfy/benches/ratios.py ours.jsonl peers.jsonl

Every time is divided by that of torch.softmax on a tensor of the same shape and scale, in two threads. Prints Markdown.
"""
import json
import sys

SHAPES = [(10000, 1000), (1000, 10000), (128, 60000)]
CASES = [(shape, scale) for shape in SHAPES for scale in (1.0, 5.0)]
HEAD = [" x ".join(map(str, shape)) if scale == 1.0 else "same, x5" for shape, scale in CASES]


def read(paths):
    for path in paths:
        for line in open(path):
            if line.startswith("{"):
                row = json.loads(line)
                if row["bench"].startswith("map/") and row.get("threads", 2) == 2:
                    yield row


def table(title, first, rows):
    print(f"\n## {title}\n\n| {first} | " + " | ".join(HEAD) + " |\n|---" + "|---" * len(HEAD) + "|")
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")


def main(paths):
    times = {}
    for row in read(paths):
        key = row["bench"], row["impl"], row.get("buffer", ""), tuple(row["shape"]), row["scale"]
        times[key] = row["median_s"]
    names = list(dict.fromkeys((impl, buffer) for _, impl, buffer, _, _ in times))

    def cell(bench, impl, buffer, case):
        time, base = times.get((bench, impl, buffer, *case)), times.get((bench, "torch.softmax", "", *case))
        return f"{time / base:.2f}" if time and base else ""

    milliseconds = lambda bench: [f"{1e3 * times.get((bench, 'torch.softmax', '', *case), 0):.1f}" for case in CASES]
    table("The time of `torch.softmax`, in ms", "", [("forward", milliseconds("map/fwd")),
                                                     ("forward and backward", milliseconds("map/fwd+bwd"))])
    for bench, what in (("map/fwd", "Forward"), ("map/fwd+bwd", "Forward and backward")):
        for buffer, where in (("reused", "into a kept buffer"), ("fresh", "into new arrays"), ("", "the peers")):
            rows = [(f"`{impl.removeprefix('hfy ')}`", [cell(bench, impl, buffer, case) for case in CASES])
                    for impl, b in names if b == buffer and impl != "torch.softmax"]
            table(f"{what}, {where}", "map", [(n, c) for n, c in rows if any(c)])


if __name__ == "__main__":
    main(sys.argv[1:])
