//! How two surfaces met in a step.

use bevy_rapier3d::rapier::math::Vector;

/// The most points a contact manifold gives to rapier's solver.
pub(crate) const POINTS: usize = 4;

/// How the points of a contact met, by solver contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meeting {
    /// How fast the surfaces approached each other at the beginning of the step, m/s.
    pub approach: [f32; POINTS],
    /// How far they were apart then, m.
    pub gap: [f32; POINTS],
    /// How the surface of the first runs along itself against that of the second, m/s, world axes.
    pub surface: Vector,
    /// Of the pair.
    pub friction: f32,
    /// Of the pair; 0 if they meet too slowly to bounce.
    pub restitution: f32,
    /// What kind of meeting it is.
    pub kind: MeetingKind,
}

/// How bodies meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MeetingKind {
    /// As what rests or slides.
    #[default]
    Rest,
    /// Faster than what merely rests falls back.
    Impact,
    /// As what rests or slides, but some steps after an impact.
    Aftermath,
}

/// For how many steps after an impact rapier is not trusted with the bodies concerned: it begins its next step with the impulses
/// of the last one, and those of an impact throw a cube aside by some cm/s.
pub(crate) const AFTERMATH: u32 = 10;
