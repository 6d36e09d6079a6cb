/// Pattern of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// An object is picked up and put down at a frame.
    PickPlace,
    /// An object is picked up and put down on another one.
    PlaceOn,
    /// A cap is picked up, put on and screwed in, in two strokes.
    ScrewIn,
    /// An object is gripped and held.
    Hold,
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Self; 4] = [Self::PickPlace, Self::PlaceOn, Self::ScrewIn, Self::Hold];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PickPlace => "pick-place",
            Self::PlaceOn => "place-on",
            Self::ScrewIn => "screw-in",
            Self::Hold => "hold",
        }
    }

    /// The pattern with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.name() == name)
    }
}
