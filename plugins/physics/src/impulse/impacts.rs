//! Impacts of bodies that hang on no joint.
//!
//! Rapier goes over the points of a contact one after the other, and in an impact it does so once or twice: the first points
//! take most of it, so that a box that drops flat is turned and rises to 0.63 of what it should. Here the step of the bodies
//! concerned is made again, from what they were before it: all contact points together, normal and friction, until they agree
//! (Gauss–Seidel in double precision). Each point that pushes separates with the restitution times the speed it met with, no
//! point pulls, and friction stays in its cone. Where the bodies are after the step is found in the same way: points that were
//! apart come together at most.
//!
//! Bodies with joints are left to rapier: what a joint passes on would have to be solved with them.

use std::collections::{BTreeMap, BTreeSet};

use bevy_rapier3d::rapier::dynamics::{RigidBodyHandle, RigidBodySet};
use bevy_rapier3d::rapier::geometry::{ContactManifold, NarrowPhase};
use bevy_rapier3d::rapier::math::Pose;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use crate::world::contacts::ContactRules;
use crate::world::convert::{from_pose, from_vec3, to_pose, to_vec3};
use crate::world::meeting::{Meeting, MeetingKind, POINTS};

/// How the bodies without joints were and moved before a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Before(Vec<(RigidBodyHandle, Moving)>);

/// Where a body is, and how it moves.
#[derive(Clone, Copy, Debug)]
struct Moving {
    pose: Pose,
    velocity: Velocity,
}

impl Before {
    /// Looks at all bodies that may be hit.
    pub fn remember(&mut self, rules: &ContactRules, bodies: &RigidBodySet) {
        self.0.clear();
        let single = rules.single_bodies();
        self.0.extend(single.filter_map(|handle| {
            let body = bodies.get(handle)?;
            let velocity = Velocity { linear: from_vec3(body.linvel()), angular: from_vec3(body.angvel()) };
            Some((handle, Moving { pose: *body.position(), velocity }))
        }));
    }

    fn of(&self, handle: RigidBodyHandle) -> Option<&Moving> {
        self.0.iter().find(|(known, _)| *known == handle).map(|(_, moving)| moving)
    }
}

/// Sweeps over all points, there and back. A flat box takes some ten; where a pile takes more, the next step goes on.
const SWEEPS: usize = 40;
/// How often points are solved in all: in a pile of a hundred boxes a sweep goes over some 400, and a few sweeps must do.
const SOLVES: usize = 2000;
/// Points whose velocities change by less in a sweep agree, m/s: single precision at some m/s.
const AGREED: f64 = 1e-6;

/// A contact that bodies without joints may bounce off.
struct Touch<'a> {
    manifold: &'a ContactManifold,
    meeting: Meeting,
}

/// A rigid body that moves, as far as impulses concern it.
struct Mover {
    handle: RigidBodyHandle,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
    /// After the step.
    velocity: Velocity,
    /// Mean over the step.
    mean: Velocity,
}

/// Of a centre of mass and about it, m/s and rad/s.
#[derive(Clone, Copy, Debug)]
struct Velocity {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

/// What is put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Velocity,
    Pose,
}

/// Index among the movers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoverIndex(usize);

/// A point of a contact.
struct Point {
    /// Index of the manifold among the seeds, and of the point in it.
    at: (usize, usize),
    friction: f64,
    /// How fast the first surface runs along itself, m/s, world axes.
    surface: Vector3<f64>,
    sides: [Option<MoverIndex>; 2],
    /// From the centres of mass, m.
    arms: [Vector3<f64>; 2],
    /// From the first side into the second.
    normal: Vector3<f64>,
    /// How fast sides that a motion leads move away from each other, m/s, world axes.
    led: Vector3<f64>,
    /// How fast the point shall separate after the step, m/s.
    bounce: f64,
    /// How fast it may separate at least in the mean over the step, m/s: it comes to touch, and no further.
    touch: f64,
    /// Along the normal and across it on the second side, N·s.
    push: f64,
    drag: Vector3<f64>,
}

/// What the impacts of a step leave to be noted.
pub(crate) struct Outcome {
    /// The impulses of solver contacts in the step, on the second body, N·s, world axes; by the index of their manifold's seeds.
    pub impulses: BTreeMap<usize, [Vector3<f64>; POINTS]>,
    /// The bodies that were hit, or touch one that was.
    pub hit: Vec<RigidBodyHandle>,
}

