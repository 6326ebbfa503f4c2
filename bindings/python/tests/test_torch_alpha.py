"""The alpha and the transition that are learnt."""

import copy

import pytest
from torch_cases import draw, says, torch

from hfy.torch import AlphaParameter, TransitionParameter, entmax, entmax_bisect, sequence_subsets

BOUNDED = [(1.5, 1.0, 2.0), (1.01, 1.0, 2.0), (1.2, 1.1, 2.3), (1.4, 1.3, 40.0)]
DOMAINS = [*BOUNDED, (3.0, 1.0, torch.inf), (1.001, 1.0, torch.inf)]


@pytest.mark.parametrize("initial, low, high", DOMAINS)
def test_begins_where_it_was_told(initial, low, high):
    alpha = AlphaParameter(initial, low, high, shape=(3, 1, 1))()
    assert alpha.shape == (3, 1, 1) and torch.allclose(alpha, torch.tensor(initial), rtol=1e-5)


@pytest.mark.parametrize("initial, low, high", DOMAINS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_never_leaves_its_domain(initial, low, high, dtype):
    module = AlphaParameter(initial, low, high, shape=(9,)).to(dtype)
    with torch.no_grad():
        module.raw.copy_(torch.tensor([-3e4, -80.0, -9.0, -1.0, 0.0, 1.0, 9.0, 80.0, 3e4]))
    alpha = module().double()
    rounded = lambda bound: torch.tensor(bound, dtype=torch.float64).to(dtype).double()  # noqa: E731
    assert (alpha >= rounded(low)).all() and (alpha <= rounded(high)).all()
    assert not alpha.isnan().any() and (alpha.diff() >= 0).all()
    assert high < torch.inf or (module() > low).all(), "gamma = 1 is outside the domain of normmax"


def test_a_wild_optimiser_does_not_lead_out():
    """What entmax by bisection answers with NaN once alpha has crossed 1."""
    for sign in (1, -1):
        module = AlphaParameter(1.5)
        optimiser = torch.optim.SGD(module.parameters(), lr=1e3)
        for seed in range(20):
            optimiser.zero_grad()
            (sign * entmax_bisect(draw(4, 6, seed=seed, dtype=torch.float32), module())[:, 0].sum()).backward()
            assert module.raw.grad.isfinite()
            optimiser.step()
            assert 1 <= module() <= 2


def test_it_is_learnt():
    """From weights of alpha 1.8 and 1.2, one a head, both are found again."""
    scores = draw(16, 2, 3, 8)
    truth = torch.tensor([1.8, 1.2], dtype=torch.float64)[:, None, None]
    want = entmax(scores, truth)
    module = AlphaParameter(1.5, shape=(2, 1, 1)).double()
    optimiser = torch.optim.Adam(module.parameters(), lr=0.1)
    for _ in range(150):
        optimiser.zero_grad()
        (entmax(scores, module()) - want).square().sum().backward()
        optimiser.step()
    assert torch.allclose(module(), truth, atol=1e-3)


def test_state():
    module = AlphaParameter(1.3, shape=(2,))
    assert list(module.state_dict()) == ["raw"]
    again = AlphaParameter(1.7, shape=(2,))
    again.load_state_dict(module.state_dict())
    assert torch.equal(again(), module()) and torch.equal(copy.deepcopy(module)(), module())
    assert torch.equal(AlphaParameter(1.3, shape=(2,)).raw, module.raw)
    assert "low=1.0, high=2.0, shape=(2,)" in repr(module)


def test_bad_input():
    with says(ValueError, "low = 0.0", "0 < low < high"):
        AlphaParameter(low=0.0)
    with says(ValueError, "high = 1.0"):
        AlphaParameter(low=1.0, high=1.0)
    for initial in [1.0, 2.0, 0.3, 7.0, float("nan")]:
        with says(ValueError, f"initial = {initial}", "strictly between"):
            AlphaParameter(initial)
    with says(ValueError, "initial = inf"):
        AlphaParameter(torch.inf, high=torch.inf)


def test_a_transition_is_learnt():
    """From marginals with a transition of 0.7 and of -0.5, one a head, both are found again."""
    scores = draw(16, 2, 3, 8)
    truth = torch.tensor([0.7, -0.5], dtype=torch.float64)[:, None, None]
    solved = lambda transition: sequence_subsets(scores, 2, transition.expand(2, 1, 7))  # noqa: E731
    want = solved(truth)
    module = TransitionParameter(shape=(2, 1, 1)).double()
    optimiser = torch.optim.Adam(module.parameters(), lr=0.1)
    for _ in range(150):
        optimiser.zero_grad()
        (solved(module()) - want).square().sum().backward()
        optimiser.step()
    assert torch.allclose(module(), truth, atol=1e-3)
    assert list(module.state_dict()) == ["raw"]


def test_a_transition_begins_with_a_finite_number():
    assert torch.equal(TransitionParameter(0.3, shape=(2,))(), torch.tensor([0.3, 0.3]))
    for initial in (torch.inf, torch.nan):
        with says(ValueError, "initial = "):
            TransitionParameter(initial)
