"""Tensors on a GPU: the same numbers, on the device where they came from, and one warning."""

import warnings

import pytest
from torch_cases import DTYPES, draw, every, torch

import hfy.torch
from hfy.torch import _kernels, loss, separation

if not torch.cuda.is_available():
    pytest.skip("there is no GPU that torch sees", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:hfy.torch computes tensors on cuda")


@every
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_gradients(name, value, dtype):
    x, g = draw(4, 7).to(dtype), draw(4, 7, seed=1).to(dtype)
    leaves = [x.clone().requires_grad_(), x.cuda().requires_grad_()]
    here, there = (separation(leaf, name, value) for leaf in leaves)
    assert there.is_cuda and there.dtype == dtype and torch.equal(there.cpu(), here)
    a, b = (torch.autograd.grad(y, leaf, g.to(y.device))[0] for y, leaf in zip((here, there), leaves))
    assert b.is_cuda and torch.equal(b.cpu(), a)


def test_strides_and_masks():
    x = draw(4, 6, 5)
    keep = draw(6, 5, seed=1) > -1
    there = separation(x.cuda().transpose(0, 2), "entmax", 1.5, 0, mask=keep.cuda().T[:, :, None])
    assert there.stride() == x.transpose(0, 2).stride()
    assert torch.equal(there.transpose(0, 2).cpu(), separation(x, "entmax", 1.5, mask=keep))


@pytest.mark.parametrize("name, value", [("entmax", 1.3), ("normmax", 2.5), ("subsets", 2.5), ("bounded", 0.4)])
def test_parameters(name, value):
    found = []
    for device in ("cpu", "cuda"):
        x = draw(3, 5).to(device).requires_grad_()
        parameter = torch.tensor(value, dtype=torch.float64, device=device, requires_grad=True)
        y = separation(x, name, parameter)
        first = torch.autograd.grad((y * draw(3, 5, seed=1).to(device)).sum(), (x, parameter), create_graph=True)
        second = torch.autograd.grad(first[0].square().sum() + first[1] ** 2, x)
        found.append([part.detach().cpu() for part in (*first, *second)])
    assert all(torch.allclose(a, b) for a, b in zip(*found))


def test_a_parameter_that_stayed_on_the_host():
    alpha = torch.tensor(1.5, requires_grad=True)
    separation(draw(3, 5, dtype=torch.float32).cuda(), "entmax", alpha)[:, 0].sum().backward()
    assert alpha.grad.device.type == "cpu" and alpha.grad != 0


def test_losses_and_modules():
    x, target = draw(4, 5), torch.tensor([0, 3, -100, 1])
    found = []
    for device in ("cpu", "cuda"):
        leaf = x.clone().to(device).requires_grad_()
        weight = torch.tensor([0.5, 2.0, 1.0, 1.5, 1.0])
        module = hfy.torch.EntmaxBisectLoss(hfy.torch.AlphaParameter(1.4), weight=weight).to(device)
        value = module(leaf, target.to(device))
        value.backward()
        found.append([part.detach().cpu() for part in (value, leaf.grad, module.parameter.raw.grad)])
        assert value.device.type == device
    assert all(torch.allclose(a, b) for a, b in zip(*found))
    assert loss(x.cuda().half(), target.cuda(), "sparsemax", ignore_index=-100).is_cuda


def test_transforms():
    x = draw(4, 3, 5).cuda()
    assert torch.equal(torch.func.vmap(lambda x: separation(x, "entmax", 1.3))(x), separation(x, "entmax", 1.3))
    gradient = torch.func.vmap(torch.func.grad(lambda x: separation(x, "entmax", 1.3)[:, 0].sum()))(x)
    assert gradient.is_cuda and gradient.isfinite().all()
    compiled = torch.compile(lambda x: separation(x, "sparsemax") * 2, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), separation(x, "sparsemax") * 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(dtype):
    x = draw(3, 5).to(dtype).cuda()
    with torch.autocast("cuda", dtype):
        assert torch.softmax(x, -1).dtype == torch.float32  # what we follow
        assert separation(x, "sparsemax").dtype == torch.float32


def test_scaling_of_losses():
    """A step whose gradients overflow is skipped, and training goes on."""
    layer = torch.nn.Linear(4, 6).cuda()
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", init_scale=2.0**40)
    before = layer.weight.detach().clone()
    for step in range(2):
        optimiser.zero_grad()
        with torch.autocast("cuda", torch.float16):
            weights = separation(layer(torch.ones(2, 4, device="cuda")), "sparsemax").half()
        scaler.scale(weights[:, 0].sum() * (1e30 if step == 0 else 1e-9)).backward()
        scaler.step(optimiser)
        scaler.update()
        if step == 0:
            assert torch.equal(layer.weight, before)
    assert layer.weight.isfinite().all()


def test_it_is_said_once(monkeypatch):
    monkeypatch.setattr(_kernels, "_through_the_host_was_said", False)
    x = torch.zeros(3, device="cuda")
    with pytest.warns(UserWarning, match="on cuda on the host"):
        separation(x, "sparsemax")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        separation(x, "sparsemax")
