"""Networks, certificates and recall."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest
from golden import agree, agree_derivative, cases, scores

import hfy


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def omega_of(map):
    """The separation of a golden case as text, and its beta; None for sums."""
    kind, beta = map["kind"], map.get("beta", 1.0)
    text = {
        "quadratic": lambda: "quadratic",
        "power": lambda: f"power:{map['r']}",
        "exp": lambda: "exponential",
        "entmax": lambda: f"entmax:{map['alpha']}",
        "normmax": lambda: f"normmax:{map['gamma']}",
        "ksubsets": lambda: f"subsets:{map['k']}",
        "seq_ksubsets": lambda: f"sequence:{map['k']}:t={map['t']}:reg={map['reg']}",
    }.get(kind)
    return (text() if text else None), beta


def psi_of(psi):
    """The post-transformation of a golden case as text; None for matrices."""
    kind = psi["kind"]
    if kind == "layernorm":
        delta = ";".join(str(d) for d in np.broadcast_to(psi["delta"], np.shape(psi["delta"]) or (1,)))
        settings = f"eta={psi['eta']},eps={psi['eps']}" + (f",delta={delta}" if np.ndim(psi["delta"]) else "")
        return f"layernorm:{settings}"
    return {"identity": "identity", "l2": f"l2:{psi.get('r')}", "tanh": f"tanh:{psi.get('beta')}", "sign": "sign"}.get(kind)


def test_golden_dynamics():
    checked = 0
    for case in cases("dynamics"):
        (omega, beta), psi = omega_of(case["omega"]), psi_of(case["psi"])
        if omega is None or psi is None:
            continue
        network = hfy.Network(np.array(case["X"], dtype=float), omega, psi, beta)
        checked += 1
        tolerance = 100 * case["tol"]
        for before, after in zip(case["steps"], case["steps"][1:]):
            q = np.array(before["q"], dtype=float)
            agree(network.step(q), after["q"], tolerance, case["id"])
            if omega != "exponential" and not omega.startswith("power"):
                agree(network.weights(q), before["y"], tolerance, case["id"])
            if before.get("e_raw") is not None:
                agree(network.energy(q), before["e_raw"], tolerance, case["id"])
    assert checked > 30


def test_golden_stationary_patterns():
    for case in cases("retrieval"):
        if case["tag"] != "stationary":
            continue
        omega, beta = omega_of(case["omega"])
        beta = case.get("beta", beta)
        certificates = hfy.Network(np.array(case["X"], dtype=float), omega, beta=beta).certify()
        agree(certificates.separation, case["delta"], 1e-9, case["id"])
        assert (certificates.fixed_point == case["is_stationary"]).all(), case["id"]


def test_golden_recall():
    for case in cases("recall"):
        x, q, p = np.array(case["X"], dtype=float), np.array(case["q0"], dtype=float), case["params"]
        if case["algorithm"] == "alg1":
            recall = hfy.free_recall(x, q, beta=p["beta"], steps=p["T"], trace=True)
        elif case["algorithm"] == "alg2":
            recall = hfy.free_recall(
                x, q, method="penalised", beta=p["beta"], steps=p["T"], alpha=p["alpha"], penalty=p["lambda"], forgetting=p["tau"]
            )
        else:
            recall = hfy.sequential_recall(
                x,
                q,
                beta=p["beta"],
                steps=p["T"],
                alpha=p["alpha"],
                penalty=p["lambda"],
                forgetting=p["tau"],
                omega=p["omega"],
                transition=p["t"],
                regulariser=p["reg"],
                inner_beta=p["inner_beta"],
            )
        # Rounds are held to the reference until a tie within its tolerance may go either way.
        for round, want in enumerate(case["trace"]):
            if want["argmax_gap"] <= 10 * case["tol"]:
                break
            assert recall.recalled[round] == want["recalled"], case["id"]
            agree(recall.gaps[round], want["argmax_gap"], 100 * case["tol"], case["id"])
            if case["algorithm"] == "alg1":
                agree(recall.trace(round)[2], want["u"], 100 * case["tol"], case["id"])
        else:
            agree(recall.unique_ratio, case["unique_ratio"], 1e-12, case["id"])
            if "levenshtein_coef" in case:
                agree(recall.levenshtein, case["levenshtein_coef"], 1e-12, case["id"])


def test_reports():
    x = np.eye(4) * 3
    network = hfy.Network(x, "sparsemax", beta=1.0)
    found = network.retrieve([[2.5, 0.1, 0.0, 0.2], [1.0, 1.0, 0.0, 0.0]], trace=True)
    assert found.status == ["pattern", "blend"] and list(found.pattern) == [0, -1] and list(found.sizes) == [1, 2]
    assert (found.states[0] == x[0]).all()
    first, second = found
    assert first.status == "pattern" and first.pattern == 0 and first.association is None
    assert first.stopped == "fixed point" and first.steps == found.steps[0] and first.residual == 0
    assert [list(part) for part in first.support] == [[0], [1.0]]
    assert [list(part) for part in second.support] == [[0, 1], [0.5, 0.5]]
    assert np.isclose(first.energy, network.energy(x[0])) and np.isclose(first.trace[-1], first.energy)
    assert (np.diff(first.trace) <= 1e-12).all() and found[-1].pattern is None
    assert network.retrieve([0.0, 0, 0, 3]).states.shape == (4,)
    assert network.retrieve(x, energy=False)[0].energy is None
    with pytest.raises(IndexError, match="2 reports"):
        found[2]


def test_when_to_stop_and_what_matches():
    x = draw(30, 10)
    network = hfy.Network(x, "softmax", beta=0.5)
    assert (network.retrieve(x, steps=3).steps == 3).all()
    assert (network.retrieve(x, steps=1).states == network.step(x)).all()
    loose = network.retrieve(x, tolerance=0.1)
    assert (loose.residual <= 0.1).all()
    assert "step limit" in hfy.Network(x, "softmax", beta=0.5).retrieve(x, limit=1).status
    assert set(network.retrieve(x, max_distance=1e-3).status) == {"no match"}
    assert set(network.retrieve(x, min_score=1e6).status) == {"no match"}
    assert set(network.retrieve(x, max_energy=-1e6).status) == {"no match"}
    for settings, words in [
        ({"steps": 1, "tolerance": 0.1}, "either steps or tolerance"),
        ({"min_score": 1.0, "max_energy": 0.0}, "at most one"),
        ({"steps": 0}, "at least one step"),
        ({"tolerance": -1.0}, "tolerance = -1"),
        ({"blend_floor": 2.0}, "blend_floor = 2"),
        ({"index": 3}, "reach"),
    ]:
        with pytest.raises(ValueError, match=words):
            network.retrieve(x, **settings)


def test_an_index_changes_nothing():
    x = draw(500, 40, seed=1) @ draw(40, 40, seed=2) / 6
    network = hfy.Network(x.astype(np.float32), "entmax:1.5", beta=0.5)
    queries = x[:50] + 0.3 * draw(50, 40, seed=3)
    plain, indexed, again = (network.retrieve(queries, index=index) for index in (None, 8, 8))
    assert (plain.states == indexed.states).all() and (plain.states == again.states).all()


def test_types_and_copies():
    x = draw(6, 5)
    assert hfy.Network(x).patterns.dtype == np.float64
    assert hfy.Network(x.astype(np.float32)).step(x[0]).dtype == np.float32
    for half in [np.float16, ml_dtypes.bfloat16]:
        network = hfy.Network(x.astype(half))
        assert network.patterns.dtype == np.float32
        assert (network.patterns == x.astype(half).astype(np.float32)).all()
    assert hfy.Network([[1, 0], [0, 1]]).patterns.dtype == np.float64
    mine = x.copy()
    network = hfy.Network(mine)
    mine[:] = 0
    assert (network.patterns == x).all()
    shared = hfy.Network(x, copy=False)
    assert np.shares_memory(shared.patterns, x) and x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        shared.patterns[0, 0] = 1
    assert (hfy.Network(x.T, copy=False).patterns == x.T).all()


def test_values():
    keys, values = np.eye(3) * 4, draw(3, 2)
    network = hfy.Network(keys, "sparsemax", values=values.astype(np.float32))
    assert np.allclose(network.step(keys), values, atol=1e-6) and network.values.shape == (3, 2)
    with pytest.raises(ValueError, match="separate values does not provide an energy"):
        network.energy(keys)
    with pytest.raises(ValueError, match="values has shape"):
        hfy.Network(keys, values=draw(2, 2))


def test_copies_and_pickles():
    network = hfy.Network(draw(5, 4), "entmax:1.5", "l2", 2.0, values=draw(5, 4, seed=1))
    for other in [copy.copy(network), copy.deepcopy(network), pickle.loads(pickle.dumps(network))]:
        assert repr(other) == repr(network) == "Network(<5 patterns of 4>, omega='entmax:1.5', psi='l2', beta=2)"
        assert (other.step(network.patterns) == network.step(network.patterns)).all()
    assert (network.omega, network.psi, network.beta, network.shape, len(network)) == ("entmax:1.5", "l2", 2.0, (5, 4), 5)


def test_wrong_networks():
    x = draw(4, 3)
    for arguments, words in [
        ((np.zeros(3),), "a matrix was expected"),
        ((np.zeros((0, 3)),), "patterns has shape"),
        ((np.full((2, 2), np.nan),), r"patterns\[0\] = NaN in row 0"),
        ((x, "entmax:0"), "alpha = 0"),
        ((x, "nothing"), "cannot read"),
        ((x, "softmax", "l3"), "cannot read"),
        ((x, "softmax", "l2", 0.0), "beta = 0"),
        ((x, "subsets:9"), "k = 9"),
    ]:
        with pytest.raises(ValueError, match=words):
            hfy.Network(*arguments)
    with pytest.raises(TypeError, match="patterns is of dtype"):
        hfy.Network([["a"]])
    network = hfy.Network(x)
    with pytest.raises(ValueError, match=r"query|queries has shape \[1, 2\]"):
        network.retrieve([0.0, 1.0])
    with pytest.raises(ValueError, match=r"queries\[1\] = NaN in row 0"):
        network.retrieve([0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="queries has shape"):
        network.retrieve(np.zeros((1, 1, 3)))


def test_certificates():
    x = draw(20, 8) * 3
    network = hfy.Network(x, "entmax:1.5", beta=0.5)
    certificates = network.certify()
    assert len(certificates) == 20
    gram = x @ x.T
    separation = np.diag(gram) - np.where(np.eye(20, dtype=bool), -np.inf, gram).max(1)
    assert np.allclose(certificates.separation, separation)
    assert (certificates.fixed_point == (separation >= hfy.margin("entmax:1.5", beta=0.5))).all()
    assert (certificates.radius >= certificates.radius_paper).all()
    # Every query within the radius comes back in one step.
    rng = np.random.default_rng(5)
    for i in np.flatnonzero(certificates.radius > 0):
        away = rng.standard_normal((20, 8))
        away *= certificates.radius[i] * rng.random((20, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
        assert (network.step(x[i] + away) == x[i]).all()
        assert all(one["exact"] and one["best"] == [i] for one in network.guarantee(x[i] + away))
    assert certificates.summary["patterns"] == 20
    with pytest.raises(ValueError, match="margin"):
        hfy.Network(x, "softmax").certify()


@pytest.mark.parametrize("psi", ["identity", "l2:3", "layernorm", "layernorm:eps=0.1", "tanh:0.3", "sign"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_certified_states(psi, dtype):
    x = draw(12, 8)
    x = (8 * x / np.linalg.norm(x, axis=1, keepdims=True)).astype(dtype)
    network = hfy.Network(x, "entmax:1.5", psi, beta=2.0)
    certificates = network.certify()
    states = network.step(x)
    assert certificates.recalled.all()
    assert ((certificates.moved == 0) == (states == x).all(1)).all()
    assert certificates.summary["unmoved"] == (certificates.moved == 0).mean() == float(psi == "identity")
    rng, tried = np.random.default_rng(6), 0
    for centres, radii in [(states, certificates.radius), (x, certificates.radius_pattern)]:
        for i in np.flatnonzero(radii > 0):
            away = rng.standard_normal((100, 8))
            away *= radii[i] * rng.random((100, 1)) / np.linalg.norm(away, axis=1, keepdims=True)
            queries = (centres[i] + away).astype(dtype)
            assert (network.step(queries) == states[i]).all()
            assert all(one["exact"] and one["best"] == [i] for one in network.guarantee(queries))
            tried += 100
    assert tried >= 1000
    assert (network.step(states)[certificates.fixed_point] == states[certificates.fixed_point]).all()


def test_certified_values():
    keys, values = draw(10, 8) * 3, draw(10, 3, seed=2)
    network = hfy.Network(keys, "sparsemax", "l2", values=values)
    certificates, recalled = network.certify(), values / np.linalg.norm(values, axis=1, keepdims=True)
    rng = np.random.default_rng(7)
    for i in np.flatnonzero(certificates.radius > 0):
        away = rng.standard_normal((100, 8))
        away *= certificates.radius[i] / np.linalg.norm(away, axis=1, keepdims=True)
        found = network.step(keys[i] + away)
        assert (found == found[0]).all() and np.allclose(found[0], recalled[i], rtol=1e-14)
    assert (certificates.radius > 0).any() and (certificates.moved == 0).all()


def test_the_default_rule_of_stopping():
    x = draw(40, 8)
    queries = draw(60, 8, seed=3)
    dense, sparse = hfy.Network(x, "softmax", beta=0.5), hfy.Network(x, "sparsemax", beta=8.0)
    found = dense.retrieve(queries)
    assert found.stop == "where a step moves the state by at most 1.0e-5 of its length, at most 100 steps"
    assert (found.residual <= 1e-5 * np.linalg.norm(found.states, axis=1)).all() and "step limit" not in found.status
    assert sparse.retrieve(queries).stop == "at a fixed point, at most 100 steps"
    assert (dense.retrieve(queries, tolerance=0, limit=5000).residual == 0).all()
    energies = dense.energy(queries)
    assert np.allclose(energies, [dense.energy(query) for query in queries], rtol=1e-13)


def test_associations():
    network = hfy.Network(np.eye(4) * 2, "subsets:2")
    assert network.certify_association([0, 3])["fixed_point"]
    assert network.retrieve(2.0 * np.eye(4)[0] + 2.0 * np.eye(4)[3])[0].association == [0, 3]
    sequence = hfy.Network(np.eye(4) * 2, "sequence:2:t=0.5")
    pair = sequence.certify_association([1, 2])
    assert pair["fixed_point"] and pair["radius"] > 0
    report = sequence.retrieve(2.0 * np.eye(4)[1] + 2.0 * np.eye(4)[2])[0]
    assert report.structures == [([1, 2], 1.0)]


def test_recall_measures():
    x = np.eye(6) * 3
    recall = hfy.sequential_recall(x, penalty=1e8)
    assert list(recall.recalled[:5]) == [1, 2, 3, 4, 5] and recall.levenshtein == recall.ceiling == 1 - 1 / 6
    assert len(recall) == 6 and not recall.repeats.any() and list(recall.jumps) == [False] * 5 + [True]
    indices, weights = recall.weights(0)
    assert list(indices) == [1] and list(weights) == [1.0]
    assert recall.trace(0) is None and hfy.sequential_recall(x, trace=True).trace(0) is not None
    assert hfy.free_recall(draw(8, 20) * 2, 3, beta=1.0, rounds=4).unique_ratio == 1
    with pytest.raises(ValueError, match="method"):
        hfy.free_recall(x, method="any")
    with pytest.raises(ValueError, match="cue = 9"):
        hfy.free_recall(x, 9)
    with pytest.raises(IndexError, match="6 rounds"):
        recall.weights(7)
