//! The patterns, in the style of the manual's example. They differ in how the object is put down.

use super::builder::Builder;
use super::pattern::Pattern;
use crate::model::{ActionKind, Frame, ParameterValue, Task};
use crate::writer::Comments;

/// Poses of the objects of the patterns: on the table of `assets`, 0.8 m high, to the left and right in front of the
/// arm.
pub(crate) const PICK: [f64; 6] = [0.4, 0.2, 0.84, 0.0, 0.0, 0.0];
pub(crate) const PLACE: [f64; 6] = [0.4, -0.2, 0.84, 0.0, 0.0, 0.0];

/// Distance of the tool from the middle of the object that it grips, m.
pub(crate) const GRASP_DISTANCE: f64 = 0.18;
/// The tool in the frame of the object when it grips it from above.
pub(crate) const GRASP: Frame = Frame([0.0, 0.0, GRASP_DISTANCE, 0.0, -90.0, 0.0]);
/// Width of the object between the fingers, and its height, m.
pub(crate) const OBJECT_WIDTH: f64 = 0.04;
pub(crate) const OBJECT_HEIGHT: f64 = 0.08;

/// Offset zero: the frame itself.
const AT: &str = "[0, 0, 0, 0, 0, 0]";
const OPEN: &str = "finger_interval + 0.04";
const CLOSED: &str = "finger_interval";
const OBJECT: &str = "picked_obj";

pub(super) fn build(pattern: Pattern, name: &str, models: &str) -> (Task, Comments) {
    match pattern {
        Pattern::PickPlace => pick_place(name, models),
        Pattern::PlaceOn => place_on(name, models),
        Pattern::ScrewIn => screw_in(name, models),
        Pattern::Hold => hold(name, models),
    }
}

fn above(height: f64) -> ParameterValue {
    ParameterValue::Frame(Frame([0.0, 0.0, height, 0.0, 0.0, 0.0]))
}

/// Beginning of every pattern: an object, its grasp, and the approach.
fn pick(name: &str, comment: &str, models: &str, top: &[&str]) -> Builder {
    let mut task = Builder::new(name, comment);
    task.comments.top = top.iter().map(|line| (*line).to_owned()).collect();
    let common = [
        "",
        "A frame is [x, y, z, roll, pitch, yaw] in m and degrees; what is above an object is so along its own Z axis.",
        "Adjust `parameters` and the `pos` of `models`; the states follow from them. Times (`tm`) are in s.",
    ];
    task.comments.top.extend(common.map(str::to_owned));
    task.master("block", format!("{models}block.body"), &[("top", "origin + [0, 0, 0.08, 0, 0, 0]")]);
    task.model(OBJECT, "block", PICK);
    task.bound("pickF", OBJECT, None, "where the object is: follows the model as it is carried");
    task.parameter("approachTF", above(0.05), "from where the tool approaches the object, in its frame");
    task.parameter(
        "graspF",
        ParameterValue::Frame(GRASP),
        "the tool in the frame of the object when it grips it: 0.18 m above, pointing down",
    );
    task.parameter(
        "finger_interval",
        ParameterValue::Double(OBJECT_WIDTH),
        "distance between the fingers on the object, m",
    );
    task.parameter("handID", ParameterValue::Integer(0), "which arm and gripper: 0 left or only one, 1 right");
    task.grip(OPEN, None, "open the fingers");
    task.move_linear("pickF", "approachTF", 1.0, "go above the object");
    task.move_linear("pickF", AT, 0.5, "go down to it");
    task.grip(
        CLOSED,
        Some((ActionKind::Attach, OBJECT)),
        "close the fingers; the object goes with the hand from now on",
    );
    task
}

fn pick_place(name: &str, models: &str) -> (Task, Comments) {
    let top = ["Picks an object up and puts it down somewhere else."];
    let mut task = pick(name, "pick an object up and put it down", models, &top);
    retract(&mut task);
    task.parameter("placeF", ParameterValue::Frame(Frame(PLACE)), "where the object is put down, in the world");
    put_down(&mut task, "placeF");
    task.finish()
}

fn place_on(name: &str, models: &str) -> (Task, Comments) {
    let top = ["Picks an object up and puts it down on another one."];
    let mut task = pick(name, "pick an object up and put it down on another", models, &top);
    retract(&mut task);
    task.model("target_obj", "block", PLACE);
    task.bound("placeF", "target_obj", Some(0), "where the object is put down: the feature `top` of the target");
    put_down(&mut task, "placeF");
    task.finish()
}

fn screw_in(name: &str, models: &str) -> (Task, Comments) {
    const STROKES: usize = 2;
    let top = ["Picks an object up, puts it on another one and screws it in."];
    let mut task = pick(name, "pick an object up, put it on another and screw it in", models, &top);
    retract(&mut task);
    task.model("target_obj", "block", PLACE);
    task.bound("placeF", "target_obj", Some(0), "where the object is put on: the feature `top` of the target");
    task.parameter("approachF1", above(0.05), "from where the object is brought, in the frame of the place");
    let turn = ParameterValue::Frame(Frame([0.0, 0.0, 0.0, 0.0, 0.0, -45.0]));
    task.parameter("turnF", turn, "a stroke: how far the hand turns, about the Z axis of the place");
    task.parameter("retractF1", above(0.05), "where the hand goes from the object, in the frame of the place");
    task.move_linear("placeF", "approachF1", 1.0, "bring the object above the place");
    task.move_linear("placeF", AT, 0.5, "put it on");
    for stroke in 1..=STROKES {
        task.move_linear("placeF", "turnF", 0.5, &format!("stroke {stroke}: turn"));
        task.grip(OPEN, Some((ActionKind::Detach, OBJECT)), "let the object go");
        if stroke < STROKES {
            task.move_linear("placeF", AT, 0.5, "turn back without it");
            task.grip(CLOSED, Some((ActionKind::Attach, OBJECT)), "grip it again");
        }
    }
    task.move_linear("placeF", "retractF1", 1.0, "go up");
    task.go_initial("go back");
    task.finish()
}

fn hold(name: &str, models: &str) -> (Task, Comments) {
    let top = ["Grips an object and holds it, for something that another hand does."];
    pick(name, "hold an object during some manipulation by another hand", models, &top).finish()
}

/// Lifts the object.
fn retract(task: &mut Builder) {
    task.parameter("retractTF", above(0.05), "where the tool lifts the object to, in the frame it is picked up at");
    task.move_linear("pickF", "retractTF", 1.0, "lift the object");
}

/// Puts the object down at a frame, releases it, and returns.
fn put_down(task: &mut Builder, frame: &str) {
    task.parameter("approachF1", above(0.05), "from where the object is brought, in the frame of the place");
    task.parameter("retractF1", above(0.05), "where the hand goes from the object, in the frame of the place");
    task.move_linear(frame, "approachF1", 1.0, "bring the object above the place");
    task.move_linear(frame, AT, 0.5, "put it down");
    task.grip(OPEN, Some((ActionKind::Detach, OBJECT)), "open the fingers; the object stays where it is");
    task.move_linear(frame, "retractF1", 1.0, "go up");
    task.go_initial("go back");
}
