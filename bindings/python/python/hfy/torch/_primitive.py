"""One computation in all the forms in which torch may ask for it, with one set of rules."""

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.library import custom_op

Gradients = tuple[Optional[Tensor], ...]


def save(ctx: Any, *tensors: Optional[Tensor]) -> None:
    """Keeps tensors for both directions of differentiation."""
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)


def total(a: Optional[Tensor], b: Tensor) -> Tensor:
    """The sum, where the first may be missing."""
    return b if a is None else a + b


class Primitive:
    """A kernel that torch can differentiate, batch, compile and export.

    It is a registered operator for compilers, exporters and tracers; a function with a rule for each transform of torch.func; and
    a short way for tensors that nothing watches, since a call of the others costs three to ten times as much.

    kernel : what computes, on plain tensors
    like : what an output looks like, from the same arguments
    keep(ctx, inputs, output), backward(ctx, *gradients) : as in torch.library.register_autograd
    push(ctx, *tangents) : the tangents of the outputs, as in torch.autograd.Function.jvp
    batched(info, in_dims, *inputs) : as in torch.library.register_vmap
    """

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        like: Callable[..., Any],
        keep: Callable[[Any, tuple[Any, ...], Any], None],
        backward: Callable[..., Gradients],
        push: Callable[..., Any],
        batched: Callable[..., Any],
    ) -> None:
        self.kernel = kernel
        self.operator: Any = custom_op(f"hfy::{name}", kernel, mutates_args=())
        self.operator.register_fake(like)
        self.operator.register_autograd(backward, setup_context=keep)
        self.operator.register_vmap(batched)

        def under_transforms(*inputs: Any) -> Any:
            return (self.operator if _are_watched(inputs) else kernel)(*inputs)

        def at_once(ctx: Any, *inputs: Any) -> Any:
            output = kernel(*inputs)
            keep(ctx, inputs, output)
            return output

        self.transformed = _function(
            name, forward=under_transforms, setup_context=keep, backward=backward, jvp=push, vmap=batched
        )
        self.short = _function(name, forward=at_once, backward=backward)

    def __call__(self, *inputs: Any) -> Any:
        if torch.compiler.is_compiling():
            return self.operator(*inputs)
        if torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0:
            return self.transformed.apply(*inputs)
        if _are_watched(inputs):
            return self.operator(*inputs)
        if torch.is_grad_enabled():
            for part in inputs:
                if isinstance(part, Tensor) and part.requires_grad:
                    return self.short.apply(*inputs)
        return self.kernel(*inputs)


_PLAIN = frozenset({Tensor, torch.nn.Parameter})


def _are_watched(inputs: tuple[Any, ...]) -> bool:
    """Whether there is a tracer, a mode, or a tensor without numbers, that has to see operators."""
    if torch._C._len_torch_dispatch_stack() or torch._C._is_tracing():
        return True
    for part in inputs:
        if isinstance(part, Tensor) and (type(part) not in _PLAIN or part.is_meta):
            return True
    return False


def _function(name: str, **rules: Callable[..., Any]) -> Any:
    """An autograd function of these rules."""
    return type(name, (torch.autograd.Function,), {rule: staticmethod(work) for rule, work in rules.items()})
