"""The layers in use: learning, lower precision, compilation."""

import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed, so hfy.torch.nn is not tested")

from hfy.torch import AlphaParameter  # noqa: E402
from hfy.torch.nn import Hopfield, HopfieldEncoderLayer, HopfieldLayer, HopfieldPooling  # noqa: E402
from torch import nn  # noqa: E402

OMEGAS = ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.3"]


def bags(count, generator):
    """Bags of 3 to 12 vectors; the positive ones hold a witness, which stands out in a direction to be learned."""
    parts, labels = [], torch.arange(count) % 2
    for label in labels:
        size = int(torch.randint(3, 13, (), generator=generator))
        part = torch.randn(size, 16, generator=generator)
        if label:
            part[torch.randint(size, (), generator=generator), :4] += 4.0
        parts.append(part)
    return parts, labels.float()


@pytest.mark.parametrize("omega", ["entmax:1.5", "sparsemax"])
def test_pooling_learns_which_instance_of_a_bag_counts(omega):
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    train, test = bags(800, generator), bags(200, generator)
    pooling = HopfieldPooling(16, hidden_size=8, num_heads=2, output_size=8, scaling=1.0, omega=omega)
    model = nn.Sequential(pooling, nn.ReLU(), nn.Linear(8, 1))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(80):
        optimiser.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(train[0]).squeeze(-1), train[1]).backward()
        optimiser.step()
    with torch.no_grad():
        right = (model(test[0]).squeeze(-1) > 0) == test[1].bool()
        report = pooling(test[0], return_report=True)[1]
    assert right.float().mean() >= 0.93
    # It looks at few instances, which are few because the map is sparse and not because the bags are small.
    sizes = torch.tensor([len(bag) for bag in test[0]])
    assert (report.support_sizes.float().mean((1, 2)) / sizes).mean() < 0.6


def test_a_learned_alpha_of_each_head_stays_in_its_domain():
    torch.manual_seed(0)
    alpha = AlphaParameter(initial=1.5, shape=(2,))
    layer = Hopfield(8, num_heads=2, omega="entmax", omega_parameter=alpha, update_steps_max=1)
    optimiser = torch.optim.SGD(layer.parameters(), lr=30.0)  # far too large, to push alpha to its ends
    x, target = torch.randn(4, 6, 8), torch.randn(4, 6, 8)
    seen = []
    for _ in range(30):
        optimiser.zero_grad()
        loss = (layer(x) - target).square().mean()
        loss.backward()
        nn.utils.clip_grad_value_(layer.parameters(), 0.1)
        optimiser.step()
        with torch.no_grad():
            seen.append(alpha().clone())
        assert loss.isfinite()
    assert all(((1 <= value) & (value <= 2)).all() for value in seen)
    assert (seen[0] - seen[-1]).abs().min() > 0.01, "alpha was not learned"
    assert any(name.startswith("association_core.omega.module") for name in layer.state_dict())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("omega", OMEGAS)
def test_autocast(omega, dtype):
    torch.manual_seed(0)
    layer = Hopfield(8, num_heads=2, omega=omega, psi="l2", update_steps_max=2)
    for parameter in layer.association_core.parameters():
        nn.init.normal_(parameter, std=0.4)
    x = torch.randn(2, 5, 8)
    mask = torch.zeros(5, 5, dtype=torch.bool)
    mask[0] = True
    expected = layer(x, association_mask=mask)
    with torch.autocast("cpu", dtype=dtype):
        got, report = layer(x, association_mask=mask, return_report=True)
    assert got.isfinite().all()
    torch.testing.assert_close(got.float(), expected, rtol=0.05, atol=0.08)
    assert (report.association[:, :, 0] == 0).all()
    got.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in layer.parameters())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("omega", OMEGAS)
def test_layers_of_lower_precision(omega, dtype):
    torch.manual_seed(0)
    layer = HopfieldPooling(8, num_heads=2, omega=omega, quantity=2, scaling=[0.5, 1.0], update_steps_max=1)
    parts = [torch.randn(4, 8), torch.randn(2, 8)]
    expected = layer(parts)
    got, report = layer.to(dtype)([part.to(dtype) for part in parts], return_report=True)
    assert got.dtype is dtype and report.energy.dtype is torch.float64 and report.energy.isfinite().all()
    torch.testing.assert_close(got.float(), expected, rtol=0.05, atol=0.02)


@pytest.mark.parametrize(
    "kind, omega",
    [
        (Hopfield, "softmax"),
        (Hopfield, "entmax:1.5"),
        (HopfieldPooling, "sparsemax"),
        (HopfieldLayer, "subsets:2"),
        (HopfieldPooling, "sequence:2:t=0.3"),
    ],
)
def test_compiled_in_one_graph(kind, omega):
    torch.manual_seed(0)
    torch._dynamo.reset()
    layer = kind(
        8, num_heads=2, omega=omega, psi="l2", update_steps_max=2, **({} if kind is Hopfield else {"quantity": 3})
    )
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.4)
    x, padding = torch.randn(2, 5, 8), torch.zeros(2, 3 if kind is HopfieldLayer else 5, dtype=torch.bool)
    padding[1, 1:] = True
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    results = []
    for run in (layer, compiled):
        layer.zero_grad()
        answers = run(x, padding)
        answers.square().sum().backward()
        results.append([answers.detach(), *(parameter.grad.clone() for parameter in layer.parameters())])
    for got, expected in zip(*results, strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("shape", [(2,), (2, 1, 1)])
def test_a_compiled_encoder_with_a_learned_alpha(shape):
    torch.manual_seed(0)
    torch._dynamo.reset()
    association = Hopfield(
        8, num_heads=2, omega="entmax", omega_parameter=AlphaParameter(shape=shape), scaling=[0.5, 2.0]
    )
    encoder = HopfieldEncoderLayer(association, 16, dropout=0.0)
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(torch.compile(encoder, fullgraph=True, backend="aot_eager")(x), encoder(x))


def test_until_converged_runs_compiled_in_pieces():
    torch.manual_seed(0)
    torch._dynamo.reset()
    layer = Hopfield(8, num_heads=2, omega="sparsemax", update_steps_max=None)
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(torch.compile(layer, backend="aot_eager")(x), layer(x))


def test_large_scores_are_no_trouble():
    for omega in OMEGAS:
        memory = Hopfield.memory(4, omega=omega, beta=1e6, update_steps_max=None)
        stored = torch.eye(4) * 1e6
        answers, report = memory.retrieve(stored + 1.0, stored, return_report=True)
        assert answers.isfinite().all() and report.converged.all()
        if omega not in ("subsets:2", "sequence:2:t=0.3"):
            torch.testing.assert_close(answers, stored)
        assert math.isfinite(report.energy.abs().max())
