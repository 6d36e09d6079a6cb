//! Where the time of a step goes: systems that read the wall clock stand between the sets of the schedule.

use std::time::{Duration, Instant};

use bevy::prelude::*;
use bunraku::control::FollowReferences;
use bunraku::physics::PhysicsSystems;
use bunraku::prelude::*;

/// Parts of the time that a run took; everything else is reading back, recording and the schedule itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Split {
    /// Our own controllers.
    pub control: Duration,
    /// Rapier's pipeline.
    pub pipeline: Duration,
}

/// Time spent in each part, and when the part that is running began.
#[derive(Resource)]
struct Stopwatch {
    since: Instant,
    split: Split,
}

/// What the part that ends now was.
#[derive(Clone, Copy)]
enum Part {
    Control,
    Pipeline,
    Rest,
}

fn lap(part: Part) -> impl Fn(ResMut<Stopwatch>) {
    move |mut watch| {
        let now = Instant::now();
        let spent = now - watch.since;
        watch.since = now;
        match part {
            Part::Control => watch.split.control += spent,
            Part::Pipeline => watch.split.pipeline += spent,
            Part::Rest => {}
        }
    }
}

pub fn install(app: &mut App) {
    app.insert_resource(Stopwatch { since: Instant::now(), split: Split::default() });
    app.add_systems(
        SimulationStep,
        (
            lap(Part::Rest).after(SimulationSystems::TakeIn).before(FollowReferences),
            lap(Part::Control).after(FollowReferences).before(SimulationSystems::Control),
            lap(Part::Rest).after(PhysicsSystems::LeadDrivenBodies).before(PhysicsSystems::Pipeline),
            lap(Part::Pipeline).after(PhysicsSystems::Pipeline).before(PhysicsSystems::ReadStates),
        )
            .chain(),
    );
}

pub fn restart(app: &mut App, now: Instant) {
    app.insert_resource(Stopwatch { since: now, split: Split::default() });
}

pub fn read(app: &App) -> Split {
    app.world().get_resource::<Stopwatch>().map_or_else(Split::default, |watch| watch.split)
}
