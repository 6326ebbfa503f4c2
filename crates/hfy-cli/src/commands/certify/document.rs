//! What `hfy certify` finds, as JSON names it.

use hfy::certify::{Association, Guarantee, StructuredAssociation, StructuredGuarantee, Summary};
use hfy::{Convex, Map, Post};
use serde::Serialize;

/// Everything that was asked for.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) map: String,
    pub(super) post: String,
    /// What a certificate is about, in words.
    pub(super) definition: String,
    pub(super) beta: f64,
    pub(super) margin: f64,
    pub(super) patterns: usize,
    pub(super) dimension: usize,
    pub(super) summary: Option<Summary>,
    pub(super) share_at: Vec<Share>,
    pub(super) smallest_beta: Vec<Share>,
    pub(super) associations: Vec<AssociationOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) structured: Vec<StructuredOut>,
    pub(super) guarantees: Vec<GuaranteeOut>,
    pub(super) certificates: Vec<PatternOut>,
}

/// So many patterns are fixed points from so large a beta on; at none where it is missing.
#[derive(Debug, Serialize)]
pub(super) struct Share {
    pub(super) beta: Option<f64>,
    pub(super) share: f64,
}

/// The certificate of a pattern, with ids in the place of rows.
#[derive(Debug, Serialize)]
pub(super) struct PatternOut {
    pub(super) id: u64,
    pub(super) label: Option<String>,
    pub(super) separation: f64,
    pub(super) rival: Option<u64>,
    /// Whether one step from the state returns it.
    pub(super) fixed_point: bool,
    /// Whether one step from the stored pattern returns the state.
    pub(super) recalled: bool,
    /// Around the state, as the next.
    pub(super) radius_paper: f64,
    pub(super) radius_sharp: f64,
    pub(super) boundary: Option<u64>,
    /// Around the stored pattern.
    pub(super) radius_pattern: f64,
    /// From the stored pattern to the state.
    pub(super) moved: f64,
}

/// The certificate of an association, with ids.
#[derive(Debug, Serialize)]
pub(super) struct AssociationOut {
    pub(super) members: Vec<u64>,
    pub(super) fixed_point: bool,
    pub(super) lead: f64,
    pub(super) separation: f64,
    pub(super) sufficient: bool,
    pub(super) radius_paper: f64,
    pub(super) radius_sharp: f64,
    pub(super) rival: Option<u64>,
}

/// The certificate of an association under a map over structures, with ids.
#[derive(Debug, Serialize)]
pub(super) struct StructuredOut {
    pub(super) members: Vec<u64>,
    pub(super) fixed_point: bool,
    pub(super) slack: f64,
    pub(super) rival: Option<Vec<u64>>,
    pub(super) separation: f64,
    pub(super) distance_squared: f64,
    pub(super) sufficient: bool,
    pub(super) sufficient_printed: bool,
    pub(super) radius: f64,
    pub(super) radius_printed: f64,
}

/// What one step does with a query.
#[derive(Debug, Serialize)]
pub(super) struct GuaranteeOut {
    pub(super) row: usize,
    /// The pattern, or patterns, that one step is certain to return; the best ones if it is not.
    pub(super) best: Vec<u64>,
    pub(super) label: Option<String>,
    pub(super) exact: bool,
    pub(super) robust: bool,
    /// By how much the best leads; not said of structures, which have only slack.
    pub(super) lead: Option<f64>,
    pub(super) slack: f64,
    /// The pattern, or the patterns of the structure, that come next.
    pub(super) rival: Vec<u64>,
}

/// What one step returns, and from where distances are measured.
fn definition(post: &Post) -> String {
    if Convex::<f64>::is_identity(post) {
        let what = "within the radius of stored pattern x, one step returns x in every entry";
        return format!("{what}; for an association x is the sum of its patterns");
    }
    format!(
        "one step returns the state c = Ψ(x) of stored pattern x, Ψ = {post}, in every entry: from every query within \
         the radius (radius_sharp) of c, and within radius_pattern of x; moved is |c - x|, zero where c is x; for an association x \
         is the sum of its patterns"
    )
}

impl Document {
    pub(super) fn new(map: &Map, post: &Post, beta: f64, margin: f64, (patterns, dimension): (usize, usize)) -> Self {
        Document {
            map: map.to_string(),
            post: post.to_string(),
            definition: definition(post),
            beta,
            margin,
            patterns,
            dimension,
            summary: None,
            share_at: Vec::new(),
            smallest_beta: Vec::new(),
            associations: Vec::new(),
            structured: Vec::new(),
            guarantees: Vec::new(),
            certificates: Vec::new(),
        }
    }

    /// Without the list of patterns, if only the summary is wanted.
    pub(super) fn trimmed(mut self, summary: bool) -> Self {
        if summary {
            self.certificates.clear();
        }
        self
    }
}

impl AssociationOut {
    pub(super) fn new(association: &Association, id: impl Fn(usize) -> u64) -> Self {
        AssociationOut {
            members: association.members.iter().map(|&row| id(row)).collect(),
            fixed_point: association.fixed_point,
            lead: association.lead,
            separation: association.separation,
            sufficient: association.sufficient,
            radius_paper: association.radius_paper,
            radius_sharp: association.radius_sharp,
            rival: association.rival.map(id),
        }
    }
}

impl StructuredOut {
    pub(super) fn new(association: &StructuredAssociation, id: impl Fn(usize) -> u64) -> Self {
        let ids = |rows: &Vec<usize>| rows.iter().map(|&row| id(row)).collect();
        StructuredOut {
            members: ids(&association.members),
            fixed_point: association.fixed_point,
            slack: association.slack,
            rival: association.rival.as_ref().map(ids),
            separation: association.separation,
            distance_squared: association.distance_squared,
            sufficient: association.sufficient,
            sufficient_printed: association.sufficient_printed,
            radius: association.radius,
            radius_printed: association.radius_printed,
        }
    }
}

impl GuaranteeOut {
    pub(super) fn new(row: usize, guarantee: &Guarantee, label: Option<String>, id: impl Fn(usize) -> u64) -> Self {
        GuaranteeOut {
            row,
            best: guarantee.best.iter().map(|&row| id(row)).collect(),
            label,
            exact: guarantee.exact,
            robust: guarantee.robust,
            lead: Some(guarantee.lead),
            slack: guarantee.slack,
            rival: guarantee.rival.into_iter().map(id).collect(),
        }
    }

    pub(super) fn structured(row: usize, guarantee: &StructuredGuarantee, id: impl Fn(usize) -> u64) -> Self {
        GuaranteeOut {
            row,
            best: guarantee.best.iter().map(|&row| id(row)).collect(),
            label: None,
            exact: guarantee.exact,
            robust: false,
            lead: None,
            slack: guarantee.slack,
            rival: guarantee.rival.iter().flatten().map(|&row| id(row)).collect(),
        }
    }
}
