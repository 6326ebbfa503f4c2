"""Structures as text, which is what operators of torch take."""

from typing import Optional, Union
from weakref import WeakValueDictionary

import numpy as np
import torch

from .._hfy import Structure

_BUILT: "WeakValueDictionary[str, Structure]" = WeakValueDictionary()


def name_of(structure: Union[Structure, str]) -> str:
    """A text that `structure_of` understands as long as the structure is there."""
    if isinstance(structure, str):
        return structure
    _list(structure)
    return f"@{id(structure)}"  # compilers compile again where this is another


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _list(structure: Structure) -> None:
    _BUILT[f"@{id(structure)}"] = structure


def built(name: str) -> Optional[Structure]:
    """The structure that has no text of its own, if it is one; who keeps it keeps its name alive."""
    return _BUILT.get(name)


def structure_of(name: str) -> Union[Structure, str]:
    """The structure that a text names."""
    if name.startswith("@"):
        structure = _BUILT.get(name)
        if structure is None:
            raise ValueError("structure: it is there no longer; keep it for as long as what was made with it is used")
        return structure
    if name.startswith("tables:"):
        k, variables = map(int, name.removeprefix("tables:").split("x"))
        # Neighbours are scored by their states, by zeros here, in the place of what will be given.
        return Structure.sequence(k, np.zeros((variables - 1, 2, 2)))
    return name
