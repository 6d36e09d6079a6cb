//! Problems at the start of a simulation: bodies that interpenetrate, and the effects of that.

use std::collections::BTreeMap;

use bevy::prelude::*;
use bunraku_body::{Body, BodyModel, BodyState, Drive, LinkIndex};
use bunraku_mesh::BoundingBox;
use bunraku_simulation::{
    RegisterSimulationState, SimulationClock, SimulationFault, SimulationStart, SimulationStatus, SimulationStep,
    SimulationSystems, SimulationWarnings,
};
use nalgebra::{Isometry3, Point3, Vector3};

use super::contact_forces::{Contact, Contacts};
use crate::model::initial_twist::InitialTwist;
use crate::model::parameters::PhysicsParameters;

/// Depth of interpenetration, m, that is more than standing: Choreonoid's robots start some millimetres deep in their
/// floors.
const DEEP: f64 = 0.01;
/// The same for small links, as a share of the shortest side of the smaller one.
const DEEP_SHARE: f64 = 0.1;
/// Links thinner than this, m, count as having no thickness.
const THINNEST: f64 = 1e-3;
/// Time after the start in which bodies are watched, s.
const FIRST_MOMENTS: f64 = 0.1;
/// A body that overlaps another at the start is thrown if, within the first moments, it becomes faster than this in
/// addition to free fall, m/s: more than 3 g on top of its weight.
const THROWN: f64 = 3.0;
/// Maximum number of bodies reported one by one.
const MOST: usize = 10;

/// Reports problems at the start. Bodies that interpenetrate deeply are a warning. If that throws them within the first
/// tenth of a second, the simulation ends with a fault.
pub struct StartReportPlugin;

impl Plugin for StartReportPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<StartReport>()
            .add_systems(SimulationStart, note_start.after(SimulationSystems::Sense).before(SimulationSystems::Record))
            .add_systems(
                SimulationStep,
                (find, watch)
                    .chain()
                    .run_if(are_first_moments)
                    .after(SimulationSystems::Sense)
                    .before(SimulationSystems::Record),
            )
            .ignore_simulation_state::<StartReport>("it counts in the first moments alone");
    }
}

/// The bodies that overlapped at the start.
#[derive(Resource, Debug, Default)]
pub struct StartReport {
    /// One entry per body, in the order of spawning.
    overlaps: Vec<Overlap>,
    /// The link poses of bodies before the first step.
    start: BTreeMap<Entity, Vec<Isometry3<f64>>>,
    /// The link poses of the watched bodies one step ago.
    watched: BTreeMap<Entity, Vec<Isometry3<f64>>>,
}

/// A body that was deep inside others, with those.
#[derive(Clone, Debug)]
struct Overlap {
    bodies: Vec<Entity>,
    text: String,
    /// How to separate them.
    way_out: String,
}

impl StartReport {
    /// The overlap of a body at the start; `None` if it had none.
    fn cause(&self, body: Entity) -> Option<&Overlap> {
        self.overlaps.iter().find(|overlap| overlap.bodies.contains(&body))
    }

    /// The possible cause of a fault at this time (s): the first overlap at the start, if the fault came in the first
    /// moments.
    pub fn cause_of_fault(&self, time: f64) -> Option<&str> {
        (time <= FIRST_MOMENTS).then(|| self.overlaps.first().map(|overlap| overlap.text.as_str()))?
    }
}

/// One run condition for both systems; afterwards they do nothing.
fn are_first_moments(clock: Res<SimulationClock>) -> bool {
    clock.step() <= 1 || clock.time() <= FIRST_MOMENTS
}

fn note_start(mut report: ResMut<StartReport>, bodies: Query<(Entity, &BodyState)>) {
    report.start = bodies.iter().map(|(entity, state)| (entity, state.link_poses.clone())).collect();
}

type Known<'a> = (Entity, &'a Name, &'a BodyModel, &'a BodyState, &'a Drive);

/// A pair of touching links; the first belongs to a body that is moved by forces.
struct Pair {
    bodies: [Entity; 2],
    links: [LinkIndex; 2],
    depth: f64,
    normal: Vector3<f64>,
}

