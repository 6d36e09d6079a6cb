//! Humanoids that stand: what their ankles carry, and motors at the end of their strength.

use std::fmt::Write;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::kinematics::link_poses;
use bunraku_body::{Actuation, Body, Drive, JointActuation, JointIndex, JointTargets, LinkIndex};
use bunraku_control::PdController;
use bunraku_motion::Sequence;
use bunraku_physics::{Gains, JointReadings, JointSolver};
use bunraku_test_support::{model_text, read_model, share};
use nalgebra::{Isometry3, Vector3};

use crate::common::{G, World, biped, for_both_solvers, iterations_of};

/// A humanoid and how it stands.
struct Humanoid {
    name: &'static str,
    text: String,
    /// Where the root is, m above the floor.
    height: f64,
    displacements: Vec<f64>,
    /// Additional bend of the hips, to load the knees, rad.
    crouch: f64,
    /// The pitch joints of the hips.
    hips: [usize; 2],
    /// Offset of the index of the knees from the hips; the pitch joints of the ankles are the next.
    knee_after_hip: usize,
    /// Gains of servos, N·m/rad and N·m·s/rad. With one substep a step impulse joints keep SR1 chattering, by some cm/s, with the
    /// damping that it walks with.
    servo: (f64, f64),
    /// Gains of a PD controller, which is explicit and bears less.
    pd: (f64, f64),
    /// Names of the ankle links.
    ankles: [&'static str; 2],
    knee: &'static str,
}

impl Humanoid {
    /// Choreonoid's SR1, if there is its data, and a biped of our own.
    fn all() -> Vec<Self> {
        let mut all = vec![Self::ours()];
        if let Some(share) = share() {
            let file = share.join("model/SR1/SR1.body");
            let degrees = [
                0.0, -2.1, 0.0, 4.5, -2.4, 0.0, 10.0, -0.2, 0.0, -90.0, 0.0, 0.0, 0.0, 0.0, -2.1, 0.0, 4.5, -2.4, 0.0,
                10.0, -0.2, 0.0, -90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ];
            all.push(Self {
                name: "SR1",
                text: std::fs::read_to_string(file).unwrap(),
                height: 0.708,
                displacements: degrees.iter().map(|angle: &f64| angle.to_radians()).collect(),
                crouch: 0.4,
                hips: [1, 14],
                knee_after_hip: 2,
                servo: (8000.0, 1000.0),
                pd: (8000.0, 300.0),
                ankles: ["LLEG_ANKLE_R", "RLEG_ANKLE_R"],
                knee: "RLEG_KNEE",
            });
        }
        all
    }

    fn ours() -> Self {
        // Knees a little bent, so that they have something to carry.
        let leg = [0.0, 0.0, -0.2, 0.4, -0.2, 0.0];
        Self {
            name: "biped",
            text: model_text(&biped()),
            height: 0.7 * 0.2_f64.cos() + 0.1,
            displacements: [leg, leg].concat(),
            crouch: 0.0,
            hips: [2, 8],
            knee_after_hip: 1,
            servo: (1500.0, 30.0),
            pd: (1500.0, 30.0),
            ankles: ["L_ANKLE_ROLL", "R_ANKLE_ROLL"],
            knee: "R_KNEE",
        }
    }

    /// The same with bent knees.
    fn crouching(mut self) -> Self {
        let model = self.model(None);
        let ankle = model.find_link(self.ankles[0]).unwrap();
        let height =
            |displacements: &[f64]| link_poses(&model, &Isometry3::identity(), displacements)[ankle.0].translation.z;
        let before = height(&self.displacements);
        for hip in self.hips {
            let knee = hip + self.knee_after_hip;
            for (joint, share) in [(hip, -1.0), (knee, 2.0), (knee + 1, -1.0)] {
                self.displacements[joint] += share * self.crouch;
            }
        }
        self.height += before - height(&self.displacements);
        self
    }

    /// The model, with what its motors can do, N·m by joint.
    fn model(&self, limits: Option<&[f64]>) -> Arc<Body> {
        let mut text = String::new();
        for line in self.text.lines() {
            text += line;
            if let (Some(limits), Some((_, id))) = (limits, line.split_once("joint_id:")) {
                let id: String = id.trim().chars().take_while(char::is_ascii_digit).collect();
                let limit = limits[id.parse::<usize>().unwrap()];
                if line.trim_start().starts_with('-') {
                    // A link on a line of its own.
                    text.truncate(text.trim_end().len() - 1);
                    write!(text, ", max_joint_effort: {limit} }}").unwrap();
                } else {
                    write!(text, "\n    max_joint_effort: {limit}").unwrap();
                }
            }
            text.push('\n');
        }
        let (body, findings) = read_model(&text);
        let body = body.unwrap_or_else(|| panic!("{findings:?}"));
        if let Some(limits) = limits {
            for (joint, limit) in limits.iter().enumerate() {
                let range = body.joint(JointIndex(joint)).unwrap().effort_range;
                assert!((range.upper - limit).abs() < 1e-9 && (range.lower + limit).abs() < 1e-9);
            }
        }
        Arc::new(body)
    }

