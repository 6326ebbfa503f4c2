"""The golden families through the Python interface."""

import numpy as np
import pytest
from golden import agree, agree_derivative, cases, scores, slack

import hfy
from hfy import _hfy

MAPS = {"entmax": ("entmax", "alpha"), "normmax": ("normmax", "gamma"), "ksubsets": ("subsets", "k")}


@pytest.mark.parametrize("family", ["entmax", "normmax", "ksubsets"])
def test_maps(family):
    name, parameter = MAPS[family]
    function = getattr(hfy, name)
    for case in cases(family):
        what, x, value = case["id"], scores(case["theta"]), case[parameter]
        y, size = function(x, value, return_support=True)
        agree(y, case["y"], case["tol"], what)
        if not case.get("ill_conditioned") and value != 1:
            assert (y[np.array(case["y"]) == 0] == 0).all(), what
            if "support" in case:
                assert size == case["support"], what
        agree(hfy.conjugate(name, x, value), case["conj"], case["tol"], what)
        agree(hfy.loss(name, x, np.array(case["target"], dtype=float), value), case["loss"], case["tol"], what)
        gradient = hfy.loss(name, x, np.array(case["target"], dtype=float), value, return_gradient=True)[1]
        agree(gradient, np.array(case["y"]) - case["target"], case["tol"], what)
        if case.get("vjp") is not None:
            pulled = _hfy.pullback(name, y, np.array(case["v"], dtype=float), value)
            agree_derivative(pulled, case["vjp"], slack(case), what)
        if case.get("dalpha") is not None:
            derivative = _hfy.parameter_vjp(name, y, np.array(case["v"], dtype=float), value)
            agree(derivative, case["dalpha"], slack(case), what)


def test_all_rows_at_once():
    """One call with a parameter a row gives what single calls give, to the last bit."""
    for family in ["entmax", "normmax"]:
        name, parameter = MAPS[family]
        by_length = {}
        for case in cases(family):
            by_length.setdefault(case["n"], []).append(case)
        for group in by_length.values():
            x = np.stack([scores(case["theta"]) for case in group])
            parameters = np.array([case[parameter] for case in group], dtype=float)[:, None]
            together = getattr(hfy, name)(x, parameters)
            for row, case in zip(together, group):
                assert (row == getattr(hfy, name)(scores(case["theta"]), case[parameter])).all(), case["id"]


def test_constrained_sparsemax():
    for case in cases("csparsemax"):
        what, x, upper = case["id"], scores(case["theta"]), np.array(case["u"], dtype=float)
        y = hfy.bounded(x, upper)
        agree(y, case["y"], case["tol"], what)
        agree(hfy.conjugate("bounded", x, upper), case["conj"], case["tol"], what)
        if case.get("vjp") is not None:
            v = np.array(case["v"], dtype=float)
            agree_derivative(_hfy.pullback("bounded", y, v, upper), case["vjp"], slack(case), what)
            agree_derivative(_hfy.upper_vjp(x, y, v, upper), case["vjp_u"], slack(case), what)


def named(map):
    """The map that a case names, as text."""
    if map["kind"] == "seq_ksubsets":
        return f"sequence:{map['k']}:t={map['t']}:reg={map['reg']}"
    name, parameter = MAPS[map["kind"]]
    return f"{name}:{map[parameter]}"


def test_temperatures():
    for case in cases("temperature"):
        what, x, text, beta = case["id"], scores(case["theta"]), named(case["map"]), case["beta"]
        y = _hfy.forward(text, x, beta=beta)
        agree(y, case["y"], case["tol"], what)
        agree(hfy.conjugate(text, x, beta=beta), case["conj"], case["tol"], what)
        if case.get("vjp") is not None:
            pulled = _hfy.pullback(text, y, np.array(case["v"], dtype=float), beta=beta)
            agree_derivative(pulled, case["vjp"], slack(case), what)
            if case.get("dbeta") is not None:
                agree(_hfy.beta_vjp(x, pulled, beta), case["dbeta"], slack(case), what)


def test_masks():
    for case in cases("masked"):
        what, x, text = case["id"], scores(case["theta"]), named(case["map"])
        hidden = np.isneginf(x)
        # By a mask, over scores that would win if they were looked at; and by minus infinity.
        loud = np.where(hidden, 1e6, x)
        y = _hfy.forward(text, loud, mask=~hidden)
        agree(y, case["y"], case["tol"], what)
        assert (y[hidden] == 0).all(), what
        assert (_hfy.forward(text, x) == y).all(), what
        agree(hfy.conjugate(text, loud, mask=~hidden), case["conj"], case["tol"], what)
        if case.get("vjp") is not None:
            pulled = _hfy.pullback(text, y, np.array(case["v"], dtype=float))
            agree_derivative(pulled, case["vjp"], slack(case), what)


def test_sequences():
    for case in cases("seq_ksubsets"):
        s, v = np.array(case["s"], dtype=float), np.array(case["v"], dtype=float)
        structure = hfy.Structure.sequence(case["k"], np.array(case["t"], dtype=float))
        for regulariser in ["on", "both"]:
            what, want, tolerance = f"{case['id']} {regulariser}", case[regulariser], case["tol"]
            y = hfy.sequence(s, case["k"], np.array(case["t"], dtype=float), regulariser=regulariser)
            agree(y, want["y"], tolerance, what)
            solution = hfy.sparsemap_solve(s, structure, regulariser=regulariser)
            assert solution.optimal.all(), what
            assert (solution.marginals[np.array(want["y"]) == 0] == 0).all(), what
            agree(solution.value, want["value"], tolerance, what)
            if want.get("pair_sum") is not None:
                agree(solution.higher.sum(), want["pair_sum"], tolerance, what)
            unary, higher = solution.vjp(v)
            if want["vjp_s"] is not None:
                agree_derivative(unary, want["vjp_s"], 100 * tolerance, what)
            if want["vjp_t"] is not None:
                summed = higher.sum() if np.ndim(want["vjp_t"]) == 0 else higher
                agree_derivative(summed, want["vjp_t"], 100 * tolerance, what)
        if case["map_y"] is not None:
            assert (structure.best(s)[1] == case["map_y"]).all(), case["id"]


def test_listed_structures():
    for case in cases("structured"):
        what, theta = case["id"], np.array(case["theta"], dtype=float)
        solution = hfy.sparsemap_solve(theta, hfy.Structure.listed(case["vertices"], case["vertex_scores"]))
        agree(solution.marginals, case["y"], case["tol"], what)
        agree(solution.value, case["value"], case["tol"], what)
        if case.get("vjp") is not None:
            agree_derivative(solution.vjp(case["v"])[0], case["vjp"], slack(case), what)