/// Finds links that are deep inside each other at the first step.
fn find(
    mut report: ResMut<StartReport>,
    clock: Res<SimulationClock>,
    mut warnings: ResMut<SimulationWarnings>,
    bodies: Query<Known<'_>>,
    contacts: Option<Contacts>,
) {
    if clock.step() != 1 {
        return;
    }
    let start = std::mem::take(&mut *report).start;
    let Some(contacts) = contacts else { return };
    let mut moving: Vec<_> = bodies.iter().filter(|(.., drive)| **drive == Drive::Physics).collect();
    moving.sort_by_key(|(entity, ..)| entity.index_u32());
    let mut reported = 0;
    // Large meshes may touch at many thousands of points.
    let mut sides: BTreeMap<(Entity, LinkIndex), Option<f64>> = BTreeMap::new();
    for (entity, _, BodyModel(body), ..) in &moving {
        let mut pairs: Vec<Pair> = Vec::new();
        for contact in contacts.of_body(*entity) {
            let Contact { link, other: Some((other, other_link)), depth, normal, .. } = contact else { continue };
            let Ok((_, _, BodyModel(other_body), _, other_drive)) = bodies.get(other) else { continue };
            // If both are moved by forces, the first one has reported it.
            let is_reported = *other_drive == Drive::Physics && other.index_u32() < entity.index_u32();
            // Checked first because most contacts are less deep, and boxes around large meshes take long to compute.
            if is_reported || depth < THINNEST * DEEP_SHARE {
                continue;
            }
            let mut side = |entity: Entity, body: &Body, link: LinkIndex| {
                *sides.entry((entity, link)).or_insert_with(|| shortest_side(body, link))
            };
            let smallest = [side(*entity, body, link), side(other, other_body, other_link)];
            let smallest = smallest.into_iter().flatten().fold(f64::INFINITY, f64::min);
            if depth < DEEP.min(smallest * DEEP_SHARE) {
                continue;
            }
            let pair = Pair { bodies: [*entity, other], links: [link, other_link], depth, normal };
            match pairs.iter_mut().find(|known| known.bodies == pair.bodies && known.links == pair.links) {
                Some(known) if known.depth < pair.depth => *known = pair,
                Some(_) => {}
                None => pairs.push(pair),
            }
        }
        let Some(deepest) = pairs.iter().max_by(|a, b| a.depth.total_cmp(&b.depth)) else { continue };
        let partner = deepest.bodies;
        let of_partner: Vec<&Pair> = pairs.iter().filter(|pair| pair.bodies == partner).collect();
        let Some((text, way_out)) = describe(deepest, &of_partner, &bodies, &start) else { continue };
        reported += 1;
        if reported <= MOST {
            let way_out = &way_out;
            warnings.add(*entity, "BodyState", || {
                let rest = if reported == MOST { "; further bodies that interpenetrate are not listed" } else { "" };
                format!("at the start {text}; {way_out}{rest}")
            });
        }
        let mut concerned: Vec<Entity> = pairs.iter().flat_map(|pair| pair.bodies).collect();
        concerned.sort_by_key(|entity| entity.index_u32());
        concerned.dedup();
        report.overlaps.push(Overlap { bodies: concerned, text, way_out });
    }
    for (entity, _, BodyModel(body), state, drive) in &bodies {
        let is_concerned = *drive == Drive::Physics && report.cause(entity).is_some();
        if is_concerned && (!body.is_fixed() || body.num_joints() > 0) {
            report.watched.insert(entity, state.link_poses.clone());
        }
    }
}

/// The description of an overlap, and how to separate the two.
fn describe(
    deepest: &Pair,
    found: &[&Pair],
    bodies: &Query<Known<'_>>,
    start: &BTreeMap<Entity, Vec<Isometry3<f64>>>,
) -> Option<(String, String)> {
    let [one, other] = deepest.bodies.map(|body| bodies.get(body).ok());
    let (one, other) = (one?, other?);
    // If one of the two is attached and the other can be placed, the other one was placed wrong.
    let rank = |(_, _, BodyModel(body), _, drive): &Known<'_>| match **drive {
        Drive::Physics if !body.is_fixed() => 2,
        Drive::Physics if body.num_joints() > 0 => 1,
        _ => 0,
    };
    let is_turned = rank(&other) > rank(&one);
    let sides = if is_turned { [1, 0] } else { [0, 1] };
    let normal = if is_turned { -deepest.normal } else { deepest.normal };
    let (one, other) = if is_turned { (other, one) } else { (one, other) };
    let ((_, name, BodyModel(body), ..), (_, other_name, BodyModel(other_body), _, other_drive)) = (one, other);
    let link_name = |name: &Name, body: &Body, link: LinkIndex| match body.links().len() {
        1 => format!("`{name}`"),
        _ => format!("`{name}/{}`", body.link(link).name),
    };
    let [first, second] =
        [link_name(name, body, deepest.links[sides[0]]), link_name(other_name, other_body, deepest.links[sides[1]])];
    let millimetres = deepest.depth * 1e3;
    let mut text = format!("{first} is {millimetres:.0} mm deep in {second}");
    match found.len() - 1 {
        0 => {}
        1 => text += ", and another pair of their links likewise",
        more => text += &format!(", and {more} more pairs of their links likewise"),
    }
    let way_out = if deepest.bodies[0] == deepest.bodies[1] {
        format!("leave out `self_collision` of `{name}`, or exclude the pair in the model's collision rules")
    } else {
        let around = |body: &Body, side: usize| {
            let poses = start.get(&deepest.bodies[side])?;
            let links = found.iter().map(|pair| pair.links[side]);
            links.filter_map(|link| bounds(body, link, poses)).reduce(BoundingBox::union)
        };
        let boxes = around(body, sides[0]).zip(around(other_body, sides[1]));
        // Upwards only out of a body that does not move: a robot is not placed on top of another.
        let is_ground = *other_drive == Drive::Static || other_body.is_fixed();
        let shift = boxes.map(|(one, other)| shortest_shift(&one, &other, is_ground));
        // The bounding box is of little use for a house with a robot inside.
        let shift = shift.filter(|shift| shift.norm() < 10.0 * deepest.depth).unwrap_or(normal * deepest.depth);
        format!("moving `{name}` by {} separates them, and `collision: false` lets it pass through", in_words(&shift))
    };
    Some((text, way_out))
}

