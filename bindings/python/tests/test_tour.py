"""The tour runs from start to end, and draws what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parents[1] / "examples/tour.py"


def test_the_tour(tmp_path):
    pytest.importorskip("matplotlib", reason="the tour draws with matplotlib")
    pytest.importorskip("torch", reason="the tour ends with a layer for torch")
    environment = os.environ | {"MPLCONFIGDIR": str(tmp_path / "settings")}
    done = subprocess.run(
        [sys.executable, TOUR, tmp_path / "figures"], capture_output=True, text=True, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        "recall.png", "certificates.png", "training.png", "attention.png"
    }  # fmt: skip
    words = done.stdout
    assert "sparsemax    exactly back: 6 of 6" in words and "fixed points: 26 of 26" in words
    accuracies = [float(line.split()[-1]) for line in words.splitlines() if "accuracy on new bags" in line]
    assert len(accuracies) == 3 and min(accuracies) > 0.95
