"""What the projections do, written out for each way of wiring them."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch import separation  # noqa: E402
from hfy.torch.nn import Hopfield  # noqa: E402
from hfy.torch.nn._omega import _softmax  # noqa: E402
from nn_common import PLAIN, random, same, spread  # noqa: E402
from torch import nn  # noqa: E402

BATCH, QUERIES, STORED, DEPTH, HEADS = 3, 4, 5, 6, 2


def linear(x, weight, bias=None):
    """(batch, length, depth) to the heads (batch, heads, length, depth of a head)."""
    return nn.functional.linear(x, weight, bias).unflatten(-1, (HEADS, -1)).transpose(1, 2)


def repeated(x):
    return torch.stack([x] * HEADS, 1)


def attended(query, key, value, beta):
    """The softmax's answers, all heads beside each other."""
    weights = (beta * torch.einsum("bhqd,bhsd->bhqs", query, key)).softmax(-1)
    return torch.einsum("bhqs,bhsd->bqhd", weights, value).flatten(2)


def layer_and_inputs(**options):
    layer = spread(Hopfield(DEPTH, hidden_size=DEPTH, num_heads=HEADS, scaling=0.7, **PLAIN, **options).double())
    stored, state, projection = (
        random(BATCH, STORED, DEPTH),
        random(BATCH, QUERIES, DEPTH, seed=1),
        random(BATCH, STORED, DEPTH, seed=2),
    )
    return layer, layer.association_core, (stored, state, projection)


def test_connected_values_go_through_the_projection_of_the_keys():
    layer, core, (stored, state, projection) = layer_and_inputs(pattern_projection_as_connected=True)
    q_bias, k_bias, v_bias = core.in_proj_bias.chunk(3)
    first = nn.functional.linear(projection, core.k_proj_weight, k_bias)
    heads = attended(
        linear(state, core.q_proj_weight, q_bias),
        linear(stored, core.k_proj_weight, k_bias),
        linear(first, core.v_proj_weight, v_bias),
        0.7,
    )
    same(layer((stored, state, projection)), core.out_proj(heads))


def test_connected_static_values_are_projected_as_the_keys_are():
    options = {"pattern_projection_as_connected": True, "pattern_projection_as_static": True}
    layer, core, (stored, state, projection) = layer_and_inputs(**options)
    q_bias, k_bias, _ = core.in_proj_bias.chunk(3)
    keys = (core.k_proj_weight, k_bias)
    heads = attended(linear(state, core.q_proj_weight, q_bias), linear(stored, *keys), linear(projection, *keys), 0.7)
    same(layer((stored, state, projection)), core.out_proj(heads))


@pytest.mark.parametrize("static", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
def test_static_inputs_enter_every_head_as_they_are(static):
    """hflayers repeats a static input along the batch, which mixes batch and heads where there are several of both."""
    names = ("state_pattern_as_static", "stored_pattern_as_static", "pattern_projection_as_static")
    layer, core, (stored, state, projection) = layer_and_inputs(**dict(zip(names, map(bool, static), strict=True)))
    width, at = HEADS * DEPTH, 0
    heads = []
    for is_static, x in zip(static, (state, stored, projection), strict=True):
        if is_static:
            heads.append(repeated(x))
        else:
            heads.append(linear(x, core.in_proj_weight[at : at + width], core.in_proj_bias[at : at + width]))
            at += width
    same(layer((stored, state, projection)), core.out_proj(attended(*heads, 0.7)))


def test_norms_of_inputs_and_of_the_hopfield_space():
    options = {"normalize_hopfield_space": True, "normalize_hopfield_space_affine": True}
    layer = Hopfield(DEPTH, hidden_size=4, num_heads=HEADS, scaling=0.7, **options)
    spread(layer.double(), norms=True)
    core, stored, state, projection = layer.association_core, *layer_and_inputs()[2]
    normed = [
        layer.norm_state_pattern(state),
        layer.norm_stored_pattern(stored),
        layer.norm_pattern_projection(projection),
    ]
    query, key, value = (
        linear(x, weight, bias)
        for x, weight, bias in zip(normed, core.in_proj_weight.chunk(3), core.in_proj_bias.chunk(3), strict=True)
    )
    norm = lambda x: nn.functional.layer_norm(x, (4,), core.p_norm_weight, core.p_norm_bias)  # noqa: E731
    same(layer((stored, state, projection)), core.out_proj(attended(norm(query), norm(key), value, 0.7)))
    same(layer.get_projected_pattern_matrix((stored, state, projection)), value)


def test_further_updates_stay_in_the_space_of_the_heads():
    layer, core, (stored, state, projection) = layer_and_inputs(update_steps_max=2, update_steps_eps=1e-300)
    query, key, value = (
        linear(x, weight, bias)
        for x, weight, bias in zip(
            (state, stored, projection), core.in_proj_weight.chunk(3), core.in_proj_bias.chunk(3), strict=True
        )
    )
    for _ in range(2):
        query = attended(query, key, key, 0.7).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    same(layer((stored, state, projection)), core.out_proj(attended(query, key, value, 0.7)))


def test_added_patterns_take_part_and_can_be_asked_for():
    layer, core, inputs = layer_and_inputs(concat_bias_pattern=True, add_zero_association=True)
    padding = torch.ones(BATCH, STORED, dtype=torch.bool)
    association = layer.get_association_matrix(inputs, padding)
    assert association.shape == (BATCH, HEADS, QUERIES, STORED + 2)
    same(association[..., STORED:].sum(-1), torch.ones(BATCH, HEADS, QUERIES, dtype=torch.float64))
    values = layer.get_projected_pattern_matrix(inputs)
    same(values[:, :, STORED].flatten(1), core.bias_v.detach().expand(BATCH, 1, -1).flatten(1))
    assert (values[:, :, STORED + 1] == 0).all()


def test_the_softmax_of_other_devices_is_that_of_the_kernels():
    scores = random(2, 3, 4, 5).requires_grad_()
    keep = random(2, 1, 4, 5, seed=1) > 0
    keep[1, :, 2] = False
    upstream = random(2, 3, 4, 5, seed=2)
    for mask in (None, keep):
        ours, kernels = _softmax(scores, mask), separation(scores, "softmax", mask=mask)
        same(ours, kernels)
        same(*(torch.autograd.grad((weights * upstream).sum(), scores)[0] for weights in (ours, kernels)))
