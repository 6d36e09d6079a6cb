/// A direction from which the camera looks at its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From +X.
    Front,
    /// From +Y.
    Left,
    /// From +Z, with +Y up in the picture.
    Top,
    /// From the front right, slightly above.
    Aslant,
}

impl Side {
    /// All sides, in the order of their keys.
    pub const ALL: [Self; 4] = [Self::Front, Self::Left, Self::Top, Self::Aslant];

    /// Name in menus.
    pub fn label(self) -> &'static str {
        match self {
            Self::Front => "From the front",
            Self::Left => "From the left",
            Self::Top => "From above",
            Self::Aslant => "Aslant",
        }
    }

    /// Name in options.
    pub fn word(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Left => "left",
            Self::Top => "top",
            Self::Aslant => "aslant",
        }
    }
}
