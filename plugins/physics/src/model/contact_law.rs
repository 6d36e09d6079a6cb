/// What surfaces do that touch each other.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum ContactLaw {
    /// They do not pass into each other, and are borne at the corners of what is nearest.
    #[default]
    Rigid,
    /// What Choreonoid's AIST simulator does, to compare with it: surfaces are borne where they cut each other, and sink, whatever they
    /// bear, to one depth.
    Choreonoid {
        /// The depth to which they sink, m; more than 0. Choreonoid's own is [`ContactLaw::CORRECTION_DEPTH`].
        correction_depth: f64,
        /// How much of what is missing to that depth, or too much, is made good in a second, 1/s; not negative.
        correction_velocity_ratio: f64,
    },
}

impl ContactLaw {
    /// Of Choreonoid where a project does not say otherwise, m.
    pub const CORRECTION_DEPTH: f64 = 2.5e-4;
    /// The same, 1/s.
    pub const CORRECTION_VELOCITY_RATIO: f64 = 5.0;

    /// Choreonoid's with its own values.
    pub const CHOREONOID: Self = Self::Choreonoid {
        correction_depth: Self::CORRECTION_DEPTH,
        correction_velocity_ratio: Self::CORRECTION_VELOCITY_RATIO,
    };
}
