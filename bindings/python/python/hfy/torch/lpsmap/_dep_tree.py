"""Factors over the arcs of dependency trees."""

from collections.abc import Iterator

import numpy as np

from ... import _hfy
from ._factor import Factor, Made, Numbers, Place
from ._variables import Slice


class DepTree(Factor):
    """The arcs of a dependency tree over n words: every word has one head, another word or the root.

    `variables` are of shape (n, n), a row for each word and in it its possible heads. With `packed` the head of word i
    at i is the root. Else the root comes first, and then the other words in order. With `projective` no arcs cross;
    with `single_root` one word alone hangs on the root.

    >>> import numpy as np
    >>> from hfy.torch.lpsmap import DepTree, FactorGraph
    >>> graph = FactorGraph()
    >>> u = graph.variable_from(np.array([[1.0, 0.0], [0.8, 0.6]]))  # word 1 would have word 0 as its head, or the root
    >>> graph.add(DepTree(u, packed=True, projective=True))
    >>> graph.solve()
    >>> u.value.round(2)
    array([[1. , 0. ],
           [0.6, 0.4]])
    """

    def __init__(
        self, variables: Slice, packed: bool = False, projective: bool = False, *, single_root: bool = False
    ) -> None:
        self._variables = variables
        self.packed = packed
        self.projective = projective
        self.single_root = single_root

    def _make(self, place: Place) -> Iterator[Made]:
        numbers = place.numbers(self._variables)
        if numbers.ndim != 2 or numbers.shape[0] != numbers.shape[1] or not numbers.size:
            raise ValueError(f"variables are of shape {numbers.shape}; expected words x words")
        packed = numbers if self.packed else _packed(numbers)
        kind = "projective" if self.projective else "arborescence"
        name = f"{kind}:{len(packed)}" + (":root=single" if self.single_root else "")
        # A row of the structure has the words of a head, a row of the factor the heads of a word.
        yield Made([_hfy.Factor.structured(packed.T.ravel().tolist(), name)])


def _packed(numbers: Numbers) -> Numbers:
    """The root of each word, which comes first, moved to the word's own place."""
    rows = [np.insert(row[1:], word, row[0]) for word, row in enumerate(numbers)]
    return np.stack(rows)
