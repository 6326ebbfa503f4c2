"""The maps under the transforms of torch.func, compilers, exporters, tracers and autocast."""

import pytest
from torch_cases import draw, every, needs_new_compiler, torch

import hfy.torch
from hfy.torch import _parameter_gradient, _pullback, _row_losses, _weights, loss, separation
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, vmap
from torch.library import opcheck

PARAMETERS = {
    "sparsemax": None,
    "entmax": torch.tensor(1.3, dtype=torch.float64),
    "normmax": torch.tensor([[[1.5]], [[2.0]], [[3.0]], [[1.2]]], dtype=torch.float64),
    "subsets": torch.tensor(2.4, dtype=torch.float64),
    "bounded": torch.tensor([0.31, 0.53, 0.42, 0.57, 0.46], dtype=torch.float64),
}
every_kind = pytest.mark.parametrize("name", PARAMETERS)


def kept(name):
    """A parameter that is learnt, or none."""
    parameter = PARAMETERS[name]
    return None if parameter is None else parameter.clone().requires_grad_()


def one_by_one(function, *batches):
    return [torch.stack(parts) for parts in zip(*(function(*sample) for sample in zip(*batches)))]


@every
def test_vmap(name, value):
    x = draw(4, 3, 5)
    want = torch.stack([separation(part, name, value) for part in x])
    assert torch.equal(vmap(lambda x: separation(x, name, value))(x), want)
    # Another axis in and out, and along an axis that the sample counts from its front.
    found = vmap(lambda x: separation(x, name, value, 1), in_dims=1, out_dims=2)(x.movedim(0, 1))
    assert torch.equal(found, want.movedim(0, 2))
    # Twice.
    assert torch.equal(vmap(vmap(lambda x: separation(x, name, value)))(x), want)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1)])
def test_vmap_over_parameters_and_masks(shape):
    x, alphas = draw(4, 3, 5), 1.1 + torch.rand((4, *shape), generator=torch.Generator().manual_seed(0)).double()
    masks = draw(4, 5, seed=2) > -1
    work = lambda x, alpha, mask: separation(x, "entmax", alpha, mask=mask)  # noqa: E731
    for where in [(0, 0, 0), (None, 0, None), (0, None, 0), (None, None, 0)]:
        given = [part if axis == 0 else part[0] for part, axis in zip((x, alphas, masks), where)]
        pick = lambda part, axis, n: part[n] if axis == 0 else part  # noqa: E731
        want = torch.stack([work(*(pick(part, axis, n) for part, axis in zip(given, where))) for n in range(4)])
        assert torch.equal(vmap(work, where)(*given), want)


@every_kind
def test_gradients_of_samples(name):
    x, g = draw(4, 3, 5), draw(3, 5, seed=1)
    parameter = PARAMETERS[name]
    shared = parameter if parameter is None or parameter.dim() < 3 else parameter[0]
    arguments = (0, 1) if parameter is not None else 0
    measure = lambda x, p: (separation(x, name, p) * g).sum()  # noqa: E731

    def plainly(x, p):
        leaves = [part.clone().requires_grad_() for part in (x, p) if part is not None]
        return torch.autograd.grad(measure(*leaves, *[None] * (2 - len(leaves))), leaves)

    want = one_by_one(lambda x: plainly(x, shared), x)
    found = vmap(grad(measure, arguments), (0, None))(x, shared)
    found = found if isinstance(found, tuple) else (found,)
    assert all(torch.allclose(a, b) for a, b in zip(found, want, strict=True))
    if parameter is not None:
        each = torch.stack([shared * (1 + 0.02 * n) for n in range(4)])
        want = one_by_one(plainly, x, each)
        found = vmap(grad(measure, (0, 1)))(x, each)
        assert all(torch.allclose(a, b) for a, b in zip(found, want, strict=True))


