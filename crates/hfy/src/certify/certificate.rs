/// What is guaranteed for one stored pattern.
///
/// With a post-transformation Ψ the state that one step returns is `c_i = ŷ_Ψ(x_i)`; without one `c_i = x_i`.
///
/// The state `c_i` comes back from every query `q` in the polyhedron `q·(x_i - x_j) ≥ m/β` for all `j ≠ i`, and from no
/// other: that is what a margin says of the scores `β X q`.
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
    /// Whether one step from `c_i` puts the whole weight on pattern `i`, and so returns `c_i`: `Δ_i ≥ m/β`.
    ///
    /// Without Ψ this is the paper's "if and only if" for patterns outside the convex hull of the others. (A pattern with
    /// `Δ_i > 0` is outside of it. One inside may be a fixed point as a blend of others, which is not meant here; and two
    /// identical patterns share the weight, and so are never certified, though their blend is themselves.)
    pub fixed_point: bool,
    /// The paper's radius, `(Δ_i - m/β) / 2M` with `M` the largest norm of a pattern.
    pub radius_paper: f64,
    /// The largest radius: `min_j (c_i·(x_i - x_j) - m/β) / |x_i - x_j|` over `j ≠ i`.
    ///
    /// *Proof.* The ball of radius `r` around `c_i` lies in the polyhedron of queries that return `c_i` if and only if it
    /// lies in each of the half-spaces `q·(x_i - x_j) ≥ m/β`, that is, if and only if `r` is at most the distance of
    /// `c_i` from each of the planes that bound them, and those are the distances of which the minimum is taken. Beyond
    /// it, the query `c_i - r (x_i - x_j)/|x_i - x_j|` of the nearest plane is lost. Since `|x_i - x_j| ≤ 2M`, it is never
    /// less than the paper's.
    ///
    /// Zero where there is no room: then `fixed_point` says whether `c_i` itself comes back.
    pub radius_sharp: f64,
    /// The pattern whose plane is nearest; none where the radius is zero or infinite.
    pub boundary: Option<usize>,
    /// `|c_i - x_i|`: how far the post-transformation moves the stored pattern. Zero without one. If Ψ is idempotent and the
    /// patterns were transformed before they were stored, it is zero up to rounding, and the pattern itself comes back.
    pub moved: f64,
}
