from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = [
    "Certificates",
    "Factor",
    "FactorGraph",
    "GraphSolution",
    "Memory",
    "Network",
    "Recall",
    "Record",
    "Report",
    "Retrieval",
    "Snapshot",
    "SparseMapSolution",
    "Structure",
    "__version__",
    "beta_vjp",
    "bounded",
    "conjugate",
    "entmax",
    "forward",
    "free_recall",
    "loss",
    "margin",
    "normmax",
    "parameter_vjp",
    "pullback",
    "second_vjp",
    "sequence",
    "sequential_recall",
    "softmax",
    "sparsemap",
    "sparsemap_solve",
    "sparsemax",
    "subsets",
    "support",
    "upper_vjp",
]

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
def sequence(
    x: ArrayLike,
    k: int,
    transition: ArrayLike | None = None,
    axis: int = -1,
    *,
    regulariser: Literal["on", "both"] | None = None,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def sparsemap(
    x: ArrayLike,
    structure: Structure | str,
    axis: int = -1,
    *,
    regulariser: Literal["on", "both"] | None = None,
    mask: ArrayLike | None = None,
    out: NDArray[Any] | None = None,
    beta: float = 1.0,
    return_support: bool = False,
) -> Any: ...
def sparsemap_solve(
    x: ArrayLike,
    structure: Structure | str,
    higher: ArrayLike | None = None,
    *,
    regulariser: Literal["on", "both"] | None = None,
    axis: int = -1,
    mask: ArrayLike | None = None,
) -> SparseMapSolution: ...
@final
class Structure:
    def __new__(cls, text: str) -> Structure: ...
    @staticmethod
    def sequence(k: int, transition: ArrayLike | None = None) -> Structure: ...
    @staticmethod
    def labels(
        positions: int,
        labels: int,
        transitions: ArrayLike,
        *,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> Structure: ...
    @staticmethod
    def spanning_tree(nodes: int, edges: Sequence[tuple[int, int]]) -> Structure: ...
    @staticmethod
    def listed(vertices: ArrayLike, scores: ArrayLike | None = None) -> Structure: ...
    def higher(self, variables: int) -> NDArray[np.float64]: ...
    def best(self, scores: ArrayLike, higher: ArrayLike | None = None) -> tuple[float, NDArray[np.float64]]: ...
    def __reduce__(self) -> tuple[type[Structure], tuple[str]]: ...

@final
class SparseMapSolution:
    @property
    def marginals(self) -> NDArray[np.float64]: ...
    @property
    def higher(self) -> NDArray[np.float64]: ...
    @property
    def value(self) -> NDArray[np.float64]: ...
    @property
    def gap(self) -> NDArray[np.float64]: ...
    @property
    def iterations(self) -> NDArray[np.int64]: ...
    @property
    def optimal(self) -> NDArray[np.bool_]: ...
    def structures(self, row: int = 0) -> list[tuple[list[int], float]]: ...
    def exact(self, row: int = 0) -> list[int] | None: ...
    def best(self, row: int = 0) -> list[int]: ...
    def vjp(
        self, gradient: ArrayLike, higher_gradient: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def __len__(self) -> int: ...

@final
class Factor:
    @staticmethod
    def exactly_one(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def at_most_one(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def any_of(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def exactly(variables: Sequence[int], k: int) -> Factor: ...
    @staticmethod
    def at_most(variables: Sequence[int], k: int) -> Factor: ...
    @staticmethod
    def at_least(variables: Sequence[int], k: int) -> Factor: ...
    @staticmethod
    def imply(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def xor_out(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def or_out(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def and_out(variables: Sequence[int]) -> Factor: ...
    @staticmethod
    def pair(a: int, b: int, score: float) -> Factor: ...
    @staticmethod
    def structured(variables: Sequence[int], structure: Structure | str) -> Factor: ...
    def negated(self, positions: Sequence[int]) -> Factor: ...
    @property
    def variables(self) -> list[int]: ...
    @property
    def higher(self) -> list[float]: ...

@final
class FactorGraph:
    def __new__(cls, variables: int, factors: Sequence[Factor]) -> FactorGraph: ...
    @property
    def variables(self) -> int: ...
    @property
    def higher(self) -> list[list[float]]: ...
    def solve(
        self,
        x: ArrayLike,
        higher: Sequence[ArrayLike] | None = None,
        *,
        axis: int = -1,
        mask: ArrayLike | None = None,
        tolerance: float = 1e-9,
        limit: int = 10000,
        penalty: float = 1.0,
        direct: bool = True,
    ) -> GraphSolution: ...

@final
class GraphSolution:
    @property
    def marginals(self) -> NDArray[np.float64]: ...
    @property
    def higher(self) -> list[NDArray[np.float64]]: ...
    @property
    def value(self) -> NDArray[np.float64]: ...
    @property
    def optimal(self) -> NDArray[np.bool_]: ...
    @property
    def primal_residual(self) -> NDArray[np.float64]: ...
    @property
    def dual_residual(self) -> NDArray[np.float64]: ...
    @property
    def iterations(self) -> NDArray[np.int64]: ...
    def vjp(
        self, gradient: ArrayLike, higher_gradient: Sequence[ArrayLike] | None = None
    ) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]: ...
    def __len__(self) -> int: ...

@final
class Network:
    def __new__(
        cls,
        patterns: ArrayLike | Memory | Snapshot,
        omega: str | None = None,
        psi: str | None = None,
        beta: float | None = None,
        *,
        values: ArrayLike | None = None,
        copy: bool = True,
    ) -> Network: ...
    @property
    def patterns(self) -> NDArray[Any]: ...
    @property
    def values(self) -> NDArray[Any] | None: ...
    @property
    def omega(self) -> str: ...
    @property
    def psi(self) -> str: ...
    @property
    def beta(self) -> float: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def retrieve(
        self,
        queries: ArrayLike,
        *,
        steps: int | None = None,
        tolerance: float | None = None,
        limit: int = 100,
        min_score: float | None = None,
        max_energy: float | None = None,
        max_distance: float | None = None,
        blend_floor: float = 0.01,
        trace: bool = False,
        energy: bool = True,
        index: int | None = None,
    ) -> Retrieval: ...
    def step(self, queries: ArrayLike) -> NDArray[Any]: ...
    def weights(self, queries: ArrayLike) -> NDArray[Any]: ...
    def energy(self, states: ArrayLike) -> Any: ...
    def certify(self, *, epsilon: float = 0.0, failure: float = 0.01) -> Certificates: ...
    def guarantee(self, queries: ArrayLike) -> Any: ...
    def certify_association(self, members: Sequence[int]) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Callable[..., Network], tuple[Any, ...]]: ...

@final
class Retrieval:
    @property
    def states(self) -> NDArray[Any]: ...
    @property
    def stop(self) -> str: ...
    @property
    def pattern(self) -> NDArray[np.int64]: ...
    @property
    def steps(self) -> NDArray[np.int64]: ...
    @property
    def sizes(self) -> NDArray[np.int64]: ...
    @property
    def residual(self) -> NDArray[np.float64]: ...
    @property
    def energy(self) -> NDArray[np.float64]: ...
    @property
    def status(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Report: ...

@final
class Report:
    @property
    def status(self) -> Literal["pattern", "association", "blend", "step limit", "no match"]: ...
    @property
    def pattern(self) -> int | None: ...
    @property
    def association(self) -> list[int] | None: ...
    @property
    def stopped(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def residual(self) -> float: ...
    @property
    def energy(self) -> float | None: ...
    @property
    def support(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    @property
    def structures(self) -> list[tuple[list[int], float]]: ...
    @property
    def trace(self) -> NDArray[np.float64] | None: ...

@final
class Certificates:
    @property
    def separation(self) -> NDArray[np.float64]: ...
    @property
    def rival(self) -> NDArray[np.int64]: ...
    @property
    def fixed_point(self) -> NDArray[np.bool_]: ...
    @property
    def recalled(self) -> NDArray[np.bool_]: ...
    @property
    def radius(self) -> NDArray[np.float64]: ...
    @property
    def radius_pattern(self) -> NDArray[np.float64]: ...
    @property
    def radius_paper(self) -> NDArray[np.float64]: ...
    @property
    def boundary(self) -> NDArray[np.int64]: ...
    @property
    def moved(self) -> NDArray[np.float64]: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...

def margin(map: str, *, beta: float = 1.0) -> float | None: ...
@final
class Recall:
    @property
    def recalled(self) -> NDArray[np.int64]: ...
    @property
    def gaps(self) -> NDArray[np.float64]: ...
    @property
    def unique_ratio(self) -> float: ...
    @property
    def levenshtein(self) -> float: ...
    @property
    def ceiling(self) -> float: ...
    @property
    def repeats(self) -> NDArray[np.bool_]: ...
    @property
    def jumps(self) -> NDArray[np.bool_]: ...
    def weights(self, round: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def trace(
        self, round: int
    ) -> (
        tuple[NDArray[np.float64], list[tuple[NDArray[np.int64], NDArray[np.float64]]], NDArray[np.float64]] | None
    ): ...
    def __len__(self) -> int: ...

def free_recall(
    patterns: ArrayLike | Memory | Snapshot,
    cue: ArrayLike | None = None,
    *,
    method: Literal["constrained", "penalised"] = "constrained",
    beta: float = 0.1,
    steps: int = 20,
    alpha: float = 2.0,
    penalty: float = 1e9,
    forgetting: float = 1e-3,
    rounds: int | None = None,
    trace: bool = False,
) -> Recall: ...
def sequential_recall(
    patterns: ArrayLike | Memory | Snapshot,
    cue: ArrayLike | None = None,
    *,
    beta: float = 0.1,
    steps: int = 20,
    k: int = 2,
    transition: float = 1e8,
    omega: float = 1.1,
    inner_beta: float = 1.0,
    alpha: float = 2.0,
    penalty: float = 1e9,
    forgetting: float = 1e-3,
    regulariser: Literal["on", "both"] = "both",
    rounds: int | None = None,
    trace: bool = False,
) -> Recall: ...
@final
class Memory:
    def __new__(cls, dim: int, dtype: DTypeLike | None = None) -> Memory: ...
    @staticmethod
    def create(
        path: str | PathLike[str], dim: int, dtype: DTypeLike | None = None, *, replace: bool = False
    ) -> Memory: ...
    @staticmethod
    def of(
        patterns: ArrayLike,
        path: str | PathLike[str] | None = None,
        *,
        labels: Sequence[str | None] | None = None,
        metadata: Sequence[Any] | None = None,
        replace: bool = False,
    ) -> Memory: ...
    @staticmethod
    def open(path: str | PathLike[str], *, timeout: float = 60.0) -> Memory: ...
    @staticmethod
    def import_(source: str | PathLike[str], path: str | PathLike[str], *, replace: bool = False) -> Memory: ...
    def close(self) -> None: ...
    def __enter__(self) -> Memory: ...
    def __exit__(self, *_exception: object) -> None: ...
    @property
    def dim(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def path(self) -> Path | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def generation(self) -> int: ...
    @property
    def ids(self) -> NDArray[np.uint64]: ...
    @property
    def patterns(self) -> NDArray[Any]: ...
    def snapshot(self, *, where: str | None = None) -> Snapshot: ...
    def query(self, *, where: str) -> NDArray[np.uint64]: ...
    def add(
        self,
        patterns: ArrayLike,
        *,
        labels: str | Sequence[str | None] | None = None,
        metadata: Any = None,
    ) -> Any: ...
    def update(
        self,
        ids: int | Iterable[int],
        patterns: ArrayLike | None = None,
        *,
        labels: str | Sequence[str | None] | None = None,
        metadata: Any = None,
    ) -> None: ...
    def remove(self, ids: int | Iterable[int]) -> None: ...
    def compact(self) -> None: ...
    def export(self, path: str | PathLike[str], *, where: str | None = None) -> None: ...
    def merge(self, other: Memory | Snapshot) -> NDArray[np.uint64]: ...
    def row_of(self, id: int) -> int: ...
    def label(self, id: int) -> str | None: ...
    def set_label(self, id: int, label: str | None) -> None: ...
    def metadata(self, id: int) -> Any: ...
    def set_metadata(self, id: int, metadata: Any) -> None: ...
    @property
    def info(self) -> dict[str, str]: ...
    def set_info(self, texts: dict[str, str]) -> None: ...
    def verify(self) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: int, /) -> bool: ...
    def __getitem__(self, id: int, /) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[Record]: ...
    def __reduce__(self) -> Any: ...

@final
class Snapshot:
    @property
    def dim(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def segments(self) -> int: ...
    @property
    def ids(self) -> NDArray[np.uint64]: ...
    @property
    def patterns(self) -> NDArray[Any]: ...
    def query(self, *, where: str) -> NDArray[np.uint64]: ...
    def row_of(self, id: int) -> int: ...
    def label(self, id: int) -> str | None: ...
    def metadata(self, id: int) -> Any: ...
    @property
    def info(self) -> dict[str, str]: ...
    def export(self, path: str | PathLike[str]) -> None: ...
    def verify(self) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, id: int, /) -> bool: ...
    def __getitem__(self, id: int, /) -> NDArray[Any]: ...
    def __iter__(self) -> Iterator[Record]: ...

@final
class Record:
    @property
    def id(self) -> int: ...
    @property
    def row(self) -> int: ...
    @property
    def label(self) -> str | None: ...
    @property
    def metadata(self) -> Any: ...
    @property
    def pattern(self) -> Any: ...
