"""Hopfield layers for torch: associations with any separation map, any number of updates, and reports.

`Hopfield`, `HopfieldPooling`, `HopfieldLayer`, `HopfieldEncoderLayer` and `HopfieldDecoderLayer` take the arguments of
hflayers by name, with its defaults, and load its state dicts. Beyond that they take a map Ω (`omega`), a
post-transformation Ψ (`psi`), bags of different sizes without padding, and they report what they did.

>>> import torch
>>> from hfy.torch.nn import Hopfield
>>> images = torch.tensor([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
>>> memory = Hopfield.memory(4, omega="sparsemax", beta=1.0)
>>> memory.retrieve(torch.tensor([[0.9, 0.5, -0.2, -0.8]]), images)
tensor([[ 1.,  1., -1., -1.]])

In `stored_pattern_padding_mask` and `association_mask` True means IGNORED, as in hflayers and in torch's transformer
layers. (In the `mask` of the maps of `hfy.torch` True means that an entry takes part.)
"""

from .decoder import HopfieldDecoderLayer
from .encoder import HopfieldEncoderLayer
from .hopfield import Hopfield
from .layer import HopfieldLayer
from .pooling import HopfieldPooling
from .report import AssociationReport

__all__ = [
    "AssociationReport",
    "Hopfield",
    "HopfieldDecoderLayer",
    "HopfieldEncoderLayer",
    "HopfieldLayer",
    "HopfieldPooling",
]
