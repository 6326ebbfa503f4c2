//! The two texts that a pattern may carry.

/// Which text of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Label,
    Metadata,
}

impl Kind {
    pub(crate) const ALL: [Kind; 2] = [Kind::Label, Kind::Metadata];

    /// The tensor of the places where texts begin.
    pub(crate) const fn offsets(self) -> &'static str {
        match self {
            Kind::Label => "labels.offsets",
            Kind::Metadata => "metadata.offsets",
        }
    }

    /// The tensor of the texts, one after the other.
    pub(crate) const fn bytes(self) -> &'static str {
        match self {
            Kind::Label => "labels.bytes",
            Kind::Metadata => "metadata.bytes",
        }
    }
}
