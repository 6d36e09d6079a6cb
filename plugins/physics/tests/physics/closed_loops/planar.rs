//! Loops in a plane.

use super::mechanism::{Bar, Mechanism, Motor, bar, extra, links};
use super::run::{check, compare};

const SECONDS: f64 = 1.2;

const Z: [f64; 3] = [0.0, 0.0, 1.0];
const ORIGIN: [f64; 3] = [0.0; 3];

/// Crank 0.1 m, coupler 0.4 m, rocker 0.3 m, frame 0.4 m: the crank turns all the way round (Grashof: 0.1 + 0.4 < 0.4 +
/// 0.3).
fn four_bar_onto_base(name: &'static str, kind: &str) -> Mechanism {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.1),
        bar("COUPLER", "CRANK", [0.1, 0.0, 0.0], 0.4),
        bar("ROCKER", "COUPLER", [0.4, 0.0, 0.0], 0.3),
    ];
    let ends = [extra(kind, Z, ("BASE", [0.4, 0.0, 0.0]), ("ROCKER", [0.3, 0.0, 0.0]))];
    Mechanism::new(name, &links(&bars), &ends, &[1.0, 0.0, -1.5], Motor::Crank(0.5))
}

#[test]
fn a_four_bar_closed_onto_its_base_turns_as_with_rapiers_step() {
    compare(&four_bar_onto_base("four-bar, hinge onto base", "hinge"), SECONDS, 0.02);
    check(&four_bar_onto_base("four-bar, ball onto base", "ball"), SECONDS);
}

#[test]
fn a_four_bar_closed_between_moving_links_turns() {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.1),
        bar("COUPLER", "CRANK", [0.1, 0.0, 0.0], 0.4),
        bar("ROCKER", "BASE", [0.4, 0.0, 0.0], 0.3),
    ];
    let ends = [extra("hinge", Z, ("ROCKER", [0.3, 0.0, 0.0]), ("COUPLER", [0.4, 0.0, 0.0]))];
    let name = "four-bar, hinge between links";
    check(&Mechanism::new(name, &links(&bars), &ends, &[1.0, 0.0, 1.5], Motor::Crank(0.5)), SECONDS);
}

#[test]
fn a_parallelogram_passes_its_singular_pose() {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.15),
        bar("COUPLER", "CRANK", [0.15, 0.0, 0.0], 0.4),
        bar("ROCKER", "COUPLER", [0.4, 0.0, 0.0], 0.15),
    ];
    let ends = [extra("hinge", Z, ("BASE", [0.4, 0.0, 0.0]), ("ROCKER", [0.15, 0.0, 0.0]))];
    let start = [1.0, -1.0, 1.0 + std::f64::consts::PI];
    let mechanism = Mechanism::new("parallelogram, hinge", &links(&bars), &ends, &start, Motor::Crank(0.5));
    check(&mechanism, SECONDS);
}

#[test]
fn a_parallelogram_with_a_third_crank_turns() {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.15),
        bar("COUPLER", "CRANK", [0.15, 0.0, 0.0], 0.4),
        bar("SECOND", "BASE", [0.4, 0.0, 0.0], 0.15),
        bar("THIRD", "BASE", [0.2, 0.0, 0.0], 0.15),
    ];
    let ends = [
        extra("hinge", Z, ("COUPLER", [0.4, 0.0, 0.0]), ("SECOND", [0.15, 0.0, 0.0])),
        extra("hinge", Z, ("COUPLER", [0.2, 0.0, 0.0]), ("THIRD", [0.15, 0.0, 0.0])),
    ];
    let start = [1.0, -1.0, 1.0, 1.0];
    let mechanism = Mechanism::new("parallelogram, three cranks", &links(&bars), &ends, &start, Motor::Crank(0.5));
    check(&mechanism, SECONDS);
}

#[test]
fn a_slider_crank_closed_by_a_piston_turns() {
    let block = Bar { mass: 0.3, ..bar("BLOCK", "ROD", [0.3, 0.0, 0.0], 0.1) };
    let bars = [bar("CRANK", "BASE", ORIGIN, 0.1), bar("ROD", "CRANK", [0.1, 0.0, 0.0], 0.3), block];
    let ends = [extra("piston", [1.0, 0.0, 0.0], ("BASE", ORIGIN), ("BLOCK", ORIGIN))];
    check(&Mechanism::new("slider-crank, piston", &links(&bars), &ends, &[1.0, -1.2, 0.2], Motor::Crank(0.5)), SECONDS);
}

/// A four-bar whose rocker drives a second one: the loops share a link, and the second is closed onto the base too.
#[test]
fn two_nested_loops_turn() {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.1),
        bar("COUPLER", "CRANK", [0.1, 0.0, 0.0], 0.4),
        bar("ROCKER", "COUPLER", [0.4, 0.0, 0.0], 0.3),
        bar("ROD", "ROCKER", [0.15, 0.0, 0.0], 0.3),
        bar("LEVER", "ROD", [0.3, 0.0, 0.0], 0.25),
    ];
    let ends = [
        extra("hinge", Z, ("BASE", [0.4, 0.0, 0.0]), ("ROCKER", [0.3, 0.0, 0.0])),
        extra("hinge", Z, ("BASE", [0.7, 0.0, 0.0]), ("LEVER", [0.25, 0.0, 0.0])),
    ];
    let start = [1.0, 0.0, -1.5, 1.2, -1.2];
    check(&Mechanism::new("two nested loops, hinges", &links(&bars), &ends, &start, Motor::Crank(0.5)), SECONDS);
}

/// A four-bar with a roll joint in its coupler, which only the loop keeps from rolling. With the crank along the frame, the
/// far end lies on the axis of the roll: the row of the hinge along its axis moves nothing there, and does elsewhere.
#[test]
fn a_loop_may_start_where_one_of_its_rows_moves_nothing() {
    let bars = [
        bar("CRANK", "BASE", ORIGIN, 0.1),
        Bar { axis: [1.0, 0.0, 0.0], ..bar("ROLL", "CRANK", [0.1, 0.0, 0.0], 0.1) },
        bar("COUPLER", "ROLL", ORIGIN, 0.4),
        bar("ROCKER", "COUPLER", [0.4, 0.0, 0.0], 0.3),
    ];
    let ends = [extra("hinge", Z, ("BASE", [0.4, 0.0, 0.0]), ("ROCKER", [0.3, 0.0, 0.0]))];
    let start = [0.0, 0.0, 1.0, -1.5];
    let mechanism = Mechanism::new("four-bar with a roll, hinge", &links(&bars), &ends, &start, Motor::Crank(0.5));
    check(&mechanism, SECONDS);
}

/// OpenHRP's way to close a slider-crank: the end of the rod stays on a line, or in a plane mechanism on a plane.
#[test]
fn a_slider_crank_closed_by_a_point_turns() {
    let bars = [bar("CRANK", "BASE", ORIGIN, 0.1), bar("ROD", "CRANK", [0.1, 0.0, 0.0], 0.3)];
    for (name, kind, axis) in [
        ("slider-crank, point on line", "point_on_line", [1.0, 0.0, 0.0]),
        ("slider-crank, point on plane", "point_on_plane", [0.0, 1.0, 0.0]),
    ] {
        let ends = [extra(kind, axis, ("BASE", ORIGIN), ("ROD", [0.3, 0.0, 0.0]))];
        check(&Mechanism::new(name, &links(&bars), &ends, &[1.0, -1.2], Motor::Crank(0.5)), SECONDS);
    }
}