/// Makes the last step again for the bodies that had an impact in it or shortly before.
pub(crate) fn solve(
    narrow_phase: &NarrowPhase,
    bodies: &mut RigidBodySet,
    rules: &ContactRules,
    before: &Before,
    gravity: &Vector3<f64>,
    time_step: f64,
) -> Outcome {
    let manifolds = narrow_phase.contact_pairs().flat_map(|pair| pair.solver_manifolds());
    let touches =
        manifolds.filter_map(|manifold| rules.seeds(manifold).meeting.map(|meeting| Touch { manifold, meeting }));
    let touches: Vec<_> = touches.collect();
    let hit = concerned(&touches, bodies, |kind| kind == MeetingKind::Impact);
    let mut movers = concerned(&touches, bodies, |kind| kind != MeetingKind::Rest);
    for mover in &mut movers {
        mover.fall(before, bodies, gravity, time_step);
    }
    let mut points: Vec<_> = touches.iter().flat_map(|touch| touch.points(&movers, bodies, time_step)).collect();
    for quantity in [Quantity::Pose, Quantity::Velocity] {
        // The impulses that bring the bodies where they belong are nearly those that make them bounce.
        points.iter().for_each(|point| point.apply(&point.impulse(), quantity, &mut movers));
        for sweep in 0..(SOLVES / points.len().max(1)).clamp(4, SWEEPS) {
            let solve = |point: &mut Point| point.solve(quantity, &mut movers);
            let changed = match sweep % 2 {
                0 => points.iter_mut().map(solve).fold(0.0, f64::max),
                _ => points.iter_mut().rev().map(solve).fold(0.0, f64::max),
            };
            if changed < AGREED {
                break;
            }
        }
    }
    for mover in &movers {
        mover.write(before, bodies, time_step);
    }
    let mut impulses: BTreeMap<usize, [Vector3<f64>; POINTS]> = BTreeMap::new();
    for point in points {
        impulses.entry(point.at.0).or_default()[point.at.1] = point.impulse();
    }
    Outcome { impulses, hit: hit.into_iter().map(|mover| mover.handle).collect() }
}

/// The bodies that move and have a meeting of the kinds that begin, or touch one that has, and so on.
fn concerned(touches: &[Touch<'_>], bodies: &RigidBodySet, begins: impl Fn(MeetingKind) -> bool) -> Vec<Mover> {
    let mut movers: Vec<Mover> = Vec::new();
    let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
    loop {
        let before = movers.len();
        for touch in touches {
            let sides = || touch.sides().into_iter().flatten();
            if begins(touch.meeting.kind) || sides().any(|side| known.contains(&side.into_raw_parts())) {
                for mover in sides().filter_map(|side| Mover::of(side, bodies)) {
                    if known.insert(mover.handle.into_raw_parts()) {
                        movers.push(mover);
                    }
                }
            }
        }
        if movers.len() == before {
            return movers;
        }
    }
}

impl Mover {
    /// `None` if it does not give way to impulses.
    fn of(handle: RigidBodyHandle, bodies: &RigidBodySet) -> Option<Self> {
        let body = bodies.get(handle).filter(|body| body.is_dynamic())?;
        let masses = body.mass_properties();
        let inertia = masses.effective_world_inv_inertia;
        let column = |axis: usize| from_vec3(inertia * bevy::math::Vec3::AXES[axis]);
        Some(Self {
            handle,
            inverse_mass: f64::from(masses.effective_inv_mass.x),
            inverse_inertia: Matrix3::from_columns(&[column(0), column(1), column(2)]),
            velocity: Velocity::ZERO,
            mean: Velocity::ZERO,
        })
    }

    fn of_interest(&self, quantity: Quantity) -> &Velocity {
        match quantity {
            Quantity::Velocity => &self.velocity,
            Quantity::Pose => &self.mean,
        }
    }

    fn of_interest_mut(&mut self, quantity: Quantity) -> &mut Velocity {
        match quantity {
            Quantity::Velocity => &mut self.velocity,
            Quantity::Pose => &mut self.mean,
        }
    }

    /// What it would do in the step if it touched nothing.
    fn fall(&mut self, before: &Before, bodies: &RigidBodySet, gravity: &Vector3<f64>, time_step: f64) {
        let Some((before, body)) = before.of(self.handle).zip(bodies.get(self.handle)) else { return };
        let Velocity { linear, angular } = before.velocity;
        let force = from_vec3(body.user_force()) * self.inverse_mass + gravity * f64::from(body.gravity_scale());
        let spin = self.inverse_inertia.try_inverse().map_or_else(Vector3::zeros, |inertia| inertia * angular);
        let torque = self.inverse_inertia * (from_vec3(body.user_torque()) - angular.cross(&spin));
        self.velocity = Velocity { linear: linear + force * time_step, angular: angular + torque * time_step };
        self.mean = self.velocity;
    }

    fn write(&self, before: &Before, bodies: &mut RigidBodySet, time_step: f64) {
        let Some((before, body)) = before.of(self.handle).zip(bodies.get_mut(self.handle)) else { return };
        body.set_linvel(to_vec3(&self.velocity.linear), false);
        body.set_angvel(to_vec3(&self.velocity.angular), false);
        let center = body.mass_properties().local_mprops.local_com;
        let turn = UnitQuaternion::from_scaled_axis(self.mean.angular * time_step);
        let rotation = turn * from_pose(&before.pose).rotation;
        let middle = from_vec3(before.pose * center) + self.mean.linear * time_step;
        let origin = middle - rotation * from_vec3(center);
        body.set_position(to_pose(&Isometry3::from_parts(origin.into(), rotation)), false);
    }
}

impl Touch<'_> {
    fn sides(&self) -> [Option<RigidBodyHandle>; 2] {
        [self.manifold.data.rigid_body1, self.manifold.data.rigid_body2]
    }

    /// The points that push or may be reached in the step, if one of the sides is concerned.
    fn points(&self, movers: &[Mover], bodies: &RigidBodySet, time_step: f64) -> Vec<Point> {
        let Self { manifold, meeting } = self;
        let index = |side: Option<RigidBodyHandle>| movers.iter().position(|mover| Some(mover.handle) == side);
        let sides = self.sides().map(|side| index(side).map(MoverIndex));
        let mut points = Vec::new();
        if sides == [None; 2] {
            return points;
        }
        for (number, contact) in manifold.data.solver_contacts.iter().enumerate().take(POINTS) {
            let [index] = contact.contact_indices();
            let Some(point) = manifold.points.get(index as usize).map(|point| &point.data) else { continue };
            let arms = [from_vec3(point.solver_dp1), from_vec3(point.solver_dp2)];
            // A body that a motion leads is not pushed, but moves; its points are those of the world.
            let led = |side: usize| {
                let body = self.sides()[side].and_then(|body| bodies.get(body)).filter(|body| body.is_kinematic());
                body.map_or_else(Vector3::zeros, |body| from_vec3(body.velocity_at_point(to_vec3(&arms[side]))))
            };
            let approach = f64::from(meeting.approach[number]);
            let gap = f64::from(meeting.gap[number]);
            let meets = gap <= approach * time_step;
            points.push(Point {
                at: (manifold.data.user_data as usize, number),
                friction: f64::from(meeting.friction),
                surface: from_vec3(meeting.surface),
                sides,
                arms,
                normal: from_vec3(manifold.data.normal),
                led: led(1) - led(0),
                bounce: if meets { f64::from(meeting.restitution) * approach.max(0.0) } else { -gap / time_step },
                touch: -gap.max(0.0) / time_step,
                push: 0.0,
                drag: Vector3::zeros(),
            });
        }
        points
    }
}

