//! Handles that move and turn a body: arrows along the axes of the world, and rings about them.

use bevy::prelude::Entity;
use bevy_egui::egui::{Color32, Id, PointerButton, Pos2, Response, Shape, Stroke, Ui, Vec2};
use bunraku_scene::HandAct;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::view::Request;

/// Handles of a body, as seen in the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Handles {
    /// Body entity.
    pub body: Entity,
    /// Pose of its root, world frame.
    pub pose: Isometry3<f64>,
    /// Length of the arrows, m.
    pub length: f64,
    /// Point of the window where the root is.
    pub center: Pos2,
    /// Tips of the arrows along +X, +Y and +Z.
    pub tips: [Pos2; 3],
    /// Closed lines of the rings about X, Y and Z.
    pub rings: [Vec<Pos2>; 3],
    /// 1 if the axis points towards the camera, otherwise −1.
    pub facing: [f64; 3],
}

/// The handle that the pointer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grab {
    Move(usize),
    Turn(usize),
}

/// Distance from a handle within which the pointer takes hold of it, points.
const REACH: f32 = 7.0;
/// Arrows shorter than this point at the camera and cannot be dragged, points.
const LEAST_ARROW: f32 = 12.0;
const COLORS: [Color32; 3] =
    [Color32::from_rgb(219, 51, 46), Color32::from_rgb(64, 166, 56), Color32::from_rgb(51, 107, 230)];

/// Draws the handles, and moves the body by a drag on them. Returns whether the pointer holds one, so that the drag does
/// not turn the camera.
pub fn show(ui: &mut Ui, view: &Response, handles: Option<&Handles>, requests: &mut Vec<Request>) -> bool {
    let memory = Id::new("held handle");
    let Some(handles) = handles else {
        ui.data_mut(|data| data.remove::<Grab>(memory));
        return false;
    };
    let pressed = ui.input(|input| input.pointer.press_origin());
    let mut held = ui.data(|data| data.get_temp::<Grab>(memory));
    if view.drag_started_by(PointerButton::Primary) {
        let is_plain = ui.input(|input| input.modifiers.is_none());
        held = pressed.filter(|_| is_plain).and_then(|point| handles.hit(point));
    }
    if !view.dragged_by(PointerButton::Primary) {
        held = None;
    }
    ui.data_mut(|data| match held {
        Some(grab) => {
            data.insert_temp(memory, grab);
        }
        None => data.remove::<Grab>(memory),
    });
    let hovered = held.or_else(|| view.hover_pos().and_then(|point| handles.hit(point)));
    handles.draw(ui, hovered);
    if let (Some(grab), Some(pointer)) = (held, view.interact_pointer_pos()) {
        requests.extend(handles.dragged(grab, pointer, view.drag_delta()));
    }
    held.is_some()
}

impl Handles {
    /// The handle at a point of the window; arrows before rings.
    fn hit(&self, point: Pos2) -> Option<Grab> {
        let arrows = (0..3).filter(|axis| (self.tips[*axis] - self.center).length() >= LEAST_ARROW);
        // Not at the centre, where all arrows begin.
        let distance = |axis: usize| to_segment(point, self.center.lerp(self.tips[axis], 0.3), self.tips[axis]);
        let arrow = arrows.map(|axis| (distance(axis), axis)).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, axis)) = arrow.filter(|(distance, _)| *distance <= REACH) {
            return Some(Grab::Move(axis));
        }
        let to_ring = |ring: &[Pos2]| {
            let pairs = ring.iter().zip(ring.iter().cycle().skip(1));
            pairs.map(|(from, to)| to_segment(point, *from, *to)).fold(f32::INFINITY, f32::min)
        };
        let rings = self.rings.iter().enumerate().map(|(axis, ring)| (to_ring(ring), axis));
        let ring = rings.min_by(|a, b| a.0.total_cmp(&b.0));
        ring.filter(|(distance, _)| *distance <= REACH).map(|(_, axis)| Grab::Turn(axis))
    }

    /// The request for a movement of the pointer to a point.
    fn dragged(&self, grab: Grab, pointer: Pos2, drag: Vec2) -> Option<Request> {
        let mut pose = self.pose;
        match grab {
            Grab::Move(axis) => {
                let arrow = self.tips[axis] - self.center;
                let share = f64::from(drag.dot(arrow)) / f64::from(arrow.length_sq().max(1.0));
                pose.translation.vector[axis] += share * self.length;
            }
            Grab::Turn(axis) => {
                // The vertical axis of the window points down.
                let angle =
                    |point: Pos2| f64::from(-(point.y - self.center.y)).atan2(f64::from(point.x - self.center.x));
                let turned = angle(pointer) - angle(pointer - drag);
                let turned = turned - (turned / std::f64::consts::TAU).round() * std::f64::consts::TAU;
                let axis = Vector3::ith_axis(axis).into_inner() * (turned * self.facing[axis]);
                pose.rotation = UnitQuaternion::from_scaled_axis(axis) * pose.rotation;
            }
        }
        let (roll, pitch, yaw) = pose.rotation.euler_angles();
        let act = HandAct::Place { translation: pose.translation.vector.into(), rpy: [roll, pitch, yaw] };
        (drag != Vec2::ZERO).then_some(Request::Hand { body: self.body, act })
    }

    fn draw(&self, ui: &Ui, bright: Option<Grab>) {
        let painter = ui.painter();
        let stroke = |grab: Grab, axis: usize, width: f32| {
            let is_bright = bright == Some(grab);
            Stroke::new(if is_bright { width + 2.0 } else { width }, COLORS[axis])
        };
        for axis in 0..3 {
            painter.add(Shape::closed_line(self.rings[axis].clone(), stroke(Grab::Turn(axis), axis, 1.0)));
        }
        for axis in 0..3 {
            let arrow = self.tips[axis] - self.center;
            if arrow.length() >= LEAST_ARROW {
                painter.arrow(self.center, arrow, stroke(Grab::Move(axis), axis, 2.0));
            }
        }
    }
}

