"""The golden values of the library: inputs with exact results. `HFY_GOLDEN_DIR` names another folder of the same schema."""

import json
import os
from pathlib import Path
from typing import Any, Iterator

import numpy as np

FOLDER = Path(os.environ.get("HFY_GOLDEN_DIR", Path(__file__).resolve().parents[3] / "crates/hfy/tests/golden"))


def cases(family: str) -> Iterator[dict[str, Any]]:
    with open(FOLDER / f"{family}.json") as file:
        found = json.load(file)["cases"]
    assert found, f"{family} has cases"
    yield from found


def scores(values: list[float | None]) -> np.ndarray:
    """Scores, where null is minus infinity."""
    return np.array([-np.inf if value is None else value for value in values])


def agree(got: Any, want: Any, tolerance: float, what: str) -> None:
    """The comparison rule: entry by entry, relative to what is wanted where that exceeds one."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape, what
    off = np.abs(got - want) / np.maximum(1, np.abs(want))
    assert (off <= tolerance).all(), f"{what}: {got} instead of {want}"


def agree_derivative(got: Any, want: Any, tolerance: float, what: str) -> None:
    """The same relative to the largest entry."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape, what
    scale = max(1.0, np.abs(want).max(initial=0))
    assert (np.abs(got - want) <= tolerance * scale).all(), f"{what}: {got} instead of {want}"


def slack(case: dict[str, Any]) -> float:
    """How closely derivatives are held to the reference."""
    return case.get("vjp_tol") or 100 * case["tol"]
