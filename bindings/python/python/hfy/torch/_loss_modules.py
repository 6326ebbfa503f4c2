"""The losses as modules. Those of the package entmax have its names and arguments."""

from typing import Optional, Union

import torch
from torch import Tensor

from ._loss import REDUCTIONS, loss
from ._losses import k_hot
from ._parametric import Parametric


class _Loss(Parametric):
    """A loss of one map."""

    weight: Optional[Tensor]

    def __init__(
        self,
        omega: str,
        parameter: Union[float, Tensor, torch.nn.Module, None],
        ignore_index: Optional[int],
        reduction: str,
        weight: Optional[Tensor],
    ) -> None:
        super().__init__(parameter)
        if reduction not in REDUCTIONS:
            raise ValueError(f"reduction = {reduction!r}; expected one of {', '.join(REDUCTIONS)}")
        self.omega = omega
        self.ignore_index = ignore_index
        self.reduction = reduction
        self.register_buffer("weight", weight)

    def forward(self, X: Tensor, target: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The loss of scores (..., classes) and targets, as `loss` takes them. In `mask` True = takes part."""
        return loss(
            X,
            target,
            self.omega,
            self._value(),
            mask=mask,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )

    def extra_repr(self) -> str:
        """What `print` shows."""
        return f"ignore_index={self.ignore_index}, reduction={self.reduction!r}"


class SparsemaxLoss(_Loss):
    """The sparsemax loss, reduced. Call it with scores (..., classes) and classes (...).

    `k` only tunes solvers that sort; it is accepted and not needed. `ignore_index`, `reduction` and `weight` (one a
    class) as for `loss`; rows of `ignore_index` are ignored whatever number it is.

    >>> import torch, hfy.torch
    >>> criterion = hfy.torch.SparsemaxLoss(ignore_index=-1)
    >>> criterion(torch.tensor([[0.0, 0.5], [9.0, 0.0]]), torch.tensor([1, -1]))
    tensor(0.0625)
    """

    def __init__(
        self,
        k: Optional[int] = None,
        ignore_index: int = -100,
        reduction: str = "elementwise_mean",
        *,
        weight: Optional[Tensor] = None,
    ) -> None:
        super().__init__("sparsemax", None, ignore_index, reduction, weight)


class SparsemaxBisectLoss(_Loss):
    """`SparsemaxLoss`, exactly: `n_iter` only tunes a bisection; it is accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.SparsemaxBisectLoss(reduction="sum")(torch.tensor([[0.0, 0.5]]), torch.tensor([1]))
    tensor(0.0625)
    """

    def __init__(
        self,
        n_iter: int = 50,
        ignore_index: int = -100,
        reduction: str = "elementwise_mean",
        *,
        weight: Optional[Tensor] = None,
    ) -> None:
        super().__init__("sparsemax", None, ignore_index, reduction, weight)


class Entmax15Loss(_Loss):
    """The 1.5-entmax loss, reduced. Arguments as for `SparsemaxLoss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.Entmax15Loss()(torch.tensor([[2.0, 0.0]]), torch.tensor([0]))
    tensor(0.)
    """

    def __init__(
        self,
        k: Optional[int] = 100,
        ignore_index: int = -100,
        reduction: str = "elementwise_mean",
        *,
        weight: Optional[Tensor] = None,
    ) -> None:
        super().__init__("entmax:1.5", None, ignore_index, reduction, weight)


class EntmaxBisectLoss(_Loss):
    """The alpha-entmax loss, reduced. Arguments as for `SparsemaxLoss`.

    `alpha` is a number, a tensor, or a module whose call gives it, as `AlphaParameter`. `n_iter` is accepted and not
    needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.EntmaxBisectLoss(alpha=1.0)(torch.tensor([[0.0, 0.0]]), torch.tensor([0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        alpha: Union[float, Tensor, torch.nn.Module] = 1.5,
        n_iter: int = 50,
        ignore_index: int = -100,
        reduction: str = "elementwise_mean",
        *,
        weight: Optional[Tensor] = None,
    ) -> None:
        super().__init__("entmax", alpha, ignore_index, reduction, weight)


class NormmaxBisectLoss(_Loss):
    """The normmax loss, reduced, with gamma called `alpha`. Arguments as for `EntmaxBisectLoss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.NormmaxBisectLoss(alpha=5)(torch.tensor([[0.0, 1.0]]), torch.tensor([1]))
    tensor(0.)
    """

    def __init__(
        self,
        alpha: Union[float, Tensor, torch.nn.Module] = 2,
        n_iter: int = 50,
        ignore_index: int = -100,
        reduction: str = "elementwise_mean",
        *,
        weight: Optional[Tensor] = None,
    ) -> None:
        super().__init__("normmax", alpha, ignore_index, reduction, weight)


class SubsetsLoss(_Loss):
    """The loss of k-subsets, reduced. Targets as for `subsets_loss`, `reduction` as for `loss`.

    >>> import torch, hfy.torch
    >>> hfy.torch.SubsetsLoss(k=2)(torch.tensor([[3.0, 2.0, 1.0, 0.0]]), torch.tensor([[0, 1]]))
    tensor(0.)
    """

    def __init__(self, k: int, reduction: str = "elementwise_mean") -> None:
        super().__init__("subsets", k, None, reduction, None)
        self.k = k

    def forward(self, X: Tensor, target: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The loss of scores (..., classes) and sets of k classes. In `mask` True = takes part."""
        return super().forward(X, k_hot(target, X, self.k), mask=mask)

    def extra_repr(self) -> str:
        """What `print` shows."""
        return f"k={self.k}, reduction={self.reduction!r}"
