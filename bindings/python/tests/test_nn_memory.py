"""The associative memory in the layers: retrieval, energies, updates until converged, and reports."""

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

import hfy  # noqa: E402
from hfy.torch.nn import Hopfield, HopfieldLayer, HopfieldPooling  # noqa: E402
from nn_common import random, spread  # noqa: E402

OMEGAS = ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.1"]
PSIS = ["identity", "l2", "l2:2.5", "layernorm", "layernorm:eta=2,eps=0.1"]


def test_five_stored_images_come_back():
    """The question of users of hflayers: the default layer cannot do this, as its projections are random."""
    images = random(5, 28 * 28).sign().float()
    query = images.clone()
    query[:, 392:] = 0
    memory = Hopfield.memory(28 * 28)
    answers, report = memory.retrieve(query, images, return_report=True)
    assert torch.equal(answers, images)
    assert report.pattern.flatten().tolist() == [0, 1, 2, 3, 4]
    assert (report.support_sizes == 1).all() and report.support(0, 0, 3).tolist() == [3]
    assert list(memory.state_dict()) == []


def test_a_static_layer_of_many_heads_with_large_beta_retrieves_in_one_update():
    stored = random(2, 6, 8)
    layer = Hopfield(
        8,
        num_heads=3,
        scaling=50.0,
        normalize_stored_pattern=False,
        normalize_state_pattern=False,
        normalize_pattern_projection=False,
        stored_pattern_as_static=True,
        state_pattern_as_static=True,
        pattern_projection_as_static=True,
        disable_out_projection=True,
        omega="sparsemax",
    )
    stored = stored / stored.norm(dim=-1, keepdim=True)
    answers = layer((stored, stored + 0.01 * random(2, 6, 8, seed=1), stored))
    torch.testing.assert_close(answers, stored.repeat(1, 1, 3))


@pytest.mark.parametrize("psi", PSIS)
@pytest.mark.parametrize("omega", OMEGAS)
def test_updates_and_energies_are_those_of_a_network(omega, psi):
    stored, query = random(6, 4), random(5, 4, seed=1)
    network = hfy.Network(stored.numpy(), omega=omega, psi=psi, beta=0.7)
    state = query.numpy()
    for steps in range(3):
        memory = Hopfield.memory(4, omega=omega, psi=psi, beta=0.7, update_steps_max=steps, update_steps_eps=1e-300)
        answers, report = memory.retrieve(query, stored, return_report=True)
        np.testing.assert_allclose(report.state[0, 0], state, atol=1e-12)
        np.testing.assert_allclose(report.association[0, 0], network.weights(state), atol=1e-10)
        np.testing.assert_allclose(report.energy[0, 0], network.energy(state), atol=1e-10)
        assert (report.steps == steps).all()
        state = network.step(state)
        np.testing.assert_allclose(answers, state, atol=1e-10)


