//! A platform on six legs.

use std::f64::consts::TAU;

use super::mechanism::{Bar, Mechanism, Motor, bar, extra, links};
use super::run::check;

const SECONDS: f64 = 0.2;

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// Names of the links of a leg: two hinges at the foot and a slide.
const LEGS: [[&str; 3]; 6] = [
    ["L0", "M0", "S0"],
    ["L1", "M1", "S1"],
    ["L2", "M2", "S2"],
    ["L3", "M3", "S3"],
    ["L4", "M4", "S4"],
    ["L5", "M5", "S5"],
];

fn on_circle(radius: f64, angle: f64) -> [f64; 3] {
    [radius * angle.cos(), radius * angle.sin(), 0.0]
}

#[test]
fn a_platform_on_six_legs_moves() {
    // Pairs of feet and of tops, so that neighbouring legs lean towards each other.
    let pair = |leg: usize| TAU / 6.0 * (leg / 2 * 2) as f64;
    let side = |leg: usize| if leg.is_multiple_of(2) { -1.0 } else { 1.0 };
    let foot = |leg: usize| on_circle(0.4, pair(leg) + 0.2 * side(leg));
    let top = |leg: usize| on_circle(0.25, pair(leg) + (TAU / 6.0 - 0.2) * side(leg));
    let knuckle = |name, parent, at, axis| Bar { axis, thickness: 0.1, mass: 0.5, ..bar(name, parent, at, 0.0) };
    let mut bars = Vec::new();
    let mut guess = Vec::new();
    for (leg, [lower, middle, slide]) in LEGS.into_iter().enumerate() {
        bars.push(knuckle(lower, "BASE", foot(leg), X));
        bars.push(knuckle(middle, lower, [0.0; 3], Y));
        bars.push(Bar { joint: "prismatic", axis: Z, thickness: 0.1, mass: 0.5, ..bar(slide, middle, [0.0; 3], 0.0) });
        let [from, to] = [foot(leg), top(leg)];
        let (x, y, z): (f64, f64, f64) = (to[0] - from[0], to[1] - from[1], 0.5);
        let length = (x * x + y * y + z * z).sqrt();
        guess.extend([(-y).atan2(z), (x / length).asin(), length]);
        if leg == 0 {
            // A ball of three hinges, X, Y, Z, that undoes how the leg leans.
            bars.push(knuckle("N0", slide, [0.0; 3], Y));
            bars.push(knuckle("N1", "N0", [0.0; 3], X));
            bars.push(knuckle("N2", "N1", [0.0; 3], Z));
            guess.extend([-guess[1], -guess[0], 0.0]);
        }
    }
    // The platform is the last part of the first leg; the other legs are joined to it by balls.
    let anchor = |leg: usize| {
        let [own, other] = [top(0), top(leg)];
        [other[0] - own[0], other[1] - own[1], 0.0]
    };
    let center = [-top(0)[0], -top(0)[1], 0.0];
    let mut texts = links(&bars);
    texts.push(format!(
        "  - {{ name: PLATFORM, parent: N2, joint_type: fixed, mass: 3, center_of_mass: {center:?}, inertia: [ 0.06, 0, 0, 0.06, 0, \
         0.12 ] }}\n"
    ));
    let ends: Vec<_> =
        (1..6).map(|leg| extra("ball", Z, ("PLATFORM", anchor(leg)), (LEGS[leg][2], [0.0; 3]))).collect();
    let motor = Motor::Legs { spring: 4000.0, stroke: 0.03 };
    let mechanism = Mechanism::new("platform on six legs, balls", &texts, &ends, &guess, motor);
    check(&mechanism, SECONDS);
}