/// Distance of a point from a segment.
fn to_segment(point: Pos2, from: Pos2, to: Pos2) -> f32 {
    let along = to - from;
    let share = ((point - from).dot(along) / along.length_sq().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
    (point - (from + share * along)).length()
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::pos2;

    use super::*;

    /// Seen from above, 100 points a metre.
    fn from_above() -> Handles {
        let ring = |of: &dyn Fn(f32) -> Pos2| (0..36).map(|index| of((index as f32 * 10.0).to_radians())).collect();
        Handles {
            body: Entity::from_bits(7),
            pose: Isometry3::translation(1.0, 2.0, 3.0),
            length: 0.5,
            center: pos2(200.0, 200.0),
            tips: [pos2(250.0, 200.0), pos2(200.0, 150.0), pos2(200.0, 200.0)],
            rings: [
                ring(&|angle| pos2(200.0, 200.0 + 40.0 * angle.sin())),
                ring(&|angle| pos2(200.0 + 40.0 * angle.sin(), 200.0)),
                ring(&|angle| pos2(200.0 + 40.0 * angle.cos(), 200.0 + 40.0 * angle.sin())),
            ],
            facing: [1.0, 1.0, 1.0],
        }
    }

    fn placed(request: Option<Request>) -> ([f64; 3], [f64; 3]) {
        let Some(Request::Hand { act: HandAct::Place { translation, rpy }, .. }) = request else {
            panic!("{request:?}")
        };
        (translation, rpy)
    }

    #[test]
    fn handles_are_hit_where_they_are_drawn() {
        let handles = from_above();
        assert_eq!(handles.hit(pos2(240.0, 203.0)), Some(Grab::Move(0)));
        assert_eq!(handles.hit(pos2(198.0, 160.0)), Some(Grab::Move(1)));
        assert_eq!(handles.hit(pos2(230.0, 230.0)), Some(Grab::Turn(2)));
        assert_eq!(handles.hit(pos2(300.0, 300.0)), None);
    }

    #[test]
    fn a_drag_moves_along_the_arrow_and_turns_with_the_ring() {
        let handles = from_above();
        // 30 points to the right and 10 down: only the first are along X.
        let (translation, rpy) = placed(handles.dragged(Grab::Move(0), pos2(270.0, 210.0), Vec2::new(30.0, 10.0)));
        assert!((translation[0] - 1.3).abs() < 1e-6 && translation[1..] == [2.0, 3.0], "{translation:?}");
        assert_eq!(rpy, [0.0; 3]);
        let (translation, _) = placed(handles.dragged(Grab::Move(1), pos2(200.0, 130.0), Vec2::new(0.0, -20.0)));
        assert!((translation[1] - 2.2).abs() < 1e-6, "{translation:?}");
        // From the right to the top, counterclockwise: a quarter turn about +Z, and the other way from below.
        let from_right_to_top = Vec2::new(-40.0, -40.0);
        let quarter = std::f64::consts::FRAC_PI_2;
        for (facing, expected) in [(1.0, quarter), (-1.0, -quarter)] {
            let handles = Handles { facing: [1.0, 1.0, facing], ..from_above() };
            let (translation, rpy) = placed(handles.dragged(Grab::Turn(2), pos2(200.0, 160.0), from_right_to_top));
            assert!((rpy[2] - expected).abs() < 1e-6 && translation == [1.0, 2.0, 3.0], "{rpy:?}");
        }
        assert_eq!(handles.dragged(Grab::Move(0), pos2(240.0, 200.0), Vec2::ZERO), None);
    }
}
