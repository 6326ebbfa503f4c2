"""Memories: patterns under stable ids, in one file."""

import os

import ml_dtypes
import numpy as np
import pytest

import hfy

X = np.random.default_rng(0).standard_normal((5, 4))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_a_file_and_back(tmp_path, dtype):
    path = tmp_path / "memory.hfy"
    memory = hfy.Memory.of(X.astype(dtype))
    assert memory.dtype == np.dtype(dtype).name and memory.dim == 4 and len(memory) == 5 and memory.changed
    memory.set_label(2, "two")
    memory.set_metadata(3, {"seen": [1, 2.5, None], "by": "us"})
    memory.set_info({"name": "test", "omega": "entmax:1.5", "beta": "2", "note": "any"})
    memory.save(path)
    assert not memory.changed and memory.path == path
    opened = hfy.Memory.open(str(path))
    assert opened.patterns.dtype == dtype and (opened.patterns == X.astype(dtype)).all()
    assert opened.label(2) == "two" and opened.label(1) is None
    assert opened.metadata(3) == {"seen": [1, 2.5, None], "by": "us"} and opened.metadata(0) is None
    assert opened.info == {"name": "test", "omega": "entmax:1.5", "beta": "2", "note": "any"}
    opened.verify()


def test_patterns_of_a_file_are_not_copied(tmp_path):
    path = tmp_path / "memory.hfy"
    hfy.Memory.of(X).save(path)
    memory = hfy.Memory.open(path)
    patterns = memory.patterns
    base = patterns
    while getattr(base, "base", None) is not None:
        base = base.base
    assert type(base).__name__ == "mmap"
    assert not patterns.flags.writeable and memory.patterns is patterns
    network = hfy.Network(memory)
    assert np.shares_memory(network.patterns, patterns)
    # A changed memory has to copy; what was seen before stays as it was.
    memory.add(X[0])
    assert memory.patterns.shape == (6, 4) and patterns.shape == (5, 4) and (patterns == X).all()
    memory.save()
    assert memory.patterns.shape == (6, 4) and (patterns == X).all()


def test_ids_are_stable():
    memory = hfy.Memory(4, np.float64)
    assert len(memory) == 0 and memory.patterns.shape == (0, 4)
    assert list(memory.add(X)) == [0, 1, 2, 3, 4]
    memory.remove([1, 3])
    assert memory.add(X[0] + 1) == 5
    assert list(memory.ids) == [0, 2, 4, 5] and memory.row_of(4) == 2
    assert (memory[4] == X[4]).all() and 3 not in memory and 4 in memory
    memory.update(4, X[1])
    assert (memory[4] == X[1]).all() and (memory.patterns[2] == X[1]).all()
    memory.remove(0)
    assert (memory.patterns == [X[2], X[1], X[0] + 1]).all()
    assert "3 patterns of 4 in float64" in repr(memory)


def test_networks_take_what_a_memory_says():
    memory = hfy.Memory.of(X)
    memory.set_info({"omega": "softmax", "psi": "l2", "beta": "0.5"})
    network = hfy.Network(memory)
    assert (network.omega, network.psi, network.beta) == ("softmax", "l2", 0.5)
    assert hfy.Network(memory, "sparsemax", beta=3.0).omega == "sparsemax"
    assert hfy.free_recall(memory, 0, beta=1.0).unique_ratio > 0


def test_wrong_calls(tmp_path):
    memory = hfy.Memory.of(X)
    with pytest.raises(KeyError, match="id = 9"):
        memory[9]
    with pytest.raises(KeyError, match="id = 9"):
        memory.remove([0, 9])
    assert len(memory) == 5
    with pytest.raises(ValueError, match=r"patterns has shape \[1, 3\], expected \[1, 4\]"):
        memory.add([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="must be finite"):
        memory.add([1.0, 2.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="a pattern, or a matrix"):
        memory.add(np.zeros((1, 1, 4)))
    with pytest.raises(ValueError, match="never saved or opened"):
        memory.save()
    with pytest.raises(FileNotFoundError, match="cannot open"):
        hfy.Memory.open(tmp_path / "nowhere.hfy")
    broken = tmp_path / "broken.hfy"
    broken.write_bytes(b"not a memory at all, but long enough")
    with pytest.raises(ValueError, match="broken.hfy"):
        hfy.Memory.open(broken)
    with pytest.raises(ValueError, match="dtype"):
        hfy.Memory(4, "int8")
    with pytest.raises(ValueError, match="dim = 0"):
        hfy.Memory(0)
    with pytest.raises(ValueError, match="belongs to the format"):
        memory.set_info({"version": "2"})


def test_a_place_that_cannot_be_written(tmp_path):
    memory = hfy.Memory.of(X)
    (tmp_path / "file").write_text("kept")
    for place in [tmp_path / "file" / "memory.hfy", tmp_path / "nowhere" / "memory.hfy"]:
        with pytest.raises(OSError):
            memory.save(place)
    assert (tmp_path / "file").read_text() == "kept" and memory.changed


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="no folder is closed to root, and Windows has other ways")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        hfy.Memory.of(X).save(tmp_path / "memory.hfy")
