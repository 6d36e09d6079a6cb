//! Loops in space.

use crate::mechanism::{Bar, Mechanism, Motor, bar, extra, links};
use crate::run::check;

const SECONDS: f64 = 1.5;

/// Two arms of four hinges each, about axes that are nowhere parallel, hold hands.
fn two_arms(name: &'static str, kind: &str) -> Mechanism {
    let hinge = |name, parent, at, axis| Bar { axis, ..bar(name, parent, at, 0.3) };
    let end = [0.3, 0.0, 0.0];
    let bars = [
        hinge("A1", "BASE", [0.0, 0.0, 0.0], [0.1, 0.2, 1.0]),
        hinge("A2", "A1", end, [0.2, 1.0, -0.3]),
        hinge("A3", "A2", end, [-0.2, 0.9, 0.5]),
        hinge("A4", "A3", end, [1.0, 0.3, 0.4]),
        hinge("B1", "BASE", [0.8, 0.1, 0.0], [0.3, -0.1, 1.0]),
        hinge("B2", "B1", end, [0.1, 1.0, 0.2]),
        hinge("B3", "B2", end, [0.3, 0.8, -0.6]),
        hinge("B4", "B3", end, [1.0, -0.4, 0.2]),
    ];
    let ends = [extra(kind, [0.0, 1.0, 0.0], ("A4", end), ("B4", end))];
    let guess = [0.3, -0.8, 0.6, 0.2, 2.6, -0.7, 0.5, -0.2];
    Mechanism::new(name, &links(&bars), &ends, &guess, Motor::Sway { torque: 3.0, spring: 8.0 })
}

#[test]
fn two_arms_joined_by_a_ball_sway() {
    check(&two_arms("4 + 4 hinges, ball", "ball"), SECONDS);
}

#[test]
fn two_arms_joined_by_a_hinge_sway() {
    check(&two_arms("4 + 4 hinges, hinge", "hinge"), SECONDS);
}
