//! Draws a scene.

use std::f64::consts::PI;
use std::fmt::Write;
use std::sync::Arc;

use bunraku_body::dynamics::Twist;
use bunraku_body::{Actuation, Body, BodyState, ExtraJointForm, ExtraJointKind, LinkIndex};
use bunraku_test_support::Random;
use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

use crate::common::{G, body};

/// Masses of links, kg: six orders of magnitude.
const MASSES: [f64; 2] = [1e-3, 1e3];
/// Time steps, s.
const TIME_STEPS: [f64; 2] = [2e-4, 1e-2];
/// Half extents of shapes, m.
const SIZES: [f64; 2] = [0.03, 0.15];
/// Bodies are placed within this distance of the vertical axis, m.
const SPREAD: f64 = 0.35;

/// A scene.
pub struct Scene {
    /// s
    pub time_step: f64,
    /// m/s²
    pub gravity: Vector3<f64>,
    pub has_floor: bool,
    pub friction: f64,
    pub restitution: f64,
    pub bodies: Vec<DrawnBody>,
    pub closures: Vec<DrawnClosure>,
}

/// A body, and how it begins.
pub struct DrawnBody {
    pub model: Arc<Body>,
    pub root: Isometry3<f64>,
    pub twist: Twist,
    pub joints: Joints,
}

/// Drives and brakes of the joints of a body, in joint order.
#[derive(Default)]
pub struct Joints {
    pub actuation: Vec<Actuation>,
    /// Displacements or velocities, rad, m, rad/s or m/s.
    pub targets: Vec<f64>,
    /// N·m·s/rad or N·s/m
    pub damping: Vec<f64>,
    /// N·m or N
    pub friction: Vec<f64>,
}

/// An extra joint; `None` is the world.
pub struct DrawnClosure {
    pub form: ExtraJointForm,
    pub ends: [Option<(usize, LinkIndex)>; 2],
}

fn logarithmic(random: &mut Random, [least, most]: [f64; 2]) -> f64 {
    least * (most / least).powf(random.unit())
}

fn between(random: &mut Random, least: f64, most: f64) -> f64 {
    least + (most - least) * random.unit()
}

impl Scene {
    /// The scene of a seed.
    pub fn draw(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let time_step = logarithmic(random, TIME_STEPS);
        let has_floor = !random.chance(3);
        let is_weightless = !has_floor && random.chance(2);
        let gravity = if is_weightless { Vector3::zeros() } else { Vector3::new(0.0, 0.0, -G) };
        let friction = *random.of(&[&0.0, &0.2, &0.5, &1.0]);
        let restitution = if random.chance(4) { between(random, 0.1, 1.0) } else { 0.0 };
        let mut left = 3 + random.below(10);
        let mut bodies: Vec<DrawnBody> = Vec::new();
        let mut taken = Vec::new();
        while left > 0 {
            let links = if random.chance(2) { 1 } else { (2 + random.below(4)).min(left) };
            left -= links;
            let drawn = draw_body(random, links, has_floor, is_weightless, &mut taken);
            bodies.push(drawn);
        }
        let num_closures = if random.chance(2) { 0 } else { 1 + random.below(2) };
        let closures = (0..num_closures).filter_map(|_| draw_closure(random, &bodies)).collect();
        Self { time_step, gravity, has_floor, friction, restitution, bodies, closures }
    }

    /// Moves it to another place.
    pub fn shift(&mut self, by: &Vector3<f64>) {
        for body in &mut self.bodies {
            body.root.translation.vector += by;
        }
        for closure in self.closures.iter_mut().filter(|closure| closure.ends[1].is_none()) {
            closure.form.frames[1].translation.vector += by;
        }
    }

    pub fn num_links(&self) -> usize {
        self.bodies.iter().map(|body| body.model.links().len()).sum()
    }
}

/// A shape as an element of a link, and how far it reaches from its middle, m.
fn draw_shape(random: &mut Random) -> (String, f64) {
    let mut size = || logarithmic(random, SIZES);
    let [a, b, c] = [size(), size(), size()];
    match random.below(5) {
        0 => {
            (format!("{{ type: Box, size: [ {}, {}, {} ] }}", 2.0 * a, 2.0 * b, 2.0 * c), Vector3::new(a, b, c).norm())
        }
        1 => (format!("{{ type: Sphere, radius: {a} }}"), a),
        2 => (format!("{{ type: Capsule, radius: {a}, height: {} }}", 2.0 * b), a + b),
        3 => (format!("{{ type: Cylinder, radius: {a}, height: {} }}", 2.0 * b), a.hypot(b)),
        _ => draw_hull(random, [a, b, c]),
    }
}

