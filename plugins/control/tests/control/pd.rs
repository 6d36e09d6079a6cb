//! The law of the PD controller: Kp·(rₖ − qₖ) + Kd·((rₖ − rₖ₋₁) − (qₖ − qₖ₋₁))/dt.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{JointEfforts, JointTargets};
use bunraku_control::{FeedForward, PdController, VelocityCommands};
use bunraku_physics::{Gains, Teleported};
use bunraku_simulation::{SimulationStep, SimulationSystems};

use crate::common::{Stage, assert_near, motion, sequence, slide};

const KP: f64 = 100.0;
const KD: f64 = 10.0;

fn controller(displacements: Option<&[f64]>) -> PdController {
    let joints = displacements.map(|all| Arc::new(motion(all).joint_displacements.unwrap()));
    PdController::new(&slide(), vec![Gains { proportional: KP, derivative: KD }], joints).unwrap()
}

#[test]
fn the_effort_is_that_of_the_law() {
    let mut stage = Stage::new(controller(Some(&[0.0, 0.05, 0.15, 0.2])));
    // Before the first step reference and slide were where they are now.
    assert_near(&[stage.next_effort()], &[0.0]);
    // The reference has moved by 0.05 m in 0.1 s, the slide has not.
    assert_near(&[stage.next_effort()], &[KP * 0.05 + KD * 0.5]);
    stage.place(0.1);
    assert_near(&[stage.next_effort()], &[KP * (0.15 - 0.1) + KD * (1.0 - 1.0)]);
    stage.place(0.12);
    assert_near(&[stage.next_effort()], &[KP * (0.2 - 0.12) + KD * (0.5 - 0.2)]);
}

#[test]
fn without_a_motion_it_holds_the_displacement_of_the_first_step() {
    let mut stage = Stage::new(controller(None));
    assert_near(&[stage.next_effort()], &[0.0]);
    stage.place(0.02);
    assert_near(&[stage.next_effort()], &[KP * -0.02 + KD * -0.2]);
    assert_near(&[stage.next_effort()], &[KP * -0.02]);
}

#[test]
fn the_reference_moves_within_the_velocity_range() {
    // 1 m/s is 0.1 m in a step, from the displacement of the slide on.
    let mut stage = Stage::new(controller(Some(&[1.0, 1.0, 1.0])));
    assert_near(&[stage.next_effort()], &[KP * 0.1 + KD * 1.0]);
    assert_near(&[stage.next_effort()], &[KP * 0.2 + KD * 1.0]);
}

#[test]
fn it_may_follow_targets_that_a_system_sets() {
    let mut stage = Stage::new(controller(None).following_targets());
    assert_near(&[stage.next_effort()], &[0.0]);
    stage.app.world_mut().get_mut::<JointTargets>(stage.body).unwrap().displacements[0] = 0.05;
    assert_near(&[stage.next_effort()], &[KP * 0.05 + KD * 0.5]);
}

#[test]
fn the_number_of_gains_is_that_of_the_joints() {
    assert!(PdController::new(&slide(), Vec::new(), None).is_err());
}

#[test]
fn a_teleported_body_begins_anew() {
    let mut stage = Stage::new(controller(None));
    stage.step();
    stage.place(1.0);
    let entity = stage.body;
    stage.app.world_mut().trigger(Teleported { entity });
    // Neither a jump of the slide nor the reference from before counts.
    assert_near(&[stage.next_effort()], &[0.0]);
}

#[test]
fn feed_forward_is_added_to_the_effort_of_the_controller() {
    let efforts = FeedForward::new(vec![Some(sequence(&[3.0, 5.0]))]);
    let mut stage = Stage::new((controller(None), efforts.clone()));
    stage.step();
    stage.place(0.02);
    assert_near(&[stage.next_effort()], &[5.0 + KP * -0.02 + KD * -0.2]);
    // Alone it is the effort, in each step anew.
    let mut stage = Stage::new(efforts);
    assert_near(&[stage.next_effort(), stage.next_effort(), stage.next_effort()], &[3.0, 5.0, 5.0]);
}

#[test]
fn a_commanded_velocity_moves_the_reference() {
    let commands = VelocityCommands::new(vec![Some(sequence(&[0.5]))]);
    let mut stage = Stage::new((controller(None), commands));
    // The controller reads the displacement that the steps before have integrated.
    assert_near(&[stage.next_effort()], &[0.0]);
    assert_near(&[stage.next_effort()], &[KP * 0.05 + KD * 0.5]);
    assert_near(&[stage.next_effort()], &[KP * 0.1 + KD * 0.5]);
}

#[test]
fn a_users_controller_has_the_last_word() {
    fn halve(mut bodies: Query<&mut JointEfforts>) {
        for mut efforts in &mut bodies {
            efforts.0[0] *= 0.5;
        }
    }
    let mut stage = Stage::new(controller(None));
    stage.app.add_systems(SimulationStep, halve.in_set(SimulationSystems::Control));
    stage.step();
    stage.place(0.02);
    assert_near(&[stage.next_effort()], &[0.5 * (KP * -0.02 + KD * -0.2)]);
}
