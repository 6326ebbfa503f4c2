"""The losses of the maps, by name. `hfy.loss` says what they take."""

from typing import Any

from ._hfy import loss


def softmax_loss(x: Any, target: Any, **settings: Any) -> Any:
    """The cross entropy of softmax with a target; settings as for `hfy.loss`.

    >>> import hfy
    >>> round(hfy.softmax_loss([[0.0, 0.0]], [1]), 6)  # log 2
    0.693147
    """
    return loss("softmax", x, target, **settings)


def sparsemax_loss(x: Any, target: Any, **settings: Any) -> Any:
    """The loss of sparsemax: exactly 0 once the score of the target leads by 1; settings as for `hfy.loss`.

    >>> import hfy
    >>> hfy.sparsemax_loss([[1.5, 0.0], [0.0, 0.5]], [0, 1], reduction="none")
    array([0.    , 0.0625])
    """
    return loss("sparsemax", x, target, **settings)


def entmax_loss(x: Any, target: Any, alpha: Any = 1.5, **settings: Any) -> Any:
    """The loss of entmax, with one alpha or one a row; settings as for `hfy.loss`.

    >>> import hfy
    >>> hfy.entmax_loss([[2.0, 0.0]], [0])  # a lead of 1 / (alpha - 1)
    0.0
    """
    return loss("entmax", x, target, alpha, **settings)


def normmax_loss(x: Any, target: Any, gamma: Any = 2.0, **settings: Any) -> Any:
    """The loss of normmax, with one gamma or one a row; settings as for `hfy.loss`.

    >>> import hfy
    >>> hfy.normmax_loss([[0.0, 1.0]], [1], gamma=5)
    0.0
    """
    return loss("normmax", x, target, gamma, **settings)


def subsets_loss(x: Any, target: Any, k: Any, **settings: Any) -> Any:
    """The loss of k-subsets, whose targets are sets of k classes; settings as for `hfy.loss`.

    >>> import hfy
    >>> hfy.subsets_loss([[3.0, 2.0, 1.0, 0.0]], [[0, 1]], k=2)
    0.0
    """
    return loss("subsets", x, target, k, **settings)
