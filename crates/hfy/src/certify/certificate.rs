/// What is guaranteed for one stored pattern `x_i`.
///
/// A step that puts all weight on pattern `i` returns the state `c_i = ŷ_Ψ(x_i)`, in every entry; without a
/// post-transformation Ψ that is `x_i` itself. [`certify`](crate::certify#what-is-certified) says what this means for
/// each Ψ.
///
/// All weight is on pattern `i` for every query `q` in the polyhedron `q·(x_i - x_j) ≥ m/β` for all `j ≠ i`, and for no
/// other: that is what a margin says of the scores `β X q`. Outside of it a Ψ that takes many vectors to one (the sign,
/// say) may happen to give `c_i` from a blend, which is not certified.
///
/// Numbers are infinite where there is no other pattern; JSON writes them as null.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Certificate {
    /// Which pattern this is about.
    pub pattern: usize,
    /// `Δ_i = min_j c_i·(x_i - x_j)` over `j ≠ i`, which without Ψ is `x_i·x_i - max_j x_i·x_j`.
    pub separation: f64,
    /// The pattern that attains the separation, the first of them.
    pub rival: Option<usize>,
    /// Whether one step from the state `c_i` puts the whole weight on pattern `i`, and so returns `c_i`: `Δ_i ≥ m/β`.
    ///
    /// Without Ψ this is the paper's "if and only if" for patterns outside the convex hull of the others. (A pattern
    /// with `Δ_i > 0` is outside of it. One inside may be a fixed point as a blend of others, which is not meant here;
    /// and two identical patterns share the weight, and so are never certified, though their blend is themselves.)
    pub fixed_point: bool,
    /// Whether one step from the stored pattern `x_i` itself returns `c_i`: `x_i·x_i - max_j x_i·x_j ≥ m/β`. Without Ψ
    /// the same as `fixed_point`.
    pub recalled: bool,
    /// The paper's radius around `c_i`, `(Δ_i - m/β) / 2M` with `M` the largest norm of a pattern.
    pub radius_paper: f64,
    /// The largest radius around the state `c_i`: every query within it returns `c_i` in one step. It is
    /// `min_j (c_i·(x_i - x_j) - m/β) / |x_i - x_j|` over `j ≠ i`.
    ///
    /// *Proof.* The ball of radius `r` around `c_i` lies in the polyhedron of queries above if and only if it lies in
    /// each of the half-spaces `q·(x_i - x_j) ≥ m/β`, that is, if and only if `r` is at most the distance of `c_i`
    /// from each of the planes that bound them, and those are the distances of which the minimum is taken. Beyond it,
    /// at the query `c_i - r (x_i - x_j)/|x_i - x_j|` of the nearest plane, the weight is no longer all on pattern
    /// `i`. Since `|x_i - x_j| ≤ 2M`, it is never less than the paper's.
    ///
    /// Zero where there is no room: then `fixed_point` says whether `c_i` itself comes back.
    pub radius_sharp: f64,
    /// The pattern whose plane is nearest; none where the radius is zero or infinite.
    pub boundary: Option<usize>,
    /// The largest radius around the stored pattern `x_i`: every query within it returns `c_i` in one step. It is
    /// `min_j (x_i·(x_i - x_j) - m/β) / |x_i - x_j|`, by the same proof with `x_i` for `c_i`. Without Ψ the same as
    /// `radius_sharp`; zero where there is no room.
    pub radius_pattern: f64,
    /// `|c_i - x_i|`: how far Ψ moves the stored pattern. It is zero if and only if `c_i` equals `x_i` in every
    /// entry, so that what comes back is the stored pattern itself. If Ψ is idempotent and the patterns were
    /// transformed before they were stored, it is zero up to rounding.
    pub moved: f64,
}