/// A shift as text: along its main axis, or as a vector.
fn in_words(shift: &Vector3<f64>) -> String {
    // Rounded up to whole millimetres, so that it is sufficient.
    let length = (shift.norm() * 1e3).ceil() / 1e3;
    let direction = shift.try_normalize(0.0).unwrap_or_else(Vector3::z);
    for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
        if direction[axis].abs() > 1.0 - 1e-6 {
            let sign = if direction[axis] < 0.0 { "−" } else { "+" };
            return format!("{length:.3} m along {sign}{letter}");
        }
    }
    let [x, y, z] = (direction * length).into();
    format!("[ {x:.3}, {y:.3}, {z:.3} ] m")
}

/// The bounding box of a link's collision shape, in the world frame.
fn bounds(body: &Body, link: LinkIndex, poses: &[Isometry3<f64>]) -> Option<BoundingBox> {
    let pose = poses.get(link.0)?;
    let boxes = body.link(link).collision.iter().filter_map(|shape| {
        let local = shape.bounding_box()?;
        let corners = (0..8).map(|corner: usize| {
            let side = |axis: usize| if corner & (1 << axis) == 0 { local.min[axis] } else { local.max[axis] };
            pose * Point3::new(side(0), side(1), side(2))
        });
        let one = corners.map(|corner| BoundingBox { min: corner, max: corner });
        one.reduce(BoundingBox::union)
    });
    boxes.reduce(BoundingBox::union)
}

/// The shortest side of a link's collision shape, m; `None` if it has no thickness.
fn shortest_side(body: &Body, link: LinkIndex) -> Option<f64> {
    let identity: Vec<Isometry3<f64>> = vec![Isometry3::identity(); body.links().len()];
    let BoundingBox { min, max } = bounds(body, link, &identity)?;
    Some((max - min).min()).filter(|side| *side > THINNEST)
}

/// The shortest shift along X or Y, or upwards if that is allowed, that moves the first box out of the second.
fn shortest_shift(one: &BoundingBox, other: &BoundingBox, upwards: bool) -> Vector3<f64> {
    let forth = (0..if upwards { 3 } else { 2 }).map(|axis| Vector3::ith(axis, other.max[axis] - one.min[axis]));
    let back = (0..2).map(|axis| Vector3::ith(axis, other.min[axis] - one.max[axis]));
    forth.chain(back).min_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default()
}

type Watched<'a> = (&'a Name, &'a BodyModel, &'a BodyState, Option<&'a InitialTwist>);

/// Ends the simulation if overlapping bodies fly apart.
fn watch(
    mut report: ResMut<StartReport>,
    clock: Res<SimulationClock>,
    parameters: Option<Res<PhysicsParameters>>,
    bodies: Query<Watched<'_>>,
    mut status: ResMut<SimulationStatus>,
) {
    if report.overlaps.is_empty() || *status != SimulationStatus::Running || clock.step() < 2 {
        return;
    }
    let (time, time_step) = (clock.time(), clock.time_step());
    let falls = parameters.map_or(0.0, |parameters| parameters.gravity.norm()) * time;
    let entities: Vec<Entity> = report.watched.keys().copied().collect();
    for entity in entities {
        let Ok((name, BodyModel(body), state, twist)) = bodies.get(entity) else { continue };
        let Some(before) = report.watched.insert(entity, state.link_poses.clone()) else { continue };
        let started = twist.map_or(0.0, |twist| twist.0.linear.norm());
        let speed = |link: usize| {
            let (now, then) = (state.link_poses.get(link)?, before.get(link)?);
            Some((now.translation.vector - then.translation.vector).norm() / time_step)
        };
        // For a floating body only its root is checked: motors may swing its limbs.
        let links = if body.is_fixed() { body.links().len() } else { 1 };
        let fastest = (0..links).filter_map(speed).fold(0.0, f64::max);
        if fastest > THROWN + started + falls
            && let Some(cause) = report.cause(entity)
        {
            let Overlap { text, way_out, .. } = cause;
            let message =
                format!("`{name}` is thrown at {fastest:.1} m/s by what it was in: at the start {text}; {way_out}");
            *status = SimulationStatus::Failed(SimulationFault { time, message });
            return;
        }
    }
}
