//! Writing new tasks: patterns with parameters to adjust.

mod builder;
mod patterns;

use crate::model::Task;
use crate::writer::{Comments, write_commented};

/// A pattern of motion.
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

/// The text of a new task file with comments, ready to be run on the arm of `assets` and to be adjusted. The models of the
/// objects are looked for in `models`, relative to the task file.
pub fn new_task(pattern: Pattern, name: &str, models: &str) -> String {
    let (task, comments) = patterns::build(pattern, name, models);
    write_commented(&task, &comments)
}

/// The same as a [`Task`].
pub fn design(pattern: Pattern, name: &str, models: &str) -> Task {
    patterns::build(pattern, name, models).0
}
