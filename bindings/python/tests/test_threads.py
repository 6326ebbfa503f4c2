"""The interpreter's lock is released, processes may fork, and ctrl-C stops long work."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import hfy
from hfy import _hfy

LARGE = np.random.default_rng(0).standard_normal((2000, 4000))


def progress_during(work):
    """How far another thread comes while `work` runs in this one."""
    count, stop = [0], threading.Event()

    def counting():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)  # gives the lock up, and takes it again if nobody keeps it

    thread = threading.Thread(target=counting)
    interval = sys.getswitchinterval()
    # Nobody is asked to give the lock up: only where that is done by itself does the other thread come to count.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        before = count[0]
        work()
        return count[0] - before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()


# What numpy does before a call gives the lock up as well, so all of it is done here.
WEIGHTS, TURNED, HALVES, OUT = hfy.softmax(LARGE), LARGE.T, LARGE.astype(np.float16), LARGE.copy()
CLASSES, FEW = np.zeros(2000, dtype=int), LARGE[:100, :300].copy()
PATTERNS = np.random.default_rng(1).standard_normal((3000, 400))
DENSE, SPARSE = hfy.Network(PATTERNS, "softmax"), hfy.Network(PATTERNS, "sparsemax")
WORK = {
    "forward": lambda: hfy.entmax(LARGE, 1.3),
    "out": lambda: hfy.softmax(LARGE, out=OUT),
    "axis": lambda: hfy.sparsemax(TURNED, axis=0),
    "half": lambda: hfy.subsets(HALVES, 3),
    "pullback": lambda: _hfy.pullback("softmax", WEIGHTS, LARGE),
    "loss": lambda: hfy.softmax_loss(LARGE, CLASSES),
    "support": lambda: hfy.support("entmax", LARGE, 1.5),
    "sparsemap": lambda: hfy.sparsemap(FEW, "sequence:3:t=0.5"),
    "retrieve": lambda: DENSE.retrieve(PATTERNS, steps=2),
    "certify": lambda: SPARSE.certify(),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_another_thread_runs_at_the_same_time(work):
    # On a busy machine the other thread may not get its turn at once.
    assert any(progress_during(work) > 0 for _ in range(100))


def test_the_lock_is_what_is_measured():
    """Work that keeps the lock lets nobody count."""
    assert not any(progress_during(lambda: sum(range(300_000))) > 0 for _ in range(20))


def test_two_threads_compute_at_once():
    want = hfy.entmax(LARGE, 1.5)
    results = [None] * 4

    def work(place):
        results[place] = hfy.entmax(LARGE, 1.5)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all((result == want).all() for result in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_processes_have_threads_of_their_own():
    """The threads of a parent are not in its child: whoever waited for them would wait for ever."""
    code = """
        import os, numpy as np, hfy
        x = np.random.default_rng(0).standard_normal((500, 2000))
        want = hfy.entmax(x, 1.3)
        child = os.fork()
        if child == 0:
            assert (hfy.entmax(x, 1.3) == want).all()
            network = hfy.Network(x[:, :50], "sparsemax")
            assert len(network.retrieve(x[:, :50])) == 500
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0 if (hfy.entmax(x, 1.3) == want).all() else 1)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert (hfy.entmax(x, 1.3) == want).all()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


ENDLESS = {
    "retrieve": "hfy.Network(z, 'softmax', beta=0.3).retrieve(z, steps=1000)",
    "certify": "hfy.Network(np.tile(x, (300, 1)), 'sparsemax').certify()",
    "free_recall": "hfy.free_recall(x, method='penalised', steps=1000, rounds=100_000_000)",
    "sequential_recall": "hfy.sequential_recall(x, steps=1000, rounds=100_000_000)",
    "weights": "[hfy.Network(x, 'softmax').weights(np.tile(x, (300, 1))) for _ in range(10_000)]",
    "sparsemap": "hfy.sparsemap_solve(np.tile(y, (3000, 1)), 'sequence:30:t=0.01')",
}


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ENDLESS)
def test_keyboard_interrupt(name):
    code = f"""
        import numpy as np, hfy
        x = np.random.default_rng(0).standard_normal((400, 30))
        y = np.random.default_rng(1).standard_normal((1, 2000))
        z = np.random.default_rng(2).standard_normal((20_000, 30))
        hfy.sparsemax(x)
        print("begins", flush=True)
        try:
            {ENDLESS[name]}
            print("ended by itself")
        except KeyboardInterrupt:
            print("interrupted")
        print(hfy.sparsemax([0.0, 9.0]).sum())
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begins\n"
        time.sleep(1.0)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, _ = process.communicate(timeout=60)
        assert out == "interrupted\n1.0\n", out
        assert time.monotonic() - began < 30
    finally:
        process.kill()