@pytest.mark.parametrize("name, value", [("softmax", None), ("entmax", 1.3), ("normmax", 3.0)])
def test_second_derivatives_of_samples(name, value):
    x = draw(3, 5)
    measure = lambda x: separation(x, name, value)[0]  # noqa: E731
    want = torch.stack([torch.autograd.functional.hessian(measure, row) for row in x])
    assert torch.allclose(vmap(jacrev(jacrev(measure)))(x), want)


def test_mixed_derivatives_of_samples():
    x, alpha = draw(3, 5), torch.tensor(1.4, dtype=torch.float64)
    measure = lambda x, alpha: (separation(x, "entmax", alpha) ** 2).sum()  # noqa: E731
    found = vmap(jacrev(grad(measure, 1)), (0, None))(x, alpha)
    step = 1e-5
    ahead, behind = (vmap(grad(measure), (0, None))(x, alpha + s * step) for s in (1, -1))
    assert torch.allclose(found, (ahead - behind) / (2 * step), atol=1e-7)


@every
def test_forward_mode(name, value):
    x = draw(2, 5).requires_grad_()
    assert gradcheck(lambda x: separation(x, name, value), (x,), check_forward_ad=True, check_backward_ad=False)
    measure = lambda x: separation(x, name, value).pow(3).sum()  # noqa: E731
    assert torch.allclose(hessian(measure)(x.detach()), jacrev(jacrev(measure))(x.detach()))


@pytest.mark.parametrize("name", ["entmax", "normmax", "subsets", "bounded"])
def test_forward_mode_in_parameters(name):
    x, parameter = draw(4, 3, 5).requires_grad_(), kept(name)
    work = lambda x, p: separation(x, name, p)  # noqa: E731
    assert gradcheck(work, (x, parameter), check_forward_ad=True, check_backward_ad=False)
    row = parameter.detach().reshape(-1)[0] if name != "bounded" else parameter.detach()
    measure = lambda p: separation(x[0].detach(), name, p).pow(3).sum()  # noqa: E731
    assert torch.allclose(jacfwd(jacrev(measure))(row), jacrev(jacrev(measure))(row))


def test_forward_mode_of_losses():
    x, alpha, target = draw(4, 5).requires_grad_(), kept("entmax"), torch.tensor([0, 3, -100, 1])
    work = lambda x, alpha: loss(x, target, "entmax", alpha, ignore_index=-100)  # noqa: E731
    assert gradcheck(work, (x, alpha), check_forward_ad=True)
    assert gradgradcheck(work, (x, alpha), check_fwd_over_rev=True)


@every_kind
def test_registered_operators(name):
    x, parameter = draw(4, 3, 5).requires_grad_(), kept(name)
    mask = draw(4, 3, 5, seed=3) > -2
    opcheck(_weights.weights.operator, (x, parameter, mask, name, -1))
    opcheck(_weights.weights.operator, (x.transpose(0, 1), None, None, "entmax:1.5", -3))
    y = separation(x, name, parameter).detach().requires_grad_()
    g = draw(4, 3, 5, seed=1).requires_grad_()
    opcheck(_pullback.pullback.operator, (y, g, parameter, mask, name, -1))
    if parameter is not None and name != "normmax":  # whose long expression takes long to trace
        opcheck(_parameter_gradient.parameter_gradient.operator, (x, y, g, parameter, mask, name, -1))


def test_registered_losses():
    x, target = draw(4, 5).requires_grad_(), torch.tensor([0, 3, -100, 1])
    opcheck(_row_losses.row_losses.operator, (x, target, kept("entmax"), None, "entmax", -100))
    opcheck(_row_losses.row_losses.operator, (x, torch.softmax(draw(4, 5), -1), None, None, "normmax:2", None))


def compiled_agrees(work, *inputs, backend="aot_eager"):
    leaves = [part for part in inputs if isinstance(part, torch.Tensor) and part.requires_grad]
    want = work(*inputs)
    found = torch.compile(work, fullgraph=True, backend=backend)(*inputs)
    assert torch.allclose(found, want)
    pairs = zip(*(torch.autograd.grad(part.square().sum(), leaves) for part in (found, want)))
    assert all(torch.allclose(a, b) for a, b in pairs)


