"""Binary variables, packed as arrays."""

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray


class Slice:
    """Some of the variables of a `Variable`: what indexing gives. It can be indexed itself.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([[0.1, 0.2], [0.3, 2.0]]))
    >>> corner = u[:, 1][1:]
    >>> corner
    Slice(shape=(1,))
    >>> graph.solve()
    >>> corner.value
    array([1.])
    """

    def __init__(self, base: "Variable", numbers: NDArray[np.intp]) -> None:
        self._base = base
        self._numbers = numbers  # within the base, counted row by row

    def __getitem__(self, where: Any) -> "Slice":
        return Slice(self._base, np.asarray(self._numbers[_as_numpy(where)], dtype=np.intp))

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, without axes of the batch."""
        return self._numbers.shape

    @property
    def value(self) -> Any:
        """What `solve` or `solve_map` found, of this shape after the axes of the batch: an array or a tensor."""
        values = self._base.value
        return values.reshape(*values.shape[: values.ndim - len(self._base.shape)], -1)[..., self._numbers]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"


class Variable(Slice):
    """An array of binary variables with a score each, made by `variable` or `variable_from` of a graph.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import FactorGraph
    >>> FactorGraph().variable(shape=(2, 3))
    Variable(shape=(2, 3))
    """

    def __init__(self, scores: Any, batch_dims: int = 0) -> None:
        shape = tuple(scores.shape[batch_dims:])
        super().__init__(self, np.arange(int(np.prod(shape, dtype=np.intp))).reshape(shape))
        self._scores = scores
        self._value: Optional[Any] = None

    @property
    def value(self) -> Any:
        """What `solve` or `solve_map` found, of the shape of the scores: an array or a tensor."""
        if self._value is None:
            raise RuntimeError("value: the graph is not solved yet; call solve() or solve_map() first")
        return self._value


def _as_numpy(where: Any) -> Any:
    """An index with tensors in it, as one with arrays."""
    if isinstance(where, tuple):
        return tuple(_as_numpy(part) for part in where)
    return where.numpy(force=True) if hasattr(where, "numpy") else where
