"""Modules that have a parameter of a map."""

from typing import Any, Union

import torch
from torch import Tensor


class Parametric(torch.nn.Module):
    """A parameter that is a number, a tensor, a `torch.nn.Parameter`, or a module that gives one.

    A tensor is a part of the state.
    """

    def __init__(self, parameter: Union[float, Tensor, torch.nn.Module, None]) -> None:
        super().__init__()
        if isinstance(parameter, Tensor) and not isinstance(parameter, torch.nn.Parameter):
            self.register_buffer("parameter", parameter)
        else:
            self.parameter = parameter

    def _value(self) -> Any:
        """The parameter, of which a module is asked."""
        return self.parameter() if isinstance(self.parameter, torch.nn.Module) else self.parameter
