"""The sizes of a Hopfield association, read from the arguments once and checked once."""

from __future__ import annotations

from dataclasses import dataclass

from ._per_head import whole


@dataclass(frozen=True)
class Wiring:
    """Which inputs are used as they are (static), and what else stands between them and the output."""

    state_static: bool
    stored_static: bool
    projection_static: bool
    connected: bool
    out_projection: bool
    hopfield_norm: bool

    @property
    def without_weights(self) -> bool:
        """Nothing is projected and nothing normalised in the Hopfield space: hflayers' static execution."""
        static = self.state_static and self.stored_static and self.projection_static
        return static and not (self.connected or self.out_projection or self.hopfield_norm)


@dataclass(frozen=True)
class Sizes:
    """Depths as the arguments say. None where the data decide, which they can in a layer without weights."""

    wiring: Wiring
    heads: int
    input: int | None
    stored: int | None
    projection: int | None
    hidden: int | None
    pattern: int | None
    output: int | None

    @property
    def state_depth(self) -> int | None:
        """The depth that state patterns must have. A static one enters a head as it is."""
        return self._association_depth(self.wiring.state_static, self.input)

    @property
    def stored_depth(self) -> int | None:
        """The depth that stored patterns must have."""
        return self._association_depth(self.wiring.stored_static, self.stored)

    def _association_depth(self, static: bool, projected: int | None) -> int | None:
        # Where both are static, any depth does that they share.
        both = self.wiring.state_static and self.wiring.stored_static
        return projected if not static else self.hidden if self.wiring.without_weights or not both else None

    @property
    def projection_depth(self) -> int | None:
        """The depth that pattern projections must have."""
        through_weights = not self.wiring.projection_static or (self.wiring.connected and not self.wiring.stored_static)
        return self.projection if through_weights else self.pattern if self.wiring.out_projection else None

    @classmethod
    def read(
        cls,
        wiring: Wiring,
        *,
        num_heads: int,
        input_size: int | None,
        hidden_size: int | None,
        output_size: int | None,
        pattern_size: int | None,
        stored_pattern_size: int | None,
        pattern_projection_size: int | None,
    ) -> Sizes:
        """Sizes from the arguments of the same names."""
        heads = whole("num_heads", num_heads, 1)
        given = {
            "input_size": input_size,
            "hidden_size": hidden_size,
            "output_size": output_size,
            "pattern_size": pattern_size,
            "stored_pattern_size": stored_pattern_size,
            "pattern_projection_size": pattern_projection_size,
        }
        for name, size in given.items():
            if size is not None:
                whole(name, size, 1)
        stored = input_size if stored_pattern_size is None else stored_pattern_size
        projection = input_size if pattern_projection_size is None else pattern_projection_size
        if wiring.without_weights:
            depths = {size for size in (input_size, stored, hidden_size) if size is not None}
            if len(depths) > 1:
                named = ", ".join(
                    f"{name} = {given[name]}" for name in ("input_size", "hidden_size", "stored_pattern_size")
                )
                raise ValueError(f"{named}: without projections they are one and the same depth")
            depth = depths.pop() if depths else None
            return cls(wiring, heads, depth, depth, projection, depth, None, None)
        if input_size is None:
            rule = "it is needed unless all inputs are static, disable_out_projection is True, and nothing is connected"
            raise ValueError(f"input_size = None: {rule} or normalised in the Hopfield space")
        if hidden_size is None:
            if input_size % heads:
                raise ValueError(
                    f"input_size = {input_size}: without hidden_size it must be divisible by num_heads = {heads}"
                )
            hidden_size = input_size // heads
        pattern = hidden_size if pattern_size is None else pattern_size
        if wiring.connected and stored != projection:
            rule = "pattern_projection_as_connected needs the same depth for both"
            raise ValueError(f"stored_pattern_size = {stored}, pattern_projection_size = {projection}: {rule}")
        if wiring.connected and pattern != hidden_size:
            rule = "pattern_projection_as_connected needs the same for both"
            raise ValueError(f"pattern_size = {pattern}, hidden_size = {hidden_size}: {rule}")
        output = input_size if output_size is None else output_size
        return cls(wiring, heads, input_size, stored, projection, hidden_size, pattern, output)