@every_kind
def test_compile(name):
    mask = draw(4, 3, 5, seed=3) > -2
    work = lambda x, p: separation(x * 2, name, p, mask=mask).sin()  # noqa: E731
    compiled_agrees(work, draw(4, 3, 5).requires_grad_(), kept(name))


def test_compile_with_inductor():
    work = lambda x: hfy.torch.entmax15(x.T.exp(), 0) + separation(x, "normmax", 2.5, 1).T  # noqa: E731
    compiled_agrees(work, draw(4, 3).requires_grad_(), backend="inductor")


def test_compile_losses_and_modules():
    target = torch.tensor([0, 3, -100, 1])
    module = hfy.torch.EntmaxBisectLoss(hfy.torch.AlphaParameter(1.3))
    compiled_agrees(lambda x: module(x, target), draw(4, 5).requires_grad_())


@needs_new_compiler
def test_compile_vmap():
    compiled_agrees(lambda x: vmap(lambda x: separation(x, "entmax", 1.3))(x), draw(4, 5).requires_grad_())


def test_compile_once_for_all_sizes():
    counter = torch._dynamo.testing.CompileCounterWithBackend("aot_eager")
    work = torch.compile(lambda x: separation(x, "sparsemax"), fullgraph=True, backend=counter, dynamic=True)
    for rows in [2, 5, 9]:
        x = draw(rows, 7)
        assert torch.equal(work(x), separation(x, "sparsemax"))
    assert counter.frame_count == 1


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = hfy.torch.AlphaParameter(1.4)

    def forward(self, x):
        return separation(x, "entmax", self.alpha()) + hfy.torch.sparsemax(x)


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict):
    model, x = Model(), draw(4, 5)
    exported = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("rows")},), strict=strict)
    assert "hfy.separation" in str(exported.graph)
    more = draw(9, 5, seed=1)
    assert torch.equal(exported.module()(more), model(more))


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_traces_hold_the_operator_and_not_its_result(mode):
    from torch.fx.experimental.proxy_tensor import make_fx

    x = draw(3, 5)
    traced = make_fx(lambda x: separation(x, "sparsemax"), tracing_mode=mode)(x)
    assert torch.equal(traced(x + draw(3, 5, seed=1)), separation(x + draw(3, 5, seed=1), "sparsemax"))


def test_fake_tensors_and_meta_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.zeros(3, 5).T
        y = separation(x, "entmax", 1.5, 0)
        assert y.shape == (5, 3) and y.stride() == x.stride()
    assert separation(torch.zeros(3, 5, device="meta"), "sparsemax").device.type == "meta"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(dtype):
    x = draw(3, 5).to(dtype).requires_grad_()
    target = torch.tensor([0, 1, 2])
    with torch.autocast("cpu", torch.bfloat16):
        y = separation(x, "sparsemax")
        assert y.dtype == torch.float32 and torch.equal(y, separation(x.float(), "sparsemax"))
        assert loss(x, target, "sparsemax").dtype == torch.float32
        assert separation(x.double(), "sparsemax").dtype == torch.float64
        compiled = torch.compile(lambda x: separation(x, "sparsemax"), fullgraph=True, backend="aot_eager")
        assert torch.equal(compiled(x), y)
    assert torch.autograd.grad(y[:, 0].sum(), x)[0].dtype == dtype
    assert separation(x, "sparsemax").dtype == dtype


def test_deterministic_over_checkpoints():
    from torch.utils.checkpoint import checkpoint

    x = draw(4, 6).requires_grad_()
    work = lambda x: separation(x.sin(), "entmax", 1.3).square().sum()  # noqa: E731
    (want,) = torch.autograd.grad(work(x), x)
    assert torch.equal(torch.autograd.grad(checkpoint(work, x, use_reentrant=False), x)[0], want)
