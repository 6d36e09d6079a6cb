//! A world for physics tests: bodies from texts, stepped without a window.

use std::fmt::Write;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::dynamics::Twist;
use bunraku_body::{
    Actuation, Body, BodyPlugin, BodyState, ContactMaterials, Drive, JointActuation, LoadOptions, spawn_body,
};
use bunraku_control::ControlPlugin;
use bunraku_document::{Reporter, Severity};
use bunraku_motion::MotionPlugin;
use bunraku_physics::{InitialTwist, JointLimits, JointSolver, PhysicsParameters, PhysicsPlugin, SurfaceMaterials};
use bunraku_simulation::{Pace, SimulationClock, SimulationStatus};
use bunraku_test_support::{TestFolder, model_text, read_model};
use nalgebra::{Isometry3, Vector3};

pub const G: f64 = 9.80665;

/// A model from the text of its `links`, and what may follow them. There may be notes about it.
#[track_caller]
pub fn body(links: &str) -> Arc<Body> {
    let (body, findings) = read_model(&model_text(&format!("{links}\nname: Thing\n")));
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{findings:?}");
    Arc::new(body.unwrap())
}

/// A contact material table from the lines of its `contact_materials`.
pub fn table(lines: &str) -> ContactMaterials {
    let folder = TestFolder::with(&[("materials.yaml", format!("contact_materials:\n{lines}"))]);
    ContactMaterials::load(&folder.join("materials.yaml"), &LoadOptions::default(), &Reporter::strict()).unwrap()
}

/// Runs a test with impulse joints and with multibody joints; a failure is below the name of the solver.
pub fn for_both_solvers(test: impl Fn(JointSolver)) {
    for solver in [JointSolver::Impulse, JointSolver::Multibody] {
        println!("{solver:?}:");
        test(solver);
    }
}

/// Momentum, and angular momentum about the world's origin, of a body on the way from one state to another in `time` seconds.
pub fn mean_momentum(body: &Body, before: &BodyState, after: &BodyState, time: f64) -> [Vector3<f64>; 2] {
    let links = body.links().iter().zip(before.link_poses.iter().zip(&after.link_poses));
    links.fold([Vector3::zeros(); 2], |[linear, angular], (link, (from, to))| {
        let [begin, end] = [from, to].map(|pose| pose * link.mass.center_of_mass);
        let momentum = (end - begin) * (link.mass.mass / time);
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis() / time;
        let axes = from.rotation.slerp(&to.rotation, 0.5);
        let spin = axes * (link.mass.inertia * (axes.inverse() * turn));
        [linear + momentum, angular + spin + nalgebra::center(&begin, &end).coords.cross(&momentum)]
    })
}

/// A world that can be stepped.
pub struct World {
    pub app: App,
}

impl World {
    pub fn new(time_step: f64, gravity: Vector3<f64>, iterations: usize) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            TransformPlugin,
            BodyPlugin,
            MotionPlugin,
            PhysicsPlugin::default(),
            ControlPlugin,
        ));
        app.insert_resource(SimulationClock::new(time_step));
        app.insert_resource(PhysicsParameters { gravity, iterations, ..PhysicsParameters::default() });
        Self { app }
    }

    /// 1 ms, gravity, 4 iterations.
    pub fn usual() -> Self {
        Self::new(0.001, Vector3::new(0.0, 0.0, -G), 4)
    }

    pub fn weightless() -> Self {
        Self::new(0.001, Vector3::zeros(), 4)
    }

    /// Sets the contact material table from the lines of its `contact_materials`.
    pub fn set_materials(&mut self, lines: &str) {
        self.app.insert_resource(SurfaceMaterials(table(lines)));
    }

    /// The same with joints held together by `solver`.
    pub fn with_joints(mut self, solver: JointSolver) -> Self {
        self.app.world_mut().resource_mut::<PhysicsParameters>().joints = solver;
        self
    }

    pub fn add(&mut self, body: &Arc<Body>, root: Isometry3<f64>, displacements: &[f64], drive: Drive) -> Entity {
        let state = BodyState::at_rest(body, &root, displacements.to_vec());
        let entity = spawn_body(&mut self.app.world_mut().commands(), Arc::clone(body), state, drive);
        self.app.world_mut().flush();
        // Most tests of ranges are about how they are kept.
        self.app.world_mut().entity_mut(entity).insert(JointLimits::Enforce);
        entity
    }

    /// Adds a body whose root begins with a twist.
    pub fn throw(&mut self, body: &Arc<Body>, root: Isometry3<f64>, displacements: &[f64], twist: Twist) -> Entity {
        let entity = self.add(body, root, displacements, Drive::Physics);
        self.app.world_mut().entity_mut(entity).insert(InitialTwist(twist));
        entity
    }

    /// A floor with its top at z = 0.
    pub fn add_floor(&mut self, material: &str) -> Entity {
        let floor = body(&format!(
            "  - {{ name: FLOOR, material: {material}, translation: [ 0, 0, -0.1 ], elements: [ {{ type: Shape, geometry: {{ type: \
             Box, size: [ 20, 20, 0.2 ] }} }} ] }}\n"
        ));
        let pose = floor.root().offset;
        self.add(&floor, pose, &[], Drive::Static)
    }

    pub fn run(&mut self, steps: u32) {
        self.app.insert_resource(Pace::Steps(u64::from(steps)));
        self.app.update();
        let status = self.app.world().resource::<SimulationStatus>();
        assert_eq!(*status, SimulationStatus::Running);
    }

    pub fn state(&self, body: Entity) -> &BodyState {
        self.app.world().get::<BodyState>(body).unwrap()
    }

    pub fn insert(&mut self, entity: Entity, bundle: impl Bundle) {
        self.app.world_mut().entity_mut(entity).insert(bundle);
    }

    /// Actuates all joints of a body alike.
    pub fn actuate(&mut self, body: Entity, actuation: Actuation) {
        self.app.world_mut().get_mut::<JointActuation>(body).unwrap().0.fill(actuation);
    }

    pub fn set_efforts(&mut self, body: Entity, efforts: &[f64]) {
        self.app.world_mut().get_mut::<bunraku_body::JointEfforts>(body).unwrap().0.copy_from_slice(efforts);
    }
}

