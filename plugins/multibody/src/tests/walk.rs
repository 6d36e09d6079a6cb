//! SR1 walks on a plane that its soles touch with their corners alone: the solver without collision detection.
//!
//! Where the path differs from Choreonoid's, it is because of what a contact is. Choreonoid's contacts are the points in which the triangles of
//! two meshes cut each other, all as deep as the deepest of them, and surfaces may sink until that is 0.25 mm. A sole that is tilted a little
//! then stays so: it is borne where it enters the floor, in its middle, and one edge of it hangs in the air while the robot stands on
//! one leg. A rigid sole that is borne at its corners falls flat at once.

use std::path::Path;

use bunraku_body::kinematics::link_poses;
use bunraku_document::Reporter;
use bunraku_motion::BodyMotion;
use bunraku_test_support::{golden, share};

use super::*;

/// The lower side of a sole in the frame of its link, m: ends along x and y, and z.
const SOLE: ([f64; 2], [f64; 2], f64) = ([-0.07, 0.18], [-0.07, 0.07], -0.055);
const TIME_STEP: f64 = 0.002;
const STEPS: usize = 6701;
/// Steps for each frame of the recording.
const THINNED: usize = 5;
/// Seconds in which the robot stands on its left foot.
const ON_THE_LEFT: std::ops::Range<f64> = 4.6..5.1;

/// The lower corners of a sole in the world.
fn corners(ankle: &Isometry3<f64>) -> [Vector3<f64>; 4] {
    let ([back, front], [right, left], z) = SOLE;
    [(back, right), (back, left), (front, right), (front, left)].map(|(x, y)| (ankle * Point3::new(x, y, z)).coords)
}

fn highest(ankle: &Isometry3<f64>) -> f64 {
    corners(ankle).map(|corner| corner.z).into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn touch(foot: PartIndex, ankle: &Isometry3<f64>, contacts: &mut Vec<Contact>) {
    for (number, point) in corners(ankle).into_iter().enumerate().filter(|(_, corner)| corner.z < 0.002) {
        contacts.push(corner_on_floor(foot, number, point));
    }
}

/// The robot follows a motion by efforts, as the controller of Choreonoid's sample does.
struct Walker {
    world: World,
    pattern: bunraku_motion::Sequence<f64>,
    coordinates: Vec<usize>,
    before: Vec<f64>,
    feet: [PartIndex; 2],
}

impl Walker {
    fn new(body: &Body, share: &Path) -> Self {
        let pattern = load(&share.join("motion/SR1/SR1WalkPattern1.seq")).joint_displacements.unwrap();
        let before = pattern.frame(0).to_vec();
        let (mut world, compiled) = world_of(body, RootMotion::Free);
        compiled.place(body, &mut world.state, &world.system, &Isometry3::translation(0.0, 0.0, 0.7135), &before);
        world.parameters.time_step = TIME_STEP;
        let coordinates = compiled.coordinates.iter().map(|coordinate| coordinate.unwrap().0).collect();
        let feet = ["RLEG_ANKLE_R", "LLEG_ANKLE_R"].map(|name| compiled.links[body.find_link(name).unwrap().0].0);
        Self { world, pattern, coordinates, before, feet }
    }

    fn step(&mut self, step: usize) {
        let (now, past) = (self.pattern.frame(step), self.pattern.frame(step.saturating_sub(1)));
        for (joint, &coordinate) in self.coordinates.iter().enumerate() {
            let is_arm = (6..13).contains(&joint) || (19..26).contains(&joint);
            let displacement = self.world.state.displacements[coordinate];
            let speed = (now[joint] - past[joint] - (displacement - self.before[joint])) / TIME_STEP;
            let stiffness = if is_arm { 3000.0 } else { 8000.0 };
            self.world.drives[coordinate] = Drive::effort(stiffness * (now[joint] - displacement) + 100.0 * speed);
            self.before[joint] = displacement;
        }
        let feet = self.feet;
        self.world.step_with(|solver, contacts| {
            feet.iter().for_each(|&foot| touch(foot, &solver.pose(foot), contacts));
        });
    }
}

fn load(file: &Path) -> BodyMotion {
    BodyMotion::load(file, &Reporter::new()).unwrap()
}

#[test]
fn sr1_walks_as_recorded_but_for_soles_that_choreonoid_lets_tilt() {
    let (Some(body), Some(share), Some(golden)) = (sr1(), share(), golden()) else { return };
    let recorded = load(&golden.join("runs/SR1Walk-SR1.seq"));
    let (roots, joints) = (recorded.link_positions.unwrap(), recorded.joint_displacements.unwrap());
    let left = body.find_link("LLEG_ANKLE_R").unwrap().0;
    let mut walker = Walker::new(&body, &share);
    let (mut worst, mut end) = (0.0_f64, 0.0);
    let [mut lifted, mut lifted_as_recorded] = [0.0_f64; 2];
    let [mut sweeps, mut contacts, mut unsolved] = [0; 3];
    for step in 1..=STEPS {
        walker.step(step - 1);
        let Outcome { sweeps: swept, unconverged, .. } = walker.world.outcome;
        sweeps += swept;
        unsolved += unconverged;
        contacts += walker.world.contacts.len();
        let frame = step / THINNED;
        if step % THINNED != 0 || frame >= roots.num_frames() {
            continue;
        }
        let root = roots.frame(frame)[0];
        end = (walker.world.pose(PartIndex(0)).translation.vector - root.translation.vector).norm();
        worst = worst.max(end);
        if ON_THE_LEFT.contains(&(step as f64 * TIME_STEP)) {
            lifted = lifted.max(highest(&walker.world.pose(walker.feet[1])));
            lifted_as_recorded = lifted_as_recorded.max(highest(&link_poses(&body, &root, joints.frame(frame))[left]));
        }
    }
    let mean = |sum: usize| sum as f64 / STEPS as f64;
    println!("{:.2} mm off at most, {:.2} mm at the end", worst * 1e3, end * 1e3);
    println!("{:.2} contacts, {:.2} sweeps a step, {unsolved} steps not solved", mean(contacts), mean(sweeps));
    println!(
        "on one leg an edge of the sole is up to {:.3} mm high; recorded {:.3}",
        lifted * 1e3,
        lifted_as_recorded * 1e3
    );
    assert!(worst < 0.015 && end < 0.005 && unsolved <= 10);
    assert!(lifted < 1e-4 && lifted_as_recorded > 4e-4);
}

#[test]
#[ignore = "measures time"]
fn what_a_step_of_the_walk_costs() {
    let (Some(body), Some(share)) = (sr1(), share()) else { return };
    let walk = || {
        let mut walker = Walker::new(&body, &share);
        let start = std::time::Instant::now();
        (0..STEPS).for_each(|step| walker.step(step));
        start.elapsed().as_secs_f64() * 1e6 / STEPS as f64
    };
    let times: Vec<f64> = (0..8).map(|_| walk()).collect();
    println!("{:.2} µs, the fastest of {}", times.iter().copied().fold(f64::INFINITY, f64::min), times.len());
}
