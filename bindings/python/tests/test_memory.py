"""Memories: patterns under stable ids, in a folder that many processes use."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest

import hfy

X = np.random.default_rng(0).standard_normal((5, 4))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_a_folder_and_a_file_and_back(tmp_path, dtype):
    path = tmp_path / "memory.hfy"
    memory = hfy.Memory.of(X.astype(dtype), path)
    assert memory.dtype == np.dtype(dtype).name and memory.dim == 4 and len(memory) == 5 and memory.path == path
    memory.set_label(2, "two")
    memory.set_metadata(3, {"seen": [1, 2.5, None], "by": "us"})
    memory.set_info({"name": "test", "omega": "entmax:1.5", "beta": "2", "note": "any"})
    memory.export(tmp_path / "memory.safetensors")
    copy = hfy.Memory.import_(tmp_path / "memory.safetensors", tmp_path / "copy.hfy")
    file = hfy.Memory.open(str(tmp_path / "memory.safetensors"))
    assert file.read_only and not copy.read_only
    for opened in [hfy.Memory.open(str(path)), copy, file]:
        assert opened.patterns.dtype == dtype and (opened.patterns == X.astype(dtype)).all()
        assert opened.label(2) == "two" and opened.label(1) is None
        assert opened.metadata(3) == {"seen": [1, 2.5, None], "by": "us"} and opened.metadata(0) is None
        assert opened.info == {"name": "test", "omega": "entmax:1.5", "beta": "2", "note": "any"}
        opened.verify()
    with pytest.raises(ValueError, match="is one file, which is only read"):
        file.add(X[0])


def test_patterns_of_a_segment_are_not_copied(tmp_path):
    memory = hfy.Memory.of(X, tmp_path / "memory.hfy")
    patterns = memory.patterns
    base = patterns
    while getattr(base, "base", None) is not None:
        base = base.base
    assert type(base).__name__ == "mmap"
    assert not patterns.flags.writeable and memory.patterns is patterns
    network = hfy.Network(memory)
    assert np.shares_memory(network.patterns, patterns)
    # Two segments have to be copied; what was seen before stays as it was.
    memory.add(X[0])
    assert memory.patterns.shape == (6, 4) and patterns.shape == (5, 4) and (patterns == X).all()
    memory.compact()
    assert memory.patterns.shape == (6, 4) and (patterns == X).all() and memory.snapshot().segments == 1


def test_ids_are_stable():
    memory = hfy.Memory(4, np.float64)
    assert len(memory) == 0 and memory.patterns.shape == (0, 4) and memory.path is None
    assert list(memory.add(X)) == [0, 1, 2, 3, 4]
    memory.remove([1, 3])
    assert memory.add(X[0] + 1) == 5
    assert list(memory.ids) == [0, 2, 4, 5] and memory.row_of(4) == 2
    assert (memory[4] == X[4]).all() and 3 not in memory and 4 in memory
    memory.update(4, X[1])
    assert (memory[4] == X[1]).all() and (memory.patterns[2] == X[1]).all()
    memory.update([5, 0], X[:2], labels=["five", None])
    assert (memory[5] == X[0]).all() and (memory[0] == X[1]).all() and memory.label(5) == "five"
    memory.update(0, metadata={"only": "texts"})
    assert memory.metadata(0) == {"only": "texts"} and (memory[0] == X[1]).all()
    memory.remove(0)
    assert (memory.patterns == [X[2], X[1], X[0]]).all()
    assert "3 patterns of 4 in float64" in repr(memory)


def test_texts_come_with_patterns_and_filters_choose():
    memory = hfy.Memory(4, "float64")
    memory.add(X[:3], labels=["a", None, "b"], metadata=[{"lang": "de", "year": 2021}, None, {"lang": "fr"}])
    assert memory.add(X[3], labels="c", metadata={"lang": "de", "year": 1999}) == 3
    assert list(memory.query(where='lang = "de" and year > 2000')) == [0]
    german = memory.snapshot(where="lang = 'de'")
    memory.remove(3)
    assert list(german.ids) == [0, 3] and (german.patterns == X[[0, 3]]).all() and german.label(3) == "c"
    assert list(german.query(where="label = 'c'")) == [3] and 1 not in german and len(german) == 2
    records = list(memory)
    assert [record.id for record in records] == [0, 1, 2] and [record.label for record in records] == ["a", None, "b"]
    assert records[2].metadata == {"lang": "fr"} and (records[2].pattern == X[2]).all() and records[2].row == 2
    network = hfy.Network(german, "sparsemax", beta=50.0)
    assert network.patterns.shape == (2, 4) and network.retrieve(X[3][None])[0].support[0][0] == 1
    with pytest.raises(ValueError, match="where = .*character 8: expected a number"):
        memory.query(where="lang = ")


def test_iteration_goes_past_what_is_read_at_once():
    memory = hfy.Memory(1)
    memory.add(np.arange(2500.0)[:, None], labels=[str(n) for n in range(2500)])
    memory.remove([7, 1999])
    assert all(record.label == str(record.id) == str(int(record.pattern[0])) for record in memory)
    assert sum(1 for _ in memory) == 2498


def test_merging():
    memory, other = hfy.Memory.of(X[:2]), hfy.Memory.of(X[2:], labels=["a", "b", "c"])
    assert list(memory.merge(other)) == [2, 3, 4] and memory.label(3) == "b"
    assert list(memory.merge(other.snapshot(where="label = 'c'"))) == [5]
    assert (memory.patterns == X[[0, 1, 2, 3, 4, 4]]).all()


def test_networks_take_what_a_memory_says():
    memory = hfy.Memory.of(X)
    memory.set_info({"omega": "softmax", "psi": "l2", "beta": "0.5"})
    network = hfy.Network(memory)
    assert (network.omega, network.psi, network.beta) == ("softmax", "l2", 0.5)
    assert hfy.Network(memory, "sparsemax", beta=3.0).omega == "sparsemax"
    assert hfy.free_recall(memory, 0, beta=1.0).unique_ratio > 0
    assert hfy.free_recall(memory.snapshot(where="id < 3"), 0, beta=1.0).unique_ratio > 0


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
    with pytest.raises(ValueError, match="labels = 1 entries: one entry for each of 2 patterns"):
        memory.add(X[:2], labels=["one"])
    with pytest.raises(ValueError, match="labels = one: a list was expected"):
        memory.add(X[:2], labels="one")
    with pytest.raises(ValueError, match="timeout = -1"):
        hfy.Memory.open(tmp_path, timeout=-1)
    with pytest.raises(FileNotFoundError, match="cannot open"):
        hfy.Memory.open(tmp_path / "nowhere.hfy")
    with pytest.raises(FileNotFoundError, match="catalogue.sqlite"):
        hfy.Memory.open(tmp_path)
    broken = tmp_path / "broken.hfy"
    broken.write_bytes(b"not a memory at all, but long enough")
    with pytest.raises(ValueError, match="broken.hfy"):
        hfy.Memory.open(broken)
    with pytest.raises(FileExistsError, match="exists already"):
        hfy.Memory.of(X, broken)
    assert len(hfy.Memory.of(X, broken, replace=True)) == 5
    with pytest.raises(ValueError, match="dtype"):
        hfy.Memory(4, "int8")
    with pytest.raises(ValueError, match="dim = 0"):
        hfy.Memory(0)
    with pytest.raises(ValueError, match="belongs to the format"):
        memory.set_info({"version": "2"})
    with pytest.raises(ValueError, match="cannot be pickled"):
        pickle.dumps(memory)
    with hfy.Memory.open(broken) as opened:
        seen = opened.patterns
    assert (seen == X).all() and repr(opened) == "<Memory, closed>"
    with pytest.raises(ValueError, match="was closed"):
        len(opened)


def test_a_place_that_cannot_be_written(tmp_path):
    memory = hfy.Memory.of(X)
    (tmp_path / "file").write_text("kept")
    for place in [tmp_path / "file" / "memory.hfy", tmp_path / "nowhere" / "memory.hfy"]:
        with pytest.raises(OSError):
            memory.export(place)
        with pytest.raises(OSError):
            hfy.Memory.of(X, place)
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="no folder is closed to root, and Windows has other ways")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        hfy.Memory.of(X, tmp_path / "memory.hfy")


def test_threads_share_a_memory(tmp_path):
    memory = hfy.Memory.create(tmp_path / "memory.hfy", 2)
    ids: list[int] = []

    def work(number: int) -> None:
        for step in range(10):
            ids.append(memory.add([number, step], labels=f"{number}:{step}"))
            assert len(memory.patterns) >= step

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == list(range(40)) and len(memory) == 40
    assert all(f"{int(r.pattern[0])}:{int(r.pattern[1])}" == r.label for r in memory)


def add_some(memory: hfy.Memory, number: int) -> list[int]:
    return [memory.add([number, step]) for step in range(10)]


def test_processes_that_are_spawned_share_a_memory(tmp_path):
    memory = hfy.Memory.create(tmp_path / "memory.hfy", 2)
    code = "import pickle, sys, hfy; m = pickle.load(sys.stdin.buffer); print(*[m.add([1, s]) for s in range(10)])"
    children = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)
    ]
    ids: list[int] = []
    for child in children:
        assert child.stdin is not None
        child.stdin.write(pickle.dumps(memory))
        child.stdin.close()
    for child in children:
        assert child.stdout is not None
        ids += map(int, child.stdout.read().split())
        assert child.wait() == 0
    assert sorted(ids) == list(range(30)) and len(memory) == 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_processes_that_are_forked_share_a_memory(tmp_path):
    memory = hfy.Memory.create(tmp_path / "memory.hfy", 2)
    memory.add([9, 9], labels="first")
    before = memory.snapshot()
    temporary = hfy.Memory.of(X)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        jobs = [pool.apply_async(add_some, (memory, number)) for number in range(6)]
        ids = [identity for job in jobs for identity in job.get(timeout=60)]
        assert len(pool.map(len, [memory, memory])) == 2
    assert sorted(ids) == list(range(1, 61)) and len(memory) == 61
    memory.verify()
    # Patterns of an earlier snapshot stay, its texts do not: SQLite must not be carried over.
    assert (before.patterns == [[9, 9]]).all()
    with pytest.raises(ValueError, match="went away when the process forked"):
        before.label(0)
    assert memory.label(0) == "first" and len(temporary) == 5
    child = os.fork()
    if child == 0:
        del temporary  # of the parent, so nothing may be deleted
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    temporary.verify()


def test_a_writer_that_waits_too_long_says_for_whom(tmp_path):
    fcntl = pytest.importorskip("fcntl", reason="locks of other systems are taken otherwise")
    memory = hfy.Memory.create(tmp_path / "memory.hfy", 2)
    memory.add([1, 2])
    hasty = hfy.Memory.open(tmp_path / "memory.hfy", timeout=0.05)
    with open(tmp_path / "memory.hfy" / "writer.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match=f"process {os.getpid()} has wanted to add to it .* waited 0.05 s"):
            hasty.add([3, 4])
        assert len(hasty) == 1
    hasty.add([3, 4])
