"""Gradients of the layers against differences, for every map and post-transformation, and what is learned of them."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch import TransitionParameter  # noqa: E402
from hfy.torch.nn import Hopfield, HopfieldLayer, HopfieldPooling  # noqa: E402
from nn_common import random, spread  # noqa: E402
from torch import nn  # noqa: E402

OMEGAS = ["softmax", "sparsemax", "entmax:1.5", "entmax:1.2", "normmax:2", "subsets:2", "sequence:2:t=0.1"]
PSIS = ["identity", "l2", "layernorm", "layernorm:eps=0.1"]


def check(layer, *inputs, given=lambda x: x[0]):
    layer.double()
    names, parameters = zip(*layer.named_parameters(), strict=True)

    def run(*arguments):
        free, weights = arguments[: len(inputs)], arguments[len(inputs) :]
        # A function of the weights, as gradcheck perturbs what it is given.
        return torch.func.functional_call(layer, dict(zip(names, weights, strict=True)), (given(free),))

    arguments = [*(x.requires_grad_() for x in inputs), *(p.detach().clone().requires_grad_() for p in parameters)]
    assert torch.autograd.gradcheck(run, arguments, fast_mode=True)


@pytest.mark.parametrize("psi", PSIS)
@pytest.mark.parametrize("omega", OMEGAS)
def test_inputs_and_weights(omega, psi):
    layer = spread(Hopfield(4, num_heads=2, omega=omega, psi=psi, update_steps_max=2, scaling=1.3))
    check(layer, random(2, 5, 4), random(2, 3, 4, seed=1), random(2, 5, 4, seed=2), given=tuple)


def test_each_element_of_a_small_gradient():
    layer = spread(Hopfield(4, num_heads=2, omega="entmax:1.5", psi="l2", update_steps_max=1).double())
    assert torch.autograd.gradcheck(layer, random(1, 3, 4).requires_grad_())


@pytest.mark.parametrize(
    "omega, start",
    [
        ("entmax", [1.3, 1.8]),
        ("normmax", [1.5, 3.0]),
        ("subsets", [1.4, 2.6]),
        ("entmax", 1.6),
        ("sequence:2", [0.3, -0.4]),
        ("sequence:2", 0.6),
    ],
)
def test_a_learned_parameter_and_a_learned_beta(omega, start):
    parameter = nn.Parameter(torch.tensor(start, dtype=torch.float64))
    beta = nn.Parameter(torch.tensor([0.8, 1.7], dtype=torch.float64))
    layer = spread(Hopfield(4, num_heads=2, omega=omega, omega_parameter=parameter, scaling=beta, update_steps_max=1))
    assert {"association_core.omega.parameter", "association_core.beta"} <= set(layer.state_dict())
    check(layer, random(2, 5, 4))


@pytest.mark.parametrize("shape", [(2,), (1,), (2, 1, 1)])
def test_a_transition_that_is_learned(shape):
    transition = TransitionParameter(0.4, shape=shape)
    layer = Hopfield(4, num_heads=2, omega="sequence:2", omega_parameter=transition, scaling=0.3, update_steps_max=1)
    assert "association_core.omega.module.raw" in layer.state_dict()
    check(spread(layer), random(2, 5, 4))
    # With some of the patterns masked, and one query that sees fewer of them than are to be chosen.
    mask = torch.zeros(5, 5, dtype=torch.bool)
    mask[0, 1], mask[1, 1:] = True, True
    layer.zero_grad()
    x = random(2, 5, 4)
    masked = lambda raw: torch.func.functional_call(  # noqa: E731
        layer, {"association_core.omega.module.raw": raw}, (x,), {"association_mask": mask}
    )
    assert torch.autograd.gradcheck(masked, transition.raw.detach().clone().requires_grad_())
    layer(x, association_mask=mask).square().sum().backward()
    assert (transition.raw.grad != 0).all()


@pytest.mark.parametrize(
    "options",
    [
        {"normalize_hopfield_space": True, "normalize_hopfield_space_affine": True},
        {"pattern_projection_as_connected": True},
        {"concat_bias_pattern": True, "add_zero_association": True},
        {"psi": "l2", "psi_patterns": True},
        {"association_activation": "tanh", "input_bias": False},
    ],
    ids=str,
)
def test_the_other_ways_through_a_layer(options):
    check(spread(Hopfield(4, num_heads=2, omega="sparsemax", update_steps_max=1, **options)), random(2, 5, 4))


def test_pooling_and_lookup():
    options = {"num_heads": 2, "omega": "entmax:1.5", "update_steps_max": 1, "quantity": 3}
    check(spread(HopfieldPooling(4, **options)), random(2, 5, 4))
    check(spread(HopfieldPooling(4, **options)), random(2, 4), random(5, 4, seed=1), given=list)
    check(spread(HopfieldLayer(4, lookup_weights_as_separated=True, **options)), random(2, 5, 4))


@pytest.mark.parametrize("psi", ["l2", "layernorm"])
def test_no_nan_where_psi_has_no_derivative(psi):
    memory = Hopfield.memory(3, psi=psi, update_steps_max=1)
    stored = torch.full((2, 3), 0.0 if psi == "l2" else 0.1, requires_grad=True)
    query = torch.randn(4, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
    answers = memory.retrieve(query, stored)
    assert (answers == 0).all()
    answers.sum().backward()
    assert (stored.grad == 0).all() and (query.grad == 0).all()
