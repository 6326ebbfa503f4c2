"""The maps as modules, with the names and arguments of the package entmax."""

from typing import Any, Optional, Union

import torch
from torch import Tensor

from ._maps import (
    budget_bisect,
    entmax15,
    entmax_bisect,
    normmax_bisect,
    sparsemax,
    sparsemax_bisect,
)
from ._parametric import Parametric


class _Map(Parametric):
    """A map along one axis, perhaps with a parameter."""

    def __init__(self, dim: int, parameter: Union[float, Tensor, torch.nn.Module, None] = None) -> None:
        super().__init__(parameter)
        self.dim = dim

    def extra_repr(self) -> str:
        """What `print` shows."""
        known = isinstance(self.parameter, (int, float))
        return f"{self.parameter}, dim={self.dim}" if known else f"dim={self.dim}"


class Sparsemax(_Map):
    """Sparsemax along `dim`. `k` only tunes solvers that sort; it is accepted and not needed. With
    `return_support_size` a pair is returned, as by `sparsemax`.

    >>> import torch, hfy.torch
    >>> hfy.torch.Sparsemax(dim=-1)(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.2500, 0.7500])
    """

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False) -> None:
        super().__init__(dim)
        self.return_support_size = return_support_size

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Any:
        """The weights of scores. In `mask` True = takes part."""
        return sparsemax(X, self.dim, None, self.return_support_size, mask=mask)


class Entmax15(_Map):
    """1.5-entmax along `dim`. Arguments as for `Sparsemax`.

    >>> import torch, hfy.torch
    >>> hfy.torch.Entmax15()(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.3260, 0.6740])
    """

    def __init__(self, dim: int = -1, k: Optional[int] = None, return_support_size: bool = False) -> None:
        super().__init__(dim)
        self.return_support_size = return_support_size

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Any:
        """The weights of scores. In `mask` True = takes part."""
        return entmax15(X, self.dim, None, self.return_support_size, mask=mask)


class SparsemaxBisect(_Map):
    """Sparsemax along `dim`. `n_iter` only tunes a bisection; it is accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.SparsemaxBisect()(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.2500, 0.7500])
    """

    def __init__(self, dim: int = -1, n_iter: Optional[int] = None) -> None:
        super().__init__(dim)

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The weights of scores. In `mask` True = takes part."""
        return sparsemax_bisect(X, self.dim, mask=mask)


class EntmaxBisect(_Map):
    """Alpha-entmax along `dim`. `alpha` is a number, a tensor as `entmax_bisect` takes it, a `torch.nn.Parameter`, or
    a module that gives one, such as `AlphaParameter`. `n_iter` is accepted and not needed.

    >>> import torch, hfy.torch
    >>> hfy.torch.EntmaxBisect(alpha=1.5)(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.3260, 0.6740])
    >>> learned = hfy.torch.EntmaxBisect(hfy.torch.AlphaParameter(1.5))
    >>> len(list(learned.parameters()))
    1
    """

    def __init__(
        self, alpha: Union[float, Tensor, torch.nn.Module] = 1.5, dim: int = -1, n_iter: int = 50
    ) -> None:
        super().__init__(dim, alpha)

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The weights of scores. In `mask` True = takes part."""
        return entmax_bisect(X, self._value(), self.dim, mask=mask)


class NormmaxBisect(_Map):
    """Normmax along `dim`, where gamma is called alpha. Arguments as for `EntmaxBisect`.

    >>> import torch, hfy.torch
    >>> hfy.torch.NormmaxBisect(alpha=2)(torch.tensor([-2.0, 0.0, 0.5]))
    tensor([0.0000, 0.3110, 0.6890])
    """

    def __init__(self, alpha: Union[float, Tensor, torch.nn.Module] = 2, dim: int = -1, n_iter: int = 50) -> None:
        super().__init__(dim, alpha)

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The weights of scores. In `mask` True = takes part."""
        return normmax_bisect(X, self._value(), self.dim, mask=mask)


class BudgetBisect(_Map):
    """k-subsets along `dim`, where k is called budget. Arguments as for `EntmaxBisect`.

    >>> import torch, hfy.torch
    >>> hfy.torch.BudgetBisect(budget=3)(torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0]))
    tensor([0.0000, 0.2500, 0.7500, 1.0000, 1.0000])
    """

    def __init__(self, budget: Union[float, Tensor, torch.nn.Module] = 2, dim: int = -1, n_iter: int = 50) -> None:
        super().__init__(dim, budget)

    def forward(self, X: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        """The weights of scores. In `mask` True = takes part."""
        return budget_bisect(X, self._value(), self.dim, mask=mask)