@pytest.mark.parametrize("omega", ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2"])
def test_updates_lower_the_energy(omega):
    stored, query = random(3, 20, 6), random(3, 7, 6, seed=1)
    energies = []
    for steps in range(6):
        layer = Hopfield.memory(6, omega=omega, beta=0.8, update_steps_max=steps, update_steps_eps=1e-300)
        energies.append(layer.retrieve(query, stored, return_report=True)[1].energy)
    for before, after in pairwise(energies):
        assert (after <= before + 1e-9).all()


def test_the_energy_counts_masked_and_added_patterns_as_the_scores_do():
    stored, query = random(1, 6, 4), random(1, 5, 4, seed=1)
    layer = Hopfield.memory(4, omega="entmax:1.5")
    padding = torch.tensor([[False, True, False, False, True, False]])
    _, report = layer((stored, query, stored), padding, return_report=True)
    _, fewer = layer((stored[~padding][None], query, stored[~padding][None]), return_report=True)
    torch.testing.assert_close(report.energy, fewer.energy)
    _, empty = layer((stored, query, stored), torch.ones_like(padding), return_report=True)
    assert (empty.energy == math.inf).all()


def heads(layer, x, each):
    """The answers of a layer without output projection, one head after another."""
    return layer(x).unflatten(-1, (each, -1)).unbind(-2)


@pytest.mark.parametrize("omega", ["entmax", "normmax", "subsets"])
def test_beta_and_the_parameter_of_each_head_are_its_own(omega):
    """hflayers tiles the scalings over the depth, which mixes the heads."""
    torch.manual_seed(0)
    betas, parameters = [0.5, 3.0, 9.0], [2.0, 1.0, 3.0] if omega == "subsets" else [1.3, 1.9, 3.0]
    options = {"disable_out_projection": True, "update_steps_max": 2}
    layer = Hopfield(12, num_heads=3, scaling=betas, omega=omega, omega_parameter=parameters, **options).double()
    torch.nn.init.normal_(layer.association_core.in_proj_weight)
    x = random(2, 5, 12)
    assert layer.scaling.tolist() == betas
    for head, answers in enumerate(heads(layer, x, 3)):
        alone = Hopfield(
            12, hidden_size=4, scaling=betas[head], omega=f"{omega}:{parameters[head]}", **options
        ).double()
        weight = layer.association_core.in_proj_weight.reshape(3, 3, 4, 12)[:, head].reshape(12, 12)
        alone.load_state_dict(
            {
                "association_core.in_proj_weight": weight,
                "association_core.in_proj_bias": torch.zeros(12),
            }
            | {name: value for name, value in layer.state_dict().items() if name.startswith("norm")}
        )
        torch.testing.assert_close(answers, alone(x))


def test_heads_and_elements_converge_each_by_itself():
    torch.manual_seed(0)
    layer = Hopfield(
        8,
        num_heads=4,
        scaling=[0.5, 2.0, 0.3, 0.3],
        update_steps_max=[None, None, 2, 0],
        update_steps_eps=[1e-6, 1e-6, 1e-9, 1e-9],
    ).double()
    torch.nn.init.normal_(layer.association_core.in_proj_weight)
    x = random(3, 5, 8)
    answers, report = layer(x, return_report=True)
    assert report.steps.shape == report.residual.shape == (3, 4)
    assert (report.steps[:, 2] == 2).all() and (report.steps[:, 3] == 0).all()
    assert (report.steps[:, :2] > 2).all() and len(report.steps[:, :2].unique()) > 1
    assert report.converged[:, :2].all() and (report.residual[:, :2] <= 1e-6).all()
    assert not report.converged[:, 2:].any() and (report.residual[:, 2:] > 1e-9).all()
    for element in range(3):
        alone, its = layer(x[element : element + 1], return_report=True)
        torch.testing.assert_close(alone[0], answers[element])
        assert torch.equal(its.steps[0], report.steps[element])


def test_the_residual_is_what_one_more_update_changes():
    stored, query = random(9, 4), random(5, 4, seed=1)
    reports = [
        Hopfield.memory(4, omega="softmax", update_steps_max=steps, update_steps_eps=1e-300).retrieve(
            query, stored, return_report=True
        )[1]
        for steps in range(4)
    ]
    for now, onward in pairwise(reports):
        change = (onward.association - now.association).norm(dim=(2, 3)).float()
        torch.testing.assert_close(now.residual, change)


def test_no_end_is_told_and_does_not_hang():
    stored, query = random(9, 4), random(5, 4, seed=1)
    memory = Hopfield.memory(
        4, omega="softmax", beta=0.3, update_steps_max=None, update_steps_eps=1e-300, update_steps_limit=5
    )
    with pytest.warns(RuntimeWarning, match="update_steps_limit = 5"):
        _, report = memory.retrieve(query, stored, return_report=True)
    assert (report.steps == 5).all() and not report.converged.any()


@pytest.mark.parametrize("most, told", [([None, 9], True), ([5, 9], False), ([9, None], True)])
def test_only_heads_without_an_end_of_their_own_are_told(most, told):
    layer = spread(
        Hopfield(8, num_heads=2, scaling=0.1, update_steps_max=most, update_steps_eps=1e-12, update_steps_limit=5)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _, report = layer(random(2, 5, 8).float(), return_report=True)
    assert (len(caught) == 1) == told
    assert report.steps.tolist() == [[5 if count is None else count for count in most]] * 2


@pytest.mark.parametrize("omega", OMEGAS[:-1])  # a sequence has an order
@pytest.mark.parametrize("psi", PSIS)
def test_the_order_of_the_stored_patterns_does_not_matter(omega, psi):
    torch.manual_seed(0)
    layer = Hopfield(8, num_heads=2, omega=omega, psi=psi, update_steps_max=2, add_zero_association=True).double()
    torch.nn.init.normal_(layer.association_core.in_proj_weight)
    stored, query = random(2, 7, 8), random(2, 3, 8, seed=1)
    order = torch.randperm(7)
    shuffled = stored[:, order]
    torch.testing.assert_close(layer((stored, query, stored)), layer((shuffled, query, shuffled)))


def test_a_bag_with_fewer_patterns_than_are_chosen_is_taken_whole():
    memory, stored, query = Hopfield.memory(4, omega="subsets:3"), random(2, 4), random(5, 4, seed=1)
    torch.testing.assert_close(memory.retrieve(query, stored), stored.sum(0).expand(5, -1))
    bags = memory.retrieve([query, query], [stored, random(6, 4, seed=2)])
    torch.testing.assert_close(bags[0], stored.sum(0).expand(5, -1))
    torch.testing.assert_close(bags[1], memory.retrieve(query, random(6, 4, seed=2)))


def test_psi_patterns_takes_queries_keys_and_values_through_psi():
    torch.manual_seed(0)
    layer = Hopfield(8, num_heads=2, psi="l2", psi_patterns=True, disable_out_projection=True).double()
    _, report = layer(random(2, 5, 8), return_report=True)
    values = layer.get_projected_pattern_matrix(random(2, 5, 8))
    for patterns in (report.state, report.stored, values):
        torch.testing.assert_close(patterns.norm(dim=-1), torch.ones(2, 2, 5, dtype=torch.float64))
    assert report.energy.isfinite().all()


def test_reports_of_pooling_and_lookup():
    x = random(2, 5, 8).float()
    pooled, report = HopfieldPooling(8, num_heads=2, quantity=3, omega="sparsemax")(x, return_report=True)
    assert pooled.shape == (2, 24) and report.association.shape == (2, 2, 3, 5) and report.energy.shape == (2, 2, 3)
    answers, report = HopfieldLayer(8, num_heads=2, quantity=7)(x, return_report=True)
    assert (
        answers.shape == (2, 5, 8) and report.association.shape == (2, 2, 5, 7) and report.stored.shape == (2, 2, 7, 4)
    )


def test_pooling_is_one_row_a_bag_in_both_layouts():
    torch.manual_seed(0)
    first = HopfieldPooling(8, num_heads=2, quantity=3)
    second = HopfieldPooling(8, num_heads=2, quantity=3, batch_first=False)
    second.hopfield.load_state_dict(first.hopfield.state_dict())
    second.pooling_weights.data = first.pooling_weights.data.transpose(0, 1)
    x = torch.randn(4, 5, 8)
    torch.testing.assert_close(second(x.transpose(0, 1)), first(x))
