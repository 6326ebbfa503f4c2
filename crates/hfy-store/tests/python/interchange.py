"""Checks ours.hfy in the folder given, and writes theirs.hfy beside it. Run by tests/python.rs."""

import json
import sys
from pathlib import Path

import numpy as np
import xxhash
from safetensors import safe_open
from safetensors.numpy import save_file

folder = Path(sys.argv[1])

with safe_open(folder / "ours.hfy", framework="np") as file:
    about = file.metadata()
    tensors = {name: file.get_tensor(name) for name in file.keys()}
assert about["format"] == "hfy-memory" and about["version"] == "1" and about["next_id"] == "3", about
assert about["omega"] == "entmax:1.5"
assert tensors["patterns"].dtype == np.float32
assert tensors["patterns"].tolist() == [[1, 2, 3], [4, 5, 6.5]]
assert tensors["ids"].dtype == np.uint64 and tensors["ids"].tolist() == [0, 2]


def texts(kind):
    offsets, data = tensors[f"{kind}.offsets"], tensors[f"{kind}.bytes"].tobytes()
    return [data[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]


assert texts("labels") == ["été", ""]
assert [json.loads(t) if t else None for t in texts("metadata")] == [None, {"a": [1, "b"]}]
for name, values in tensors.items():
    assert about[f"checksum.{name}"] == xxhash.xxh3_64_hexdigest(values.tobytes()), name
rows, sums = about["blocks"].split(":")
assert int(rows) >= 2 and sums == xxhash.xxh3_64_hexdigest(tensors["patterns"].tobytes())
whole = (folder / "ours.hfy").read_bytes()
header = whole[: 8 + int.from_bytes(whole[:8], "little")]
plain = header.replace(about["checksum.header"].encode(), b"0" * 16)
assert about["checksum.header"] == xxhash.xxh3_64_hexdigest(plain)

labels = ["", "five"]
save_file(
    {
        "patterns": np.array([[0.5, 1.5], [2.5, 3.5]]),
        "ids": np.array([3, 5], dtype=np.uint64),
        "labels.offsets": np.cumsum([0] + [len(t.encode()) for t in labels]).astype(np.uint64),
        "labels.bytes": np.frombuffer("".join(labels).encode(), dtype=np.uint8),
    },
    folder / "theirs.hfy",
    metadata={"format": "hfy-memory", "version": "1", "next_id": "8", "name": "from python"},
)
