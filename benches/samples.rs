//! The cost of Choreonoid's samples with many contacts: a wall of boxes that falls, and rag dolls.
//!
//! ```text
//! BUNRAKU_SHARE=…/share cargo bench --profile dev --bench samples
//! ```
//!
//! The directory `sample` of Choreonoid must be beside `share`. Nothing is recorded.

#![allow(clippy::print_stdout, missing_docs)]

mod common;

use bunraku::physics::{ContactLaw, JointSolver};
use bunraku::prelude::*;
use common::Trial;

const ROUNDS: usize = 3;
/// Rapier's step tears the rag doll apart.
const OF_ONE_SOLVER: &str = "Ragdoll.cnoid";
const PROJECTS: [&str; 2] = ["Blocks.cnoid", OF_ONE_SOLVER];
/// Steps, from the beginning: everything falls, and lies.
const STEPS: u32 = 3000;

fn main() {
    let mut runs: Vec<(&str, Scene)> = Vec::new();
    for project in PROJECTS {
        let Some(scene) = common::scenes::sample(project) else {
            println!("{project} is not there");
            continue;
        };
        // With the contact law that the project requests, and with rigid contacts.
        let own = scene.parameters.contacts;
        let settings =
            [(JointSolver::Impulse, own), (JointSolver::Multibody, own), (JointSolver::Multibody, ContactLaw::Rigid)];
        let settings =
            settings.into_iter().filter(|(joints, _)| *joints == JointSolver::Multibody || project != OF_ONE_SOLVER);
        runs.extend(settings.map(|(joints, contacts)| {
            let mut scene = scene.clone();
            scene.duration = None;
            (scene.parameters.joints, scene.parameters.contacts) = (joints, contacts);
            (project, scene)
        }));
    }
    let trials: Vec<Trial<'_>> = runs.iter().map(|(project, scene)| trial(project, scene)).collect();
    let timings = common::take_turns(&trials, ROUNDS);
    common::print_table(&trials, &timings);
}

fn trial<'a>(project: &str, scene: &'a Scene) -> Trial<'a> {
    let moving = scene.bodies.iter().filter(|body| body.drive.of_body() == Drive::Physics);
    Trial {
        name: match scene.parameters.contacts {
            ContactLaw::Rigid => format!("{project}, rigid"),
            ContactLaw::Choreonoid { .. } => project.to_owned(),
        },
        bodies: moving.clone().count(),
        joints: moving.map(|body| body.body.num_joints()).sum(),
        solver: scene.parameters.joints,
        settling: 0,
        steps: STEPS,
        build: Box::new(|world| {
            scene.spawn(world);
        }),
        finish: None,
    }
}
