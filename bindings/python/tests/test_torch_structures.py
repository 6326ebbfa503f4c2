"""Maps over structures on tensors."""

import gc
import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from golden import agree, agree_derivative, cases  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch_cases import needs_new_compiler  # noqa: E402

import hfy  # noqa: E402
import hfy.torch as ht  # noqa: E402


def draw(*shape, seed=0, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)


def watched(*tensors):
    return tuple(tensor.clone().requires_grad_() for tensor in tensors)


TREES = hfy.Structure.spanning_tree(4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
STRUCTURES = {
    "sequence:2:t=0.3": 6,
    "windows:2": 6,
    "spans:3": 6,
    "atmost:2": 6,
    "labels:3x2:t=0.3": 6,
    "assignment:2x3": 6,
    "matching:2x3": 6,
    "trees:4": 6,
    "arborescence:3": 9,
    "projective:3:root=single": 9,
    TREES: 5,
}


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_marginals_and_gradients(structure):
    x = draw(2, 3, STRUCTURES[structure])
    want = hfy.sparsemap(x.numpy(), structure)
    y = ht.sparsemap(x, structure)
    assert np.allclose(y.numpy(), want, atol=1e-12)
    assert np.allclose(ht.sparsemap(x.movedim(-1, 0), structure, dim=0).movedim(0, -1), want, atol=1e-12)
    assert gradcheck(lambda x: ht.sparsemap(x, structure), watched(x))
    assert gradgradcheck(lambda x: ht.sparsemap(x, structure), watched(x[:1, :1]))


TRANSITIONS = {
    "one for all": lambda: torch.tensor(0.4, dtype=torch.float64),
    "one a pair": lambda: draw(5, seed=1, scale=0.3),
    "one a pair and row": lambda: draw(2, 2, 5, seed=1, scale=0.3),
    "one a pair and column": lambda: draw(2, 5, seed=1, scale=0.3),
    "tables": lambda: draw(5, 2, 2, seed=1, scale=0.3),
    "tables a row": lambda: draw(2, 1, 5, 2, 2, seed=1, scale=0.3),
}


@pytest.mark.parametrize("kind", TRANSITIONS)
@pytest.mark.parametrize("regulariser", ["on", "both"])
def test_sequences(kind, regulariser):
    x, transition = draw(2, 2, 6), TRANSITIONS[kind]()
    work = lambda x, t: ht.sequence_subsets(x, 3, t, regulariser=regulariser)  # noqa: E731
    y = work(x, transition)
    axes = 3 if "tables" in kind else int(transition.dim() > 0)
    each = transition.expand(2, 2, *transition.shape[transition.dim() - axes :])
    for row, column in itertools.product(range(2), range(2)):
        alone = hfy.sequence(x[row, column].numpy(), 3, each[row, column].numpy(), regulariser=regulariser)
        assert np.allclose(y[row, column], alone, atol=1e-12)
    assert gradcheck(work, watched(x, transition))
    assert gradgradcheck(work, watched(x, transition))


def test_golden_sequences():
    for case in cases("seq_ksubsets"):
        for regulariser in ["on", "both"]:
            what, want, tolerance = f"{case['id']} {regulariser}", case[regulariser], case["tol"]
            x, t = (torch.tensor(case[name], dtype=torch.float64, requires_grad=True) for name in ("s", "t"))
            y = ht.sequence_subsets(x, case["k"], t, regulariser=regulariser)
            agree(y.detach(), want["y"], tolerance, what)
            number = ht.sequence_subsets(x, case["k"], t.item(), regulariser=regulariser) if t.dim() == 0 else y
            agree(number.detach(), want["y"], tolerance, what)
            in_x, in_t = torch.autograd.grad(y, (x, t), torch.tensor(case["v"], dtype=torch.float64))
            if want["vjp_s"] is not None:
                agree_derivative(in_x, want["vjp_s"], 100 * tolerance, what)
            if want["vjp_t"] is not None:
                agree_derivative(in_t, want["vjp_t"], 100 * tolerance, what)


def test_values_of_the_paper():
    x = torch.tensor([1.0716, -1.1221, -0.3288, 0.3368, 0.0425])
    for t, want in [
        (0.0, [0.8955, 0, 0.1953, 0.5281, 0.3810]),
        (0.3, [0.7830, 0, 0.2328, 0.5656, 0.4185]),
        (1.0, [0.4358, 0.3390, 0.2356, 0.5684, 0.4212]),
    ]:
        assert torch.allclose(ht.sequence_subsets(x, 2, t), torch.tensor(want), atol=1e-4)
    assert torch.allclose(ht.sequence_subsets(x, 2, float("inf")), ht.sparsemap(x, "windows:2", regulariser="both"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dtypes(dtype):
    x, edges = draw(3, 6).to(dtype).requires_grad_(), draw(5, seed=1).to(dtype).requires_grad_()
    y = ht.sequence_subsets(x, 2, edges)
    assert y.dtype is dtype
    exact = ht.sequence_subsets(x.detach().double(), 2, edges.detach().double())
    assert torch.allclose(y.detach(), exact.to(dtype), atol=torch.finfo(dtype).eps)
    in_x, in_edges = torch.autograd.grad(y[0, 0], (x, edges))
    assert in_x.dtype is dtype and in_edges.dtype is dtype and in_edges.shape == (5,)


def test_masks():
    x = draw(3, 6)
    keep = torch.ones(3, 6, dtype=torch.bool)
    keep[0, 1], keep[2] = False, False
    loud = torch.where(keep, x, torch.tensor(1e6, dtype=torch.float64))
    (loud,) = watched(loud)
    y = ht.sequence_subsets(loud, 2, 0.4, mask=keep)
    assert (y[0, 1] == 0) and (y[2] == 0).all()
    assert torch.allclose(y.sum(-1), torch.tensor([2.0, 2.0, 0.0], dtype=torch.float64))
    assert torch.allclose(y[0, [0, 2, 3, 4, 5]].detach(), hidden(x[0]), atol=1e-12)
    (gradient,) = torch.autograd.grad((y * draw(3, 6, seed=1)).sum(), loud)
    assert (gradient[~keep] == 0).all() and gradient[1].abs().max() > 0
    by_infinity = ht.sequence_subsets(x.masked_fill(~keep, -torch.inf), 2, 0.4)
    assert torch.equal(by_infinity, y.detach())
    column = ht.sequence_subsets(x.T, 2, 0.4, dim=0, mask=keep.T)
    assert torch.allclose(column.T, y.detach(), atol=1e-12)


def hidden(row):
    """With variable 1 off its neighbours do not interact."""
    return ht.sequence_subsets(row[[0, 2, 3, 4, 5]], 2, torch.tensor([0.0, 0.4, 0.4, 0.4], dtype=torch.float64))


def test_vmap_and_derivatives_of_torch_func():
    x, edges = draw(3, 2, 6), draw(3, 5, seed=1, scale=0.3)
    work = lambda x, e: ht.sequence_subsets(x, 2, e)  # noqa: E731
    rows = torch.stack([work(x[i], edges[i]) for i in range(3)])
    assert torch.allclose(torch.vmap(work)(x, edges), rows, atol=1e-14)
    assert torch.allclose(torch.vmap(work, in_dims=(None, 0))(x[0], edges)[2], work(x[0], edges[2]), atol=1e-14)
    nested = torch.vmap(torch.vmap(work, in_dims=(0, None)))(x, edges)
    assert torch.allclose(nested, rows, atol=1e-14)
    jacobian = torch.vmap(torch.func.jacrev(work, argnums=(0, 1)))(x, edges)
    for i in range(3):
        want = torch.autograd.functional.jacobian(work, (x[i], edges[i]))
        assert all(torch.allclose(got[i], one, atol=1e-12) for got, one in zip(jacobian, want))
    keep = torch.tensor([True, False, True, True, True, True])
    masked = torch.vmap(lambda x, m: ht.sequence_subsets(x, 2, mask=m), in_dims=(0, None))(x[0], keep)
    assert torch.allclose(masked, ht.sequence_subsets(x[0], 2, mask=keep), atol=1e-14)
    assert torch.allclose(torch.vmap(lambda x: ht.sparsemap(x, TREES))(x[..., :5]), ht.sparsemap(x[..., :5], TREES))


def test_compilers():
    x, edges = draw(3, 6), draw(5, seed=1, scale=0.3)
    for work in [
        lambda x, e: ht.sequence_subsets(x, 2, e),
        lambda x, e: ht.sparsemap(x, "sequence:2", higher=e, regulariser="on", mask=x > -10),
    ]:
        compiled = torch.compile(work, fullgraph=True, backend="aot_eager")
        ours, theirs = watched(x, edges), watched(x, edges)
        y, want = compiled(*ours), work(*theirs)
        assert torch.allclose(y, want, atol=1e-14)
        g = draw(*y.shape, seed=2)
        for got, one in zip(torch.autograd.grad(y, ours, g), torch.autograd.grad(want, theirs, g)):
            assert torch.allclose(got, one, atol=1e-12)


@needs_new_compiler
def test_compilers_tell_structures_apart():
    compiled = torch.compile(lambda x, structure: ht.sparsemap(x, structure), fullgraph=True, backend="aot_eager")
    other = hfy.Structure.spanning_tree(4, [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)])
    x = draw(2, 5)
    assert not torch.allclose(ht.sparsemap(x, TREES), ht.sparsemap(x, other))
    for structure in [TREES, other, TREES, "atmost:2"]:
        ours, theirs = watched(x) + watched(x)
        y, want = compiled(ours, structure), ht.sparsemap(theirs, structure)
        assert torch.allclose(y, want, atol=1e-14)
        (got,), (one,) = (torch.autograd.grad(out[:, 0].sum(), leaf) for out, leaf in [(y, ours), (want, theirs)])
        assert torch.allclose(got, one, atol=1e-12)


def test_operators():
    arguments = (draw(2, 6), draw(2, 5, seed=1), None, "sequence:2", "both")
    torch.library.opcheck(torch.ops.hfy.sparsemap, arguments)
    torch.library.opcheck(torch.ops.hfy.sparsemap, watched(*arguments[:2]) + arguments[2:])


def test_second_derivatives_are_zero_and_no_error():
    x, edges = watched(draw(6), draw(5, seed=1))
    in_x, in_edges = torch.autograd.grad(ht.sequence_subsets(x, 2, edges)[0], (x, edges), create_graph=True)
    for second in torch.autograd.grad(in_x.sum() + in_edges.sum(), (x, edges)):
        assert (second == 0).all()
    (x,) = watched(draw(6))
    hessian = torch.autograd.functional.hessian(lambda x: (ht.sequence_subsets(x, 2) ** 2).sum(), x)
    jacobian = torch.autograd.functional.jacobian(lambda x: ht.sequence_subsets(x, 2), x)
    assert torch.allclose(hessian, 2 * jacobian @ jacobian, atol=1e-12)


def test_a_structure_lives_as_long_as_it_is_needed():
    (x,) = watched(draw(2, 5))
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    work = lambda x: ht.sparsemap(x, hfy.Structure.spanning_tree(4, edges))  # noqa: E731
    y = work(x)
    _, pull = torch.func.vjp(work, x.detach())
    first = torch.zeros(2, 5, dtype=torch.float64)
    first[0, 0] = 1
    gc.collect()
    assert torch.allclose(torch.autograd.grad(y[0, 0], x)[0], pull(first)[0])


def test_gradients_that_are_not_finite_stay_in_their_rows():
    (x,) = watched(draw(3, 6))
    upstream = torch.ones(3, 6, dtype=torch.float64)
    upstream[1] = torch.inf
    (gradient,) = torch.autograd.grad(ht.sequence_subsets(x, 2), x, upstream)
    assert gradient[1].isnan().any() and gradient[[0, 2]].isfinite().all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch sees")
@pytest.mark.filterwarnings("ignore:hfy.torch computes tensors on cuda")
def test_tensors_on_a_gpu():
    x, edges = draw(3, 6).float(), draw(5, seed=1).float()
    keep = torch.tensor([True, True, False, True, True, True])
    found = []
    for device in ("cpu", "cuda"):
        leaves = watched(x.to(device), edges.to(device))
        for work in (ht.sequence_subsets, torch.compile(ht.sequence_subsets, fullgraph=True)):
            y = work(leaves[0], 2, leaves[1], mask=keep.to(device))
            gradients = torch.autograd.grad(y, leaves, torch.ones_like(y).cumsum(-1))
            assert all(part.device.type == device for part in (y, *gradients))
            found.append([part.detach().cpu() for part in (y, *gradients)])
    for other in found[1:]:
        assert all(torch.equal(part, first) for part, first in zip(other, found[0]))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: ht.sequence_subsets(x, 2.0), TypeError, "k is a float"),
        (lambda x: ht.sequence_subsets(x, 7), ValueError, "7"),
        (lambda x: ht.sequence_subsets(x, 2, "1"), TypeError, "transition is a str"),
        (lambda x: ht.sequence_subsets(x, 2, torch.zeros(4)), ValueError, r"transition is of shape \(4,\)"),
        (lambda x: ht.sequence_subsets(x, 2, torch.zeros(3, 5)), ValueError, "transition is of shape .* broadcasts"),
        (lambda x: ht.sequence_subsets(x, 2, torch.zeros(5).long()), TypeError, "dtype torch.int64"),
        (lambda x: ht.sequence_subsets(x, 2, regulariser="none"), ValueError, "regulariser"),
        (lambda x: ht.sequence_subsets(x * torch.nan, 2), ValueError, "NaN"),
        (lambda x: ht.sparsemap(x, 3), TypeError, "structure is a int"),
        (lambda x: ht.sparsemap(x, "forest:3"), ValueError, "known structures"),
        (lambda x: ht.sparsemap(x, "trees:4", dim=2), ValueError, "dim = 2"),
        (lambda x: ht.sparsemap(x.long(), "trees:4"), TypeError, "int64"),
        (lambda x: ht.sparsemap(x, "trees:4", mask=torch.ones(5, dtype=torch.bool)), ValueError, "mask"),
        (lambda x: ht.sparsemap(x, "sequence:2", higher=torch.zeros(4)), ValueError, "higher"),
        (lambda x: ht.sparsemap(x, "sequence:2", higher=torch.tensor(1.0)), ValueError, "single number"),
        (lambda x: ht.sparsemap(x[:, 0], "sequence:2").sum().backward(), RuntimeError, "grad"),
    ],
)
def test_wrong_input(call, error, words):
    with pytest.raises(error, match=words):
        call(draw(2, 6))
