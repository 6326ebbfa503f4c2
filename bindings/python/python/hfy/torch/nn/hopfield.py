"""The Hopfield layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from ._activation import activation
from ._core import Association, AssociationCore
from ._inputs import HopfieldInput, Inputs
from ._iteration import Stopping
from ._norms import input_norm, normalised
from ._omega import Omega, OmegaParameter
from ._patterns import PatternInput
from ._psi import AffineLayerNorm, learned_psi, read_psi
from ._sizes import Sizes, Wiring
from .report import AssociationReport

HopfieldOutput: TypeAlias = "PatternInput | tuple[PatternInput, AssociationReport]"


class Hopfield(nn.Module):
    """Associates state patterns with stored patterns, and answers with what the pattern projections say about those.

    In the space of each head, with queries q, keys K and values V projected from the three inputs, the state is updated
    `update_steps_max` times by `q <- ŷ_Ψ(Kᵀ ŷ_Ω(β K q))`, and the answer is `ŷ_Ψ(Vᵀ ŷ_Ω(β K q))`, projected to the
    output. With the softmax as ŷ_Ω, no further update and no Ψ this is multi-head attention.

    The arguments and defaults are those of hflayers, whose state dicts can be loaded, and then `omega` to
    `update_steps_limit`.

    - `input_size`: depth of the state patterns, and of the other inputs unless `stored_pattern_size` and
      `pattern_projection_size` say otherwise. `hidden_size`: depth of one head, `input_size / num_heads` by default.
      `pattern_size`: depth of one head's values, `hidden_size` by default. `output_size`: depth of the output,
      `input_size` by default.
    - `scaling`: β, one number or one for each head (a sequence or tensor; a Parameter is learned).
      `1/sqrt(hidden_size)` by default, and 1 in a layer without weights.
    - `update_steps_max`: updates before the answer, one number or one for each head; None is until converged.
      `update_steps_eps`: a head has converged once an update changes its association by no more than this, in the
      Frobenius norm over queries and stored patterns. Each element of a batch ends by itself. `update_steps_limit`:
      where None ends in any case, with a warning.
    - `normalize_stored_pattern`, `_state_pattern`, `_pattern_projection`: LayerNorm of the inputs, each with `_affine`
      and `_eps`. `normalize_hopfield_space`: LayerNorm of queries and keys in each head, with weights that both share.
    - `stored_pattern_as_static`, `state_pattern_as_static`, `pattern_projection_as_static`: use this input as it is, in
      every head. `pattern_projection_as_connected`: the values are projected from the keys' projection of their input.
    - `concat_bias_pattern`: adds a learned key and value. `add_zero_association`: adds a zero key and value.
    - `dropout`: of association weights. `association_activation`: name of a function for the output. `input_bias`:
      biases of the projections. `disable_out_projection`: the heads' answers beside each other are the output.
    - `omega`: ŷ_Ω as a text: "softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:4", "sequence:4:t=0.1" (these
      two choose, and sum up, 4 patterns, or all where there are fewer). `omega_parameter`: alpha, gamma or k apart from
      the text ("entmax"), or the transition t of "sequence:4": a number, one for each head, a Parameter, or a module that
      gives it such as `hfy.torch.AlphaParameter(shape=(num_heads,))` and
      `hfy.torch.TransitionParameter(shape=(num_heads,))`.
    - `psi`: ŷ_Ψ as a text: "identity", "l2", "l2:RADIUS", "layernorm", "layernorm:eps=1e-5". `psi_affine`: a learned
      scale and offset after "layernorm", which all heads share; reports then have no energy (NaN). `psi_patterns`: take
      queries, keys and values through ŷ_Ψ, too.

    State dicts are those of the crate hfy-nn, too, where what is learned for ŷ_Ω is such a module and has the shape (1,)
    or (num_heads,). That crate's `implicit`, the gradient of the fixed point without the updates before it, has no
    counterpart here: gradients go through all updates.

    A query without stored patterns (all masked, or an empty bag) has weights of zero, and gives the bias of the output
    projection.

    >>> import torch
    >>> from hfy.torch.nn import Hopfield
    >>> layer = Hopfield(input_size=8, hidden_size=4, num_heads=2, omega="entmax:1.5", update_steps_max=3)
    >>> layer(torch.zeros(5, 7, 8)).shape
    torch.Size([5, 7, 8])
    """

    norm_stored_pattern: nn.LayerNorm | None
    norm_state_pattern: nn.LayerNorm | None
    norm_pattern_projection: nn.LayerNorm | None

    def __init__(
        self,
        input_size: int | None = None,
        hidden_size: int | None = None,
        output_size: int | None = None,
        pattern_size: int | None = None,
        num_heads: int = 1,
        scaling: float | Sequence[float] | Tensor | None = None,
        update_steps_max: int | Sequence[int | None] | Tensor | None = 0,
        update_steps_eps: float | Sequence[float] | Tensor = 1e-4,
        normalize_stored_pattern: bool = True,
        normalize_stored_pattern_affine: bool = True,
        normalize_stored_pattern_eps: float = 1e-5,
        normalize_state_pattern: bool = True,
        normalize_state_pattern_affine: bool = True,
        normalize_state_pattern_eps: float = 1e-5,
        normalize_pattern_projection: bool = True,
        normalize_pattern_projection_affine: bool = True,
        normalize_pattern_projection_eps: float = 1e-5,
        normalize_hopfield_space: bool = False,
        normalize_hopfield_space_affine: bool = False,
        normalize_hopfield_space_eps: float = 1e-5,
        stored_pattern_as_static: bool = False,
        state_pattern_as_static: bool = False,
        pattern_projection_as_static: bool = False,
        pattern_projection_as_connected: bool = False,
        stored_pattern_size: int | None = None,
        pattern_projection_size: int | None = None,
        batch_first: bool = True,
        association_activation: str | None = None,
        dropout: float = 0.0,
        input_bias: bool = True,
        concat_bias_pattern: bool = False,
        add_zero_association: bool = False,
        disable_out_projection: bool = False,
        *,
        omega: str = "softmax",
        omega_parameter: OmegaParameter = None,
        psi: str = "identity",
        psi_affine: bool = False,
        psi_patterns: bool = False,
        update_steps_limit: int = 1000,
    ) -> None:
        super().__init__()
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout = {dropout}: it must lie in [0, 1]")
        if association_activation is not None:
            activation("association_activation", association_activation)
        wiring = Wiring(
            state_static=state_pattern_as_static,
            stored_static=stored_pattern_as_static,
            projection_static=pattern_projection_as_static,
            connected=pattern_projection_as_connected,
            out_projection=not disable_out_projection,
            hopfield_norm=normalize_hopfield_space,
        )
        sizes = Sizes.read(
            wiring,
            num_heads=num_heads,
            input_size=input_size,
            hidden_size=hidden_size,
            output_size=output_size,
            pattern_size=pattern_size,
            stored_pattern_size=stored_pattern_size,
            pattern_projection_size=pattern_projection_size,
        )
        same_depth = sizes.stored == sizes.input and sizes.projection == sizes.input
        self.association_core = AssociationCore(
            sizes,
            omega=Omega(omega, omega_parameter, sizes.heads),
            psi=learned_psi(read_psi(psi), psi, sizes.hidden, sizes.pattern) if psi_affine else read_psi(psi),
            psi_patterns=psi_patterns,
            scaling=scaling,
            stopping=Stopping.read(sizes.heads, update_steps_max, update_steps_eps, update_steps_limit),
            dropout=dropout,
            joint=same_depth and pattern_size is None and not pattern_projection_as_connected,
            bias=input_bias,
            norm_affine=normalize_hopfield_space_affine,
            norm_eps=normalize_hopfield_space_eps,
            bias_patterns=concat_bias_pattern,
            zero_pattern=add_zero_association,
        )
        self.batch_first, self.association_activation = batch_first, association_activation
        self.update_steps_max, self.update_steps_eps = update_steps_max, update_steps_eps
        self.norm_stored_pattern = input_norm(
            "stored_pattern",
            normalize_stored_pattern,
            normalize_stored_pattern_affine,
            normalize_stored_pattern_eps,
            sizes.stored,
            sizes.stored_depth,
        )
        self.norm_state_pattern = input_norm(
            "state_pattern",
            normalize_state_pattern,
            normalize_state_pattern_affine,
            normalize_state_pattern_eps,
            sizes.input,
            sizes.state_depth,
        )
        self.norm_pattern_projection = input_norm(
            "pattern_projection",
            normalize_pattern_projection,
            normalize_pattern_projection_affine,
            normalize_pattern_projection_eps,
            sizes.projection,
            sizes.projection_depth,
        )

    @classmethod
    def memory(
        cls,
        dim: int | None = None,
        *,
        omega: str = "sparsemax",
        omega_parameter: OmegaParameter = None,
        psi: str = "identity",
        beta: float = 1.0,
        update_steps_max: int | None = 0,
        update_steps_eps: float = 1e-4,
        update_steps_limit: int = 1000,
    ) -> Hopfield:
        """The plain associative memory: nothing learned, nothing projected, nothing normalised but by `psi`.

        A `Hopfield` with its defaults cannot give a stored pattern back: its projections are random, and the answer
        lies in another space. This one answers with stored patterns. A call makes one update, and `update_steps_max`
        before it. `dim`: depth of the patterns, checked if given.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield
        >>> images = torch.randn(5, 784, generator=torch.Generator().manual_seed(0)).sign()
        >>> half = images.clone()
        >>> half[:, 392:] = 0
        >>> bool((Hopfield.memory(784).retrieve(half, images) == images).all())
        True
        """
        return cls(
            input_size=dim,
            scaling=beta,
            update_steps_max=update_steps_max,
            update_steps_eps=update_steps_eps,
            normalize_stored_pattern=False,
            normalize_state_pattern=False,
            normalize_pattern_projection=False,
            stored_pattern_as_static=True,
            state_pattern_as_static=True,
            pattern_projection_as_static=True,
            disable_out_projection=True,
            omega=omega,
            omega_parameter=omega_parameter,
            psi=psi,
            update_steps_limit=update_steps_limit,
        )

    def reset_parameters(self) -> None:
        """Draws the weights anew."""
        self.association_core.reset_parameters()
        if isinstance(self.association_core.psi, AffineLayerNorm):
            self.association_core.psi.reset_parameters()
        for norm in (self.norm_stored_pattern, self.norm_state_pattern, self.norm_pattern_projection):
            if norm is not None:
                norm.reset_parameters()

    def forward(
        self,
        input: HopfieldInput,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
        return_report: bool = False,
    ) -> HopfieldOutput:
        """An answer for each state pattern, in the form of the state patterns; with `return_report` (answers, report).

        - `input`: what is stored, state and projection at once, or a tuple of these three. Each is a tensor (batch,
          length, depth), or (length, batch, depth) without `batch_first`; one sequence (length, depth); or bags of
          different sizes: a list of tensors (size, depth), a nested tensor, or one tensor (all, depth) with `offsets`
          (bags + 1). Stored patterns or state patterns with a batch of 1 serve the whole batch of the others.
        - `stored_pattern_padding_mask` (batch, stored): True where a stored pattern is IGNORED; numbers are added to
          the scores.
        - `association_mask` (queries, stored), (batch * heads, queries, stored) or (batch, heads, queries, stored):
          likewise.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield
        >>> answers = Hopfield(input_size=4)([torch.zeros(3, 4), torch.zeros(5, 4)])
        >>> [tuple(answer.shape) for answer in answers]
        [(3, 4), (5, 4)]
        """
        inputs = Inputs.read(input, batch_first=self.batch_first, offsets=offsets)
        # Masks and reports are about the whole batch.
        whole = return_report or stored_pattern_padding_mask is not None or association_mask is not None
        groups = [] if whole else inputs.groups()
        if len(groups) > 1:
            parts = [inputs.chosen(group) for group in groups]
            answers = torch.cat([part.state.answers(self._answer(self._associate(part))) for part in parts])
            answers = answers[torch.cat([inputs.state.rows_of(group) for group in groups]).argsort()]
            return inputs.state.restored(answers)
        found = self._associate(inputs, stored_pattern_padding_mask, association_mask)
        restored = inputs.state.restored(inputs.state.answers(self._answer(found)))
        return (restored, self.association_core.report(found)) if return_report else restored

    def _answer(self, found: Association) -> Tensor:
        answers = self.association_core.answer(found)
        if self.association_activation is not None:
            answers = activation("association_activation", self.association_activation)(answers)
        return answers

    def retrieve(
        self,
        query: PatternInput,
        stored: PatternInput,
        projection: PatternInput | None = None,
        *,
        return_report: bool = False,
    ) -> HopfieldOutput:
        """What `stored` has for `query`: `forward` with the three inputs by name.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield
        >>> Hopfield.memory(2, beta=10.0).retrieve(torch.tensor([[0.9, 0.3]]), torch.eye(2))
        tensor([[1., 0.]])
        """
        return self((stored, query, stored if projection is None else projection), return_report=return_report)  # type: ignore[no-any-return]

    @torch.no_grad()
    def get_association_matrix(
        self,
        input: HopfieldInput,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """The weights of the stored patterns after the updates, (batch, heads, queries, stored), without gradient.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield
        >>> Hopfield(input_size=4, num_heads=2).get_association_matrix(torch.zeros(1, 5, 4)).shape
        torch.Size([1, 2, 5, 5])
        """
        inputs = Inputs.read(input, batch_first=self.batch_first, offsets=offsets)
        return self._associate(inputs, stored_pattern_padding_mask, association_mask).iteration.association

    @torch.no_grad()
    def get_projected_pattern_matrix(
        self,
        input: HopfieldInput,
        stored_pattern_padding_mask: Tensor | None = None,
        association_mask: Tensor | None = None,
        *,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """The values of the stored patterns, (batch, heads, stored, pattern_size), without gradient.

        >>> import torch
        >>> from hfy.torch.nn import Hopfield
        >>> Hopfield(input_size=4, num_heads=2).get_projected_pattern_matrix(torch.zeros(1, 5, 4)).shape
        torch.Size([1, 2, 5, 2])
        """
        inputs = Inputs.read(input, batch_first=self.batch_first, offsets=offsets)
        return self._associate(inputs, stored_pattern_padding_mask, association_mask).values

    def _associate(
        self, inputs: Inputs, padding: Tensor | None = None, association: Tensor | None = None
    ) -> Association:
        sizes = self.association_core.sizes
        mask = inputs.mask(sizes.heads, padding, association)
        stored, projection = inputs.without_padded(padding)
        stored = normalised("stored patterns", stored, self.norm_stored_pattern, sizes.stored_depth)
        state = normalised("state patterns", inputs.state.padded(), self.norm_state_pattern, sizes.state_depth)
        projection = normalised("pattern projections", projection, self.norm_pattern_projection, sizes.projection_depth)
        static = sizes.wiring.state_static and sizes.wiring.stored_static
        if static and state.shape[-1] != stored.shape[-1]:
            depths = f"{state.shape[-1]} and {stored.shape[-1]}"
            raise ValueError(f"state patterns and stored patterns have depths {depths}: static ones must have the same")
        return self.association_core.associate(state, stored, projection, mask, inputs.state.absent)

    @property
    def scaling(self) -> float | Tensor:
        """β: one number, or one for each head."""
        beta = self.association_core.beta
        return beta if isinstance(beta, float) else beta.detach().clone()

    @property
    def state_pattern_dim(self) -> int | None:
        """Depth of the state patterns; None where the data decide."""
        return self.association_core.sizes.input

    input_size = state_pattern_dim

    @property
    def stored_pattern_dim(self) -> int | None:
        """Depth of the stored patterns."""
        return self.association_core.sizes.stored

    @property
    def pattern_projection_dim(self) -> int | None:
        """Depth of the pattern projections."""
        return self.association_core.sizes.projection

    @property
    def hidden_size(self) -> int | None:
        """Depth of one head."""
        return self.association_core.sizes.hidden

    @property
    def pattern_size(self) -> int | None:
        """Depth of one head's values."""
        return self.association_core.sizes.pattern

    @property
    def output_size(self) -> int | None:
        """Depth of the output projection; None where there is no weight at all."""
        return self.association_core.sizes.output