/// An icosahedron with its corners shifted.
fn draw_hull(random: &mut Random, sizes: [f64; 3]) -> (String, f64) {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let signs = [[1.0, golden], [-1.0, golden], [1.0, -golden], [-1.0, -golden]];
    let regular: Vec<Vector3<f64>> = (0..12)
        .map(|corner| {
            let mut place = Vector3::zeros();
            [place[(corner / 4 + 1) % 3], place[(corner / 4 + 2) % 3]] = signs[corner % 4];
            place
        })
        .collect();
    let shifted: Vec<Vector3<f64>> = regular
        .iter()
        .map(|corner| (corner.normalize() * between(random, 0.85, 1.0)).component_mul(&Vector3::from(sizes)))
        .collect();
    let mut text = String::from("{ type: IndexedFaceSet, vertices: [ ");
    for corner in &shifted {
        write!(text, "{}, {}, {}, ", corner.x, corner.y, corner.z).unwrap();
    }
    text += "], faces: [ ";
    // Edges are 2 long. A face is three corners with edges between them, counter-clockwise from outside.
    let is_edge = |one: usize, other: usize| (regular[one] - regular[other]).norm() < 2.1;
    for one in 0..12 {
        for two in one + 1..12 {
            for three in two + 1..12 {
                let [a, b, c] = [regular[one], regular[two], regular[three]];
                let is_outwards = (b - a).cross(&(c - a)).dot(&a) > 0.0;
                if is_edge(one, two) && is_edge(two, three) && is_edge(one, three) {
                    let [second, third] = if is_outwards { [two, three] } else { [three, two] };
                    write!(text, "{one}, {second}, {third}, -1, ").unwrap();
                }
            }
        }
    }
    text += "] }";
    (text, shifted.iter().map(|corner| corner.norm()).fold(0.0, f64::max))
}

impl Joints {
    /// Adds a joint that carries a weight, N, at a distance, m. Returns its keys in a model.
    fn draw(&mut self, random: &mut Random, weight: f64, reach: f64) -> String {
        let axis = random.direction();
        let is_sliding = random.chance(4);
        let kind = if is_sliding { "prismatic" } else { "revolute" };
        let unit = if is_sliding { weight } else { weight * reach };
        let limit = unit * logarithmic(random, [0.1, 10.0]);
        let mut keys = format!(
            "joint_type: {kind}, joint_axis: [ {}, {}, {} ], max_joint_effort: {limit}, ",
            axis.x, axis.y, axis.z
        );
        if random.chance(4) {
            let range = if is_sliding { "-0.05, 0.1" } else { "-20, 60" };
            write!(keys, "joint_range: [ {range} ], ").unwrap();
        }
        let (way, speed) = if is_sliding { (0.2, 0.5) } else { (1.0, 5.0) };
        let stiffness = limit / logarithmic(random, [0.01, 1.0]);
        let (drive, target) = match random.below(4) {
            0 => {
                let damping = stiffness * logarithmic(random, [1e-3, 1e-1]);
                (Actuation::Displacement { stiffness, damping }, random.within(way))
            }
            1 => (Actuation::Velocity { damping: stiffness }, random.within(speed)),
            _ => (Actuation::Effort, 0.0),
        };
        self.actuation.push(drive);
        self.targets.push(target);
        self.damping.push(if random.chance(3) { unit * logarithmic(random, [1e-3, 1.0]) } else { 0.0 });
        self.friction.push(if random.chance(4) { unit * logarithmic(random, [1e-2, 1.0]) } else { 0.0 });
        keys
    }
}