/// A free cube of 0.2 m and 2 kg.
pub fn cube(material: &str) -> Arc<Body> {
    // m·a²/6
    let inertia = 2.0 * 0.2 * 0.2 / 6.0;
    body(&format!(
        "  - {{ name: CUBE, joint_type: free, material: {material}, mass: 2, inertia: [ {inertia}, 0, 0, {inertia}, 0, {inertia} ], \
         elements: [ {{ type: Shape, geometry: {{ type: Box, size: [ 0.2, 0.2, 0.2 ] }} }} ] }}\n"
    ))
}

/// A fixed base with a 1 kg arm that turns about Y, its centre of mass 0.5 m down, 0.02 kg·m² about it.
pub fn arm(extra: &str) -> Arc<Body> {
    body(&format!(
        "  - name: BASE\n  - {{ name: ARM, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, mass: 1, \
         center_of_mass: [ 0, 0, -0.5 ], inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ]{extra} }}\n"
    ))
}

/// Moment of inertia of [`arm`] about its joint, kg·m².
pub const ARM_INERTIA: f64 = 0.02 + 0.5 * 0.5;

/// The links of a biped of 12 joints that stands on two box feet, with a fixed sole plate below each ankle; about 46 kg. With
/// its root at 0.8 m the soles are on the floor.
pub fn biped() -> String {
    let mut links = String::from(
        "  - { name: PELVIS, joint_type: free, mass: 14, center_of_mass: [ 0.01, 0, 0.1 ], inertia: [ 0.3, 0, 0, 0.25, 0, 0.2 ] }\n",
    );
    let mut id = 0;
    for (side, y) in [("L", 0.1), ("R", -0.1)] {
        let mut parent = "PELVIS".to_owned();
        let joints = [
            ("HIP_YAW", "Z", format!("0, {y}, 0"), 2.0, 0.0),
            ("HIP_ROLL", "X", "0, 0, 0".to_owned(), 2.0, 0.0),
            ("HIP_PITCH", "Y", "0, 0, 0".to_owned(), 6.0, -0.15),
            ("KNEE", "Y", "0, 0, -0.35".to_owned(), 4.0, -0.15),
            ("ANKLE_PITCH", "Y", "0, 0, -0.35".to_owned(), 1.0, 0.0),
            ("ANKLE_ROLL", "X", "0, 0, 0".to_owned(), 2.0, -0.05),
        ];
        for (name, axis, offset, mass, center) in joints {
            let name = format!("{side}_{name}");
            writeln!(
                links,
                "  - {{ name: {name}, parent: {parent}, translation: [ {offset} ], joint_type: revolute, joint_axis: {axis}, joint_id: \
                 {id}, mass: {mass}, center_of_mass: [ 0, 0, {center} ], inertia: [ 0.05, 0, 0, 0.05, 0, 0.05 ], rotor_inertia: 0.1 }}"
            )
            .unwrap();
            parent = name;
            id += 1;
        }
        writeln!(
            links,
            "  - {{ name: {side}_SOLE, parent: {parent}, translation: [ 0.03, 0, -0.09 ], mass: 1, inertia: [ 0.002, 0, 0, 0.004, 0, \
             0.005 ], elements: [ {{ type: Shape, geometry: {{ type: Box, size: [ 0.22, 0.12, 0.02 ] }} }} ] }}"
        )
        .unwrap();
    }
    links
}
