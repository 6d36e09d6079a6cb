//! Systems of users beside ours.

use bevy::prelude::*;
use bunraku_physics::PhysicsSystems;
use bunraku_simulation::SimulationStep;

use crate::common::{World, for_both_solvers};

#[derive(Resource, Default)]
struct Ran([u32; 4]);

#[test]
fn they_run_in_every_set_though_ours_there_have_nothing_to_do() {
    for_both_solvers(|solver| {
        let mut world = World::usual().with_joints(solver);
        world.app.init_resource::<Ran>();
        let sets = [
            PhysicsSystems::MoveKinematicBodies,
            PhysicsSystems::Pipeline,
            PhysicsSystems::ReadStates,
            PhysicsSystems::MeasureJoints,
        ];
        for (number, set) in sets.into_iter().enumerate() {
            let note = move |mut ran: ResMut<Ran>| ran.0[number] += 1;
            world.app.add_systems(SimulationStep, note.in_set(set));
        }
        world.run(5);
        assert_eq!(world.app.world().resource::<Ran>().0, [5; 4]);
    });
}