fn draw_body(
    random: &mut Random,
    links: usize,
    has_floor: bool,
    is_weightless: bool,
    taken: &mut Vec<(Vector3<f64>, f64)>,
) -> DrawnBody {
    let is_fixed = links > 1 && random.chance(3);
    let mut text = String::new();
    let mut reaches: Vec<(f64, Vector3<f64>)> = Vec::new();
    let masses: Vec<f64> = (0..links).map(|_| logarithmic(random, MASSES)).collect();
    let parents: Vec<usize> =
        (0..links).map(|link| if random.chance(4) { random.below(link) } else { link.saturating_sub(1) }).collect();
    let mut joints = Joints::default();
    for link in 0..links {
        let (shape, reach) = draw_shape(random);
        let (turn, angle) = (random.direction(), between(random, 0.0, 180.0));
        let center = if link == 0 { Vector3::zeros() } else { random.direction().into_inner() * reach };
        write!(text, "  - {{ name: L{link}, material: Thing, mass: {}, inertia: from_shapes, ", masses[link]).unwrap();
        if link == 0 {
            write!(text, "joint_type: {}, ", if is_fixed { "fixed" } else { "free" }).unwrap();
        } else {
            let parent = parents[link];
            let (parent_reach, parent_center) = reaches[parent];
            let at = parent_center + random.direction().into_inner() * parent_reach;
            write!(text, "parent: L{parent}, translation: [ {}, {}, {} ], joint_id: {}, ", at.x, at.y, at.z, link - 1)
                .unwrap();
            let outer = subtree_mass(&parents, &masses, link);
            let inner = if is_fixed { f64::INFINITY } else { masses.iter().sum::<f64>() - outer };
            text += &joints.draw(random, outer.min(inner) * G, reach);
        }
        writeln!(
            text,
            "elements: [ {{ type: Transform, translation: [ {}, {}, {} ], rotation: [ {}, {}, {}, {angle} ], elements: [ {{ type: Shape, \
             geometry: {shape} }} ] }} ] }}",
            center.x, center.y, center.z, turn.x, turn.y, turn.z
        )
        .unwrap();
        reaches.push((reach, center));
    }
    let model = body(&text);
    let mut root = Isometry3::from_parts(
        Vector3::zeros().into(),
        UnitQuaternion::new(random.direction().into_inner() * random.within(PI)),
    );
    // The ball about all of it.
    let state = BodyState::at_rest(&model, &root, vec![0.0; model.num_joints()]);
    let centers = || {
        state
            .link_poses
            .iter()
            .zip(&reaches)
            .map(|(pose, (reach, center))| (pose * nalgebra::Point3::from(*center), *reach))
    };
    let middle: Vector3<f64> = centers().map(|(center, _)| center.coords).sum::<Vector3<f64>>() / links as f64;
    let radius = centers().map(|(center, reach)| (center.coords - middle).norm() + reach).fold(0.0, f64::max) + 1e-3;
    let place = draw_place(random, radius, has_floor, taken);
    root.translation.vector = place - middle;
    let mut twist = Twist::ZERO;
    if !is_fixed {
        let towards = if is_weightless { -place * between(random, 0.5, 2.0) } else { Vector3::zeros() };
        twist.linear = towards + random.direction().into_inner() * random.unit();
        twist.angular = random.direction().into_inner() * (5.0 * random.unit());
    }
    DrawnBody { model, root, twist, joints }
}

fn subtree_mass(parents: &[usize], masses: &[f64], link: usize) -> f64 {
    let is_below = |mut at: usize| {
        while at > link {
            at = parents[at];
        }
        at == link
    };
    (link..masses.len()).filter(|&other| is_below(other)).map(|other| masses[other]).sum()
}

/// A place where a ball overlaps no other, above the floor.
fn draw_place(random: &mut Random, radius: f64, has_floor: bool, taken: &mut Vec<(Vector3<f64>, f64)>) -> Vector3<f64> {
    let mut height = 0.1;
    loop {
        let spread = SPREAD * random.unit().sqrt();
        let (sine, cosine) = between(random, -PI, PI).sin_cos();
        let z = if has_floor { radius + height * random.unit() } else { random.within(height) };
        let place = Vector3::new(spread * cosine, spread * sine, z);
        if taken.iter().all(|(other, size)| (place - other).norm() > radius + size) {
            taken.push((place, radius));
            return place;
        }
        height *= 1.05;
    }
}

fn draw_closure(random: &mut Random, bodies: &[DrawnBody]) -> Option<DrawnClosure> {
    let mut end = || {
        let body = random.below(bodies.len());
        (body, LinkIndex(random.below(bodies[body].model.links().len())))
    };
    let (first, second) = (end(), end());
    let is_fixed = |(body, link): (usize, LinkIndex)| link == LinkIndex::ROOT && bodies[body].model.is_fixed();
    let to_world = random.chance(4);
    if is_fixed(first) || is_fixed(second) || first == second {
        return None;
    }
    let pose = |(body, link): (usize, LinkIndex)| {
        let DrawnBody { model, root, .. } = &bodies[body];
        BodyState::at_rest(model, root, vec![0.0; model.num_joints()]).link_poses[link.0]
    };
    let [one, other] = [pose(first), pose(second)];
    let axes = UnitQuaternion::new(random.direction().into_inner() * random.within(PI));
    let place = if to_world {
        one.translation.vector
    } else {
        nalgebra::center(&one.translation.vector.into(), &other.translation.vector.into()).coords
    };
    let at = Isometry3::from_parts((place + random.direction().into_inner() * 0.05).into(), axes);
    let axis: Unit<Vector3<f64>> = random.direction();
    let kind = match random.below(8) {
        0 | 1 => ExtraJointKind::Ball,
        2 | 3 => ExtraJointKind::Hinge { axis },
        4 | 5 => ExtraJointKind::Piston { axis },
        6 => ExtraJointKind::Fixed,
        _ => ExtraJointKind::PointOnPlane { axis },
    };
    let second_frame = if to_world { at } else { other.inverse() * at };
    let form = ExtraJointForm { kind, frames: [one.inverse() * at, second_frame] };
    Some(DrawnClosure { form, ends: [Some(first), if to_world { None } else { Some(second) }] })
}