    /// A world in which it stands.
    fn stands(
        &self,
        model: &Arc<Body>,
        (root, displacements): (Isometry3<f64>, &[f64]),
        actuation: Kind,
        solver: JointSolver,
        iterations: usize,
    ) -> (World, Entity) {
        let mut world = World::new(0.001, Vector3::new(0.0, 0.0, -G), iterations).with_joints(solver);
        world.add_floor("Ground");
        let entity = world.add(model, root, displacements, Drive::Physics);
        let (stiffness, damping) = match actuation {
            Kind::Servo => self.servo,
            Kind::Pd => self.pd,
        };
        let joints = model.num_joints();
        let mut commands = world.app.world_mut().entity_mut(entity);
        commands.insert(JointReadings::default());
        match actuation {
            Kind::Servo => {
                commands.get_mut::<JointActuation>().unwrap().0.fill(Actuation::Displacement { stiffness, damping });
                *commands.get_mut::<JointTargets>().unwrap() =
                    JointTargets { displacements: self.displacements.clone(), velocities: vec![0.0; joints] };
            }
            Kind::Pd => {
                let gains = vec![Gains { proportional: stiffness, derivative: damping }; joints];
                let target = Sequence::new(1.0, joints, self.displacements.clone()).unwrap();
                commands.insert(PdController::new(model, gains, Some(Arc::new(target))).unwrap());
            }
        }
        (world, entity)
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Servo,
    Pd,
}

fn readings(world: &World, entity: Entity) -> &JointReadings {
    world.app.world().get(entity).unwrap()
}

/// Mass of a link and its subtree, kg.
fn mass_from(body: &Body, link: LinkIndex) -> f64 {
    let mut belongs = vec![false; body.links().len()];
    let mut mass = 0.0;
    for (index, member) in body.indexed_links() {
        belongs[index.0] = index == link || member.parent.is_some_and(|parent| belongs[parent.0]);
        if belongs[index.0] {
            mass += member.mass.mass;
        }
    }
    mass
}

/// A tenth of a per cent of the weight.
const STANDING: f64 = 1e-3;

#[test]
fn the_ankles_of_a_standing_humanoid_carry_what_is_above_them() {
    for_both_solvers(|solver| {
        for humanoid in Humanoid::all() {
            for iterations in iterations_of(solver, [1, 4]) {
                let model = humanoid.model(None);
                let start = Isometry3::translation(0.0, 0.0, humanoid.height);
                let (mut world, entity) =
                    humanoid.stands(&model, (start, &humanoid.displacements), Kind::Servo, solver, iterations);
                world.run(4000);
                let height = world.state(entity).link_poses[0].translation.z;
                let ankles = humanoid.ankles.map(|name| model.find_link(name).unwrap());
                let weight = (model.mass() - ankles.iter().map(|&ankle| mass_from(&model, ankle)).sum::<f64>()) * G;
                // Single precision lets a robot of 127 kg tremble by a newton; the mean of a tenth of a second.
                let mut force = Vector3::zeros();
                for _ in 0..100 {
                    world.run(1);
                    let reactions = readings(&world, entity).reactions();
                    force += ankles.iter().map(|ankle| reactions[ankle.0].force).sum::<Vector3<f64>>() / 100.0;
                }
                println!(
                    "  {}, n = {iterations}: {:.3} of {weight:.3} N, off by {:.1e}, sideways {:.1e}; root {:.4} m lower",
                    humanoid.name,
                    -force.z,
                    (-force.z / weight - 1.0).abs(),
                    force.xy().norm() / weight,
                    humanoid.height - height
                );
                assert!((-force.z / weight - 1.0).abs() < STANDING && force.xy().norm() < STANDING * weight, "{force}");
            }
        }
    });
}

/// Motion of a standing humanoid over some time.
struct Stand {
    /// The fastest link origin in the second half, m/s.
    speed: f64,
    /// Times a motor comes to its limit or leaves it in the second half.
    switches: u32,
    /// The largest effort against its limit, of joints that are not at their stops; means over [`WINDOW`].
    share: f64,
    /// Mean efforts in the last tenth of a second, N·m.
    efforts: Vec<f64>,
    /// Descent of the root, m.
    sunk: f64,
}

/// Links are measured over so many steps: single precision knows where they are to 0.1 µm.
const WINDOW: u32 = 10;

/// While it has sunk by no more than this it is slow, m. A reading puts the forces of a step where the links are at its end:
/// in a fall at 3 m/s that is 3 mm of lever for the whole weight.
const STANDS: f64 = 0.02;

/// Whether it is the stop of a joint, and not its motor, that may hold it.
fn is_at_stop(model: &Body, joint: usize, displacement: f64) -> bool {
    let range = model.joint(JointIndex(joint)).unwrap().displacement_range;
    displacement < range.lower + 0.01 || displacement > range.upper - 0.01
}

fn watch(world: &mut World, (entity, model): (Entity, &Body), limits: &[f64], steps: u32) -> Stand {
    let mut stand = Stand { speed: 0.0, switches: 0, share: 0.0, efforts: vec![0.0; limits.len()], sunk: 0.0 };
    let start = world.state(entity).link_poses[0].translation.z;
    let (mut window, mut at_stop) = (vec![0.0; limits.len()], vec![false; limits.len()]);
    let mut were_saturated = vec![false; limits.len()];
    let mut poses = world.state(entity).link_poses.clone();
    for step in 1..=steps {
        world.run(1);
        let efforts = readings(world, entity).efforts();
        for (joint, (effort, limit)) in efforts.iter().zip(limits).enumerate() {
            window[joint] += effort / f64::from(WINDOW);
            at_stop[joint] |= is_at_stop(model, joint, world.state(entity).displacements[joint]);
            // In and out at different levels, or noise would count.
            let is_saturated = effort.abs() > limit * if were_saturated[joint] { 0.98 } else { 0.995 };
            if is_saturated != were_saturated[joint] && step > steps / 2 {
                stand.switches += 1;
            }
            were_saturated[joint] = is_saturated;
            if step > steps - 100 {
                stand.efforts[joint] += effort / 100.0;
            }
        }
        if step % WINDOW == 0 {
            let stands = start - world.state(entity).link_poses[0].translation.z < STANDS;
            for (joint, limit) in limits.iter().enumerate().filter(|(joint, _)| stands && !at_stop[*joint]) {
                stand.share = stand.share.max(window[joint].abs() / limit);
            }
            window.fill(0.0);
            at_stop.fill(false);
            let now = &world.state(entity).link_poses;
            if step > steps / 2 {
                let moved = now.iter().zip(&poses).map(|(now, then)| {
                    (now.translation.vector - then.translation.vector).norm() / (0.001 * f64::from(WINDOW))
                });
                stand.speed = moved.fold(stand.speed, f64::max);
            }
            poses.clone_from(now);
        }
    }
    stand.sunk = start - world.state(entity).link_poses[0].translation.z;
    stand
}

/// m/s, and m.
const AT_REST: f64 = 1e-3;
/// Free fall from the height of its head ends with 5.5 m/s.
const FALLING: f64 = 7.0;
/// Tolerance of readings while feet begin to rock, against the limit: motors of 5 N·m below 400 N of load with levers of a tenth of a
/// metre.
const BEYOND: f64 = 1.1;

#[test]
fn a_humanoid_with_limits_on_every_joint_stands_if_they_suffice_and_sinks_if_not() {
    for_both_solvers(|solver| {
        for humanoid in Humanoid::all().into_iter().map(Humanoid::crouching) {
            for kind in [Kind::Servo, Kind::Pd] {
                let free = humanoid.model(None);
                let start = Isometry3::translation(0.0, 0.0, humanoid.height);
                let (mut world, entity) = humanoid.stands(&free, (start, &humanoid.displacements), kind, solver, 4);
                let unlimited = vec![f64::INFINITY; free.num_joints()];
                let stand = watch(&mut world, (entity, &free), &unlimited, 4000);
                let state = world.state(entity).clone();
                let rest = (state.link_poses[0], state.displacements.as_slice());
                let mut limits: Vec<f64> = stand.efforts.iter().map(|effort| (1.5 * effort.abs()).max(5.0)).collect();

                let (mut world, entity) = humanoid.stands(&humanoid.model(Some(&limits)), rest, kind, solver, 4);
                let limited = watch(&mut world, (entity, &free), &limits, 4000);
                println!(
                    "  {} {kind:?}: unlimited {:.1e} m/s; limited {:.1e} m/s, {} switches, efforts up to {:.4} of the limits, {:.1e} m lower",
                    humanoid.name, stand.speed, limited.speed, limited.switches, limited.share, limited.sunk
                );

                assert!(limited.speed < AT_REST && limited.sunk.abs() < AT_REST, "{} m/s", limited.speed);
                assert!(limited.switches == 0 && limited.share < 1.0, "{} switches", limited.switches);

                let knee = free.find_joint(humanoid.knee).unwrap().0;
                limits[knee] = 0.5 * stand.efforts[knee].abs();
                let (mut world, entity) = humanoid.stands(&humanoid.model(Some(&limits)), rest, kind, solver, 4);
                let weak = watch(&mut world, (entity, &free), &limits, 1500);
                println!(
                    "    with {:.1} of {:.1} N·m in a knee: {:.3} m lower, up to {:.1} m/s, efforts up to {:.4} of the limits",
                    limits[knee],
                    stand.efforts[knee].abs(),
                    weak.sunk,
                    weak.speed,
                    weak.share
                );
                assert!(weak.sunk > 0.1 && weak.speed < FALLING, "{} m lower, {} m/s", weak.sunk, weak.speed);
                assert!(weak.share < BEYOND, "{} of the limit", weak.share);
            }
        }
    });
}
