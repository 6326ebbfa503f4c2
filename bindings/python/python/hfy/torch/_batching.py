"""How operators meet the axis that torch.func.vmap adds: in front of all others."""

from typing import Optional

from torch import Tensor


def along_the_front(tensor: Tensor, where: Optional[int], size: int) -> Tensor:
    """A tensor with its batch axis in front, repeated where it has none."""
    return tensor.expand(size, *tensor.shape) if where is None else tensor.movedim(where, 0)


def aligned(tensor: Optional[Tensor], where: Optional[int], rank: int) -> Optional[Tensor]:
    """What broadcasts against samples of `rank` axes, so that it broadcasts against all of them at once."""
    if tensor is None or where is None:
        return tensor
    front = tensor.movedim(where, 0)
    missing = rank + 1 - front.dim()
    return front.reshape(front.shape[0], *[1] * missing, *front.shape[1:])
