from typing import Any, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

# What the maps return is an array, or with return_support=True a pair of arrays.
def softmax(
    x: ArrayLike,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def sparsemax(
    x: ArrayLike,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def entmax(
    x: ArrayLike,
    alpha: ArrayLike | None = None,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def normmax(
    x: ArrayLike,
    gamma: ArrayLike | None = None,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def subsets(
    x: ArrayLike,
    k: ArrayLike,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def bounded(
    x: ArrayLike,
    upper: ArrayLike,
    axis: int = -1,
    *,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def forward(
    map: str,
    x: ArrayLike,
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
    bfloat16: bool = False,
) -> Any: ...
def support(
    map: str,
    x: ArrayLike,
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    beta: float = 1.0,
    bfloat16: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]: ...
def conjugate(
    map: str,
    x: ArrayLike,
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    beta: float = 1.0,
    bfloat16: bool = False,
) -> NDArray[Any]: ...
def pullback(
    map: str,
    weights: ArrayLike,
    gradient: ArrayLike,
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    bfloat16: bool = False,
) -> NDArray[Any]: ...
def parameter_vjp(
    map: str,
    weights: ArrayLike,
    gradient: ArrayLike,
    parameter: ArrayLike,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    bfloat16: bool = False,
) -> NDArray[np.float64]: ...
def upper_vjp(
    x: ArrayLike,
    weights: ArrayLike,
    gradient: ArrayLike,
    upper: ArrayLike,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    bfloat16: bool = False,
) -> NDArray[np.float64]: ...
def beta_vjp(
    x: ArrayLike,
    pulled: ArrayLike,
    beta: float,
    *,
    mask: ArrayLike | None = None,
    bfloat16: bool = False,
) -> float: ...
def second_vjp(
    map: str,
    x: ArrayLike,
    weights: ArrayLike,
    u: ArrayLike,
    w: ArrayLike,
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    beta: float = 1.0,
    bfloat16: bool = False,
) -> NDArray[Any]: ...
def loss(
    map: str,
    x: ArrayLike,
    target: ArrayLike | Sequence[Sequence[int]],
    parameter: ArrayLike | None = None,
    *,
    axis: int = -1,
    mask: ArrayLike | None = None,
    reduction: Literal["mean", "sum", "none"] = "mean",
    ignore_index: int | None = None,
    beta: float = 1.0,
    return_gradient: bool = False,
    bfloat16: bool = False,
) -> Any: ...