impl Velocity {
    const ZERO: Self = Self { linear: Vector3::new(0.0, 0.0, 0.0), angular: Vector3::new(0.0, 0.0, 0.0) };

    /// Of a point on an arm from the centre of mass.
    fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }
}

impl Point {
    /// On the second side, N·s.
    fn impulse(&self) -> Vector3<f64> {
        self.normal * self.push + self.drag
    }

    /// Lets the point separate as it shall, without pulling, and holds it by friction; gives by how much it changed its
    /// velocity, m/s.
    fn solve(&mut self, quantity: Quantity, movers: &mut [Mover]) -> f64 {
        let target = match quantity {
            Quantity::Velocity => self.bounce,
            Quantity::Pose => self.touch,
        };
        let give = self.give(&self.normal, movers);
        if give <= 0.0 {
            return 0.0;
        }
        let missing = target - self.velocity(quantity, movers).dot(&self.normal);
        let push = (self.push + missing / give).max(0.0);
        let change = push - self.push;
        self.push = push;
        self.apply(&(self.normal * change), quantity, movers);
        let mut changed = (change * give).abs();

        let sliding = self.velocity(quantity, movers) - self.surface;
        let sliding = sliding - self.normal * sliding.dot(&self.normal);
        let speed = sliding.norm();
        if speed > 0.0 {
            let give = self.give(&(sliding / speed), movers);
            let drag = self.drag - sliding / give;
            let drag = drag.cap_magnitude(self.friction * self.push);
            let change = drag - self.drag;
            self.drag = drag;
            self.apply(&change, quantity, movers);
            changed = changed.max(change.norm() * give);
        }
        changed
    }

    /// How the second side moves against the first, m/s.
    fn velocity(&self, quantity: Quantity, movers: &[Mover]) -> Vector3<f64> {
        let of = |side: usize| {
            let mover = self.sides[side].and_then(|index| movers.get(index.0));
            mover.map_or_else(Vector3::zeros, |mover| mover.of_interest(quantity).at(&self.arms[side]))
        };
        self.led + of(1) - of(0)
    }

    /// How much faster the point gets along a unit vector by an impulse along it, 1/kg.
    fn give(&self, direction: &Vector3<f64>, movers: &[Mover]) -> f64 {
        let of = |side: usize| {
            let Some(mover) = self.sides[side].and_then(|index| movers.get(index.0)) else { return 0.0 };
            let lever = self.arms[side].cross(direction);
            mover.inverse_mass + lever.dot(&(mover.inverse_inertia * lever))
        };
        of(0) + of(1)
    }

    /// Pushes the second side with an impulse, and the first with the opposite.
    fn apply(&self, impulse: &Vector3<f64>, quantity: Quantity, movers: &mut [Mover]) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(mover) = self.sides[side].and_then(|index| movers.get_mut(index.0)) {
                let (inverse_mass, inverse_inertia) = (mover.inverse_mass, mover.inverse_inertia);
                let Velocity { linear, angular } = mover.of_interest_mut(quantity);
                *linear += impulse * (sign * inverse_mass);
                *angular += inverse_inertia * self.arms[side].cross(impulse) * sign;
            }
        }
    }
}
