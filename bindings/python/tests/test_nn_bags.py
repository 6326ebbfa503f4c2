"""Bags of different sizes, without padding by the user, give what each bag gives alone."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch.nn import (  # noqa: E402
    Hopfield,
    HopfieldLayer,
    HopfieldPooling,
    _inputs,  # noqa: E402
)
from nn_common import same, spread  # noqa: E402

SIZES = [3, 1, 9, 3]
OMEGAS = ["softmax", "sparsemax", "entmax:1.5", "normmax:3", "subsets:2"]


@pytest.fixture(autouse=True, params=["in one rectangle", "in groups of like sizes"])
def way(request, monkeypatch):
    """Few bags go through a layer in one rectangle; with no waste allowed these few do so in groups, too."""
    if request.param != "in one rectangle":
        monkeypatch.setattr(_inputs, "_LITTLE", 0)


def bags(depth=8, sizes=SIZES, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(size, depth, generator=generator, dtype=torch.float64) for size in sizes]


def offsets(parts):
    return torch.tensor([0, *(len(part) for part in parts)]).cumsum(0)


def layer_of(kind, **options):
    return spread(kind(8, num_heads=2, **options).double())


@pytest.mark.parametrize("steps", [0, 2, None])
@pytest.mark.parametrize("omega", OMEGAS)
def test_pooling_of_bags_is_pooling_of_each(omega, steps):
    pooling = layer_of(HopfieldPooling, omega=omega, update_steps_max=steps, quantity=2)
    parts = bags()
    alone = torch.cat([pooling(part[None]) for part in parts])
    same(pooling(parts), alone)
    same(pooling(torch.cat(parts), offsets=offsets(parts)), alone)
    for layout in (torch.jagged, torch.strided):
        same(pooling(torch.nested.as_nested_tensor(parts, layout=layout)), alone)
    padded = torch.nn.utils.rnn.pad_sequence(parts, batch_first=True)
    padding = torch.arange(max(SIZES)) >= torch.tensor(SIZES)[:, None]
    same(pooling(padded, padding), alone)


@pytest.mark.parametrize("steps", [0, 2, None])
@pytest.mark.parametrize("kind", [Hopfield, HopfieldLayer])
def test_answers_for_bags_are_those_of_each_in_the_form_of_the_bags(kind, steps):
    layer = layer_of(
        kind, omega="entmax:1.5", update_steps_max=steps, **({"quantity": 5} if kind is HopfieldLayer else {})
    )
    parts = bags()
    alone = [layer(part) for part in parts]
    for got, expected in zip(layer(parts), alone, strict=True):
        same(got, expected)
    same(layer(torch.cat(parts), offsets=offsets(parts)), torch.cat(alone))
    nested = layer(torch.nested.as_nested_tensor(parts, layout=torch.jagged))
    assert nested.is_nested and nested.layout is torch.jagged
    for got, expected in zip(nested.unbind(), alone, strict=True):
        same(got, expected)


def test_queries_and_stored_patterns_in_bags_of_different_sizes():
    layer = layer_of(Hopfield, omega="sparsemax", add_zero_association=True, concat_bias_pattern=True)
    stored, queries, projections = bags(), bags(sizes=[2, 4, 1, 3], seed=1), bags(seed=2)
    answers, report = layer((stored, queries, projections), return_report=True)
    for index, answer in enumerate(answers):
        expected, alone = layer((stored[index], queries[index], projections[index]), return_report=True)
        same(answer, expected)
        count, size = len(queries[index]), len(stored[index])
        same(report.energy[index, :, :count], alone.energy[0])
        same(report.association[index, :, :count, :size], alone.association[0, :, :, :size])
        assert (report.association[index, :, count:] == 0).all()
    same(
        torch.cat(layer((torch.cat(stored), queries, torch.cat(projections)), offsets=offsets(stored))),
        torch.cat(answers),
    )


def test_gradients_of_bags_are_those_of_each():
    pooling = layer_of(HopfieldPooling, omega="entmax:1.5", update_steps_max=1)
    parts = [part.requires_grad_() for part in bags()]
    upstream = torch.randn(len(parts), 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    wanted = [*parts, *pooling.parameters()]
    together = torch.autograd.grad((pooling(parts) * upstream).sum(), wanted)
    alone = torch.autograd.grad(
        sum((pooling(part[None])[0] * u).sum() for part, u in zip(parts, upstream, strict=True)), wanted
    )
    nested = torch.nested.as_nested_tensor(parts, layout=torch.jagged)
    through_nested = torch.autograd.grad((pooling(nested) * upstream).sum(), wanted)
    for got, other, expected in zip(together, through_nested, alone, strict=True):
        same(got, expected)
        same(other, expected)


@pytest.mark.parametrize("omega", [*OMEGAS, "sequence:2:t=0.1"])
def test_an_empty_bag_gives_the_bias(omega):
    pooling = layer_of(HopfieldPooling, omega=omega, update_steps_max=2)
    parts = bags(sizes=[3, 0, 2])
    pooled = pooling(parts)
    same(pooled[1], pooling.hopfield.association_core.out_proj.bias.detach())
    pooled.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in pooling.parameters())
    nothing, report = pooling([torch.zeros(0, 8, dtype=torch.float64)], return_report=True)
    same(nothing[0], pooled[1])
    assert (report.pattern == -1).all() and (report.support_sizes == 0).all() and report.converged.all()


CHOSEN = [
    ("subsets:2", None),
    ("sequence:3:t=0.4", None),
    ("sequence:2:t=-0.3:reg=on", None),
    ("sequence:3", [0.4, -0.2]),
]


@pytest.mark.parametrize("omega, parameter", CHOSEN)
def test_bags_with_fewer_patterns_than_are_chosen(omega, parameter):
    """They have all of them, and the energies of bags do not depend on how long the longest is."""
    pooling = layer_of(HopfieldPooling, omega=omega, omega_parameter=parameter, update_steps_max=1, quantity=2)
    parts = bags(sizes=[2, 1, 9, 4])
    pooled, report = pooling(parts, return_report=True)
    for index, part in enumerate(parts):
        expected, alone = pooling([part], return_report=True)
        same(pooled[index], expected[0])
        same(report.energy[index], alone.energy[0])
        same(report.association[index, ..., : len(part)], alone.association[0])
    same(report.association[1, ..., 0], torch.ones(2, 2, dtype=torch.float64))
    masked = torch.zeros(2, 9, dtype=torch.bool)
    masked[:, 4:] = True
    some = pooling.hopfield((parts[2], pooling.pooling_weights[0], parts[2]), association_mask=masked)
    same(some.flatten(), pooling([parts[2][:4]])[0])


@pytest.mark.parametrize("omega", ["subsets:2", "sequence:2:t=0.4"])
def test_queries_in_bags_choose_as_many_patterns_of_a_batch(omega):
    layer = layer_of(Hopfield, omega=omega)
    stored, queries = torch.stack(bags(sizes=[5] * 4)), bags(seed=1)
    for index, answers in enumerate(layer((stored, queries, stored))):
        same(answers, layer((stored[index], queries[index], stored[index])))


def test_one_large_bag_does_not_make_the_others_large():
    """2001 bags as long as the longest would be 40 million patterns; they have 24,000."""
    large = torch.tensor([20_000, *[2] * 2000])
    flat = torch.zeros(int(large.sum()), 1)
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), large.cumsum(0)])
    pooled = torch.zeros(1, 1, 1)
    inputs = _inputs.Inputs.read((flat, pooled, flat), batch_first=True, offsets=offsets)
    parts = [inputs.chosen(group) for group in inputs.groups()]
    assert sorted(tuple(part.stored.padded().shape) for part in parts) == [(1, 20_000, 1), (2000, 2, 1)]
    pooling = HopfieldPooling(1, normalize_stored_pattern=False, normalize_pattern_projection=False, omega="sparsemax")
    assert pooling(flat, offsets=offsets).shape == (2001, 1)


def test_pooling_of_bags_without_batch_first():
    pooling = layer_of(HopfieldPooling, quantity=2, batch_first=False, omega="sparsemax")
    parts = bags()
    same(pooling(parts), torch.cat([pooling(part[:, None]) for part in parts]))


def test_padding_of_a_batch_goes_with_queries_in_bags():
    layer = layer_of(Hopfield, omega="sparsemax")
    stored, queries = torch.stack(bags(sizes=[5] * 4)), bags(seed=1)
    padding = torch.arange(5) >= torch.tensor([5, 2, 3, 1])[:, None]
    for index, answers in enumerate(layer((stored, queries, stored), padding)):
        kept = stored[index][~padding[index]]
        same(answers, layer((kept, queries[index], kept)))


def test_a_mask_of_associations_goes_with_bags():
    layer = layer_of(Hopfield)
    parts = bags()
    causal = torch.ones(max(SIZES), max(SIZES), dtype=torch.bool).triu(1)
    for got, part in zip(layer(parts, association_mask=causal), parts, strict=True):
        same(got, layer(part, association_mask=causal[: len(part), : len(part)]))


@pytest.mark.parametrize(
    "given, settings, message",
    [
        (lambda x: [], {}, "empty list"),
        (lambda x: [x[0], 3], {}, r"\[1\] is a int"),
        (lambda x: [x[0], x[1][:, :4]], {}, r"\[1\] has shape \(1, 4\)"),
        (lambda x: torch.cat(x), {"offsets": torch.tensor([0, 3, 5])}, "rise from 0 to the number of patterns, 16"),
        (lambda x: torch.cat(x), {"offsets": torch.tensor([0, 7, 3, 16])}, r"offsets = \[0, 7, 3, 16\]"),
        (lambda x: torch.cat(x), {"offsets": torch.tensor([0.0, 16.0])}, "whole numbers"),
        (lambda x: x, {"stored_pattern_padding_mask": torch.zeros(4, 9, dtype=torch.bool)}, "bags have no padding"),
        (lambda x: (x, x, x[::-1]), {}, "one projection for each stored pattern"),
        (lambda x: (x, x[:3], x), {}, "batches of 4 and 3"),
    ],
)
def test_wrong_bags_are_refused(given, settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        layer_of(Hopfield)(given(bags()), **settings)
