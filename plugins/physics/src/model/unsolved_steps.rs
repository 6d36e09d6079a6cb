use bevy::prelude::*;

/// In how many steps so far our own solver has not come to its tolerance within the sweeps allowed, or motors at their limits were not
/// settled. Such a step counts all the same; many of them are a sign that something is not simulated well.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct UnsolvedSteps(pub u64);
