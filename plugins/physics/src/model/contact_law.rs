/// The law of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum ContactLaw {
    /// Surfaces do not penetrate. Contact points are the corners of contact patches.
    #[default]
    Rigid,
    /// The law of Choreonoid's AIST simulator, for comparison: contact points are where surfaces intersect, and surfaces sink to one
    /// depth, independent of load.
    Choreonoid {
        /// Target penetration depth, m; more than 0. Choreonoid's default is [`ContactLaw::CORRECTION_DEPTH`].
        correction_depth: f64,
        /// Rate at which contacts approach that depth, 1/s; not negative.
        correction_velocity_ratio: f64,
    },
}

impl ContactLaw {
    /// Default of Choreonoid, m.
    pub const CORRECTION_DEPTH: f64 = 2.5e-4;
    /// Default of Choreonoid, 1/s.
    pub const CORRECTION_VELOCITY_RATIO: f64 = 5.0;

    /// Choreonoid's law with its defaults.
    pub const CHOREONOID: Self = Self::Choreonoid {
        correction_depth: Self::CORRECTION_DEPTH,
        correction_velocity_ratio: Self::CORRECTION_VELOCITY_RATIO,
    };
}
