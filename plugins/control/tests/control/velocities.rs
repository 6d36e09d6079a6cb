//! Velocities that are commanded and integrated.

use bunraku_control::VelocityCommands;
use bunraku_physics::JointLimits;

use crate::common::{Stage, assert_near, sequence};

fn commands(velocities: &[f64]) -> VelocityCommands {
    VelocityCommands::new(vec![Some(sequence(velocities))])
}

#[test]
fn targets_are_the_integral_of_the_velocities_from_the_displacement_on() {
    let mut stage = Stage::new(commands(&[0.5, 0.2, 0.2]));
    stage.place(1.0);
    assert_near(&stage.next_target(), &[1.05, 0.5]);
    assert_near(&stage.next_target(), &[1.07, 0.2]);
    // Where the slide really is does not matter any more.
    stage.place(0.0);
    assert_near(&stage.next_target(), &[1.09, 0.2]);
}

#[test]
fn velocities_stay_within_the_range_of_the_joint() {
    assert_near(&Stage::new(commands(&[3.0])).next_target(), &[0.1, 1.0]);
    assert_near(&Stage::new(commands(&[-3.0])).next_target(), &[-0.1, -1.0]);
}

#[test]
fn displacements_end_at_their_range_if_limits_are_enforced() {
    for (limits, expected) in [(JointLimits::Report, [2.05, 1.0]), (JointLimits::Enforce, [1.95, 0.0])] {
        let mut stage = Stage::new((commands(&[1.0]), limits));
        stage.place(1.95);
        assert_near(&stage.next_target(), &expected);
    }
    // From outside it moves back.
    let mut stage = Stage::new((commands(&[-1.0]), JointLimits::Enforce));
    stage.place(2.5);
    assert_near(&stage.next_target(), &[2.4, -1.0]);
}
