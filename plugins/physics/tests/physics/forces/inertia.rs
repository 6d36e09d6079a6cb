//! Links have the inertia of the model, with any shapes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bevy::prelude::Entity;
use bevy_rapier3d::prelude::RapierRigidBodySet;
use bunraku_body::{Body, Drive, LinkIndex, LoadOptions, MassProperties};
use bunraku_document::{Reporter, SearchRoots};
use bunraku_physics::{
    BodyUse, JointLimits, JointSolver, SimulatedBody, VelocityLimits, massless_links, rapier_findings,
};
use bunraku_test_support::{files_below, share};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::common::{World, body, for_both_solvers};

/// Two wheels of one inertia on a fixed base, about X; the second has a box that is off its axis and turned.
fn wheels(axial: f64, across: f64) -> Arc<Body> {
    let wheel = |name: &str, id: usize, shape: &str| {
        format!(
            "  - {{ name: {name}, parent: BASE, translation: [ {id}, 0, 0 ], joint_type: revolute, joint_axis: X, joint_id: {id}, mass: \
             0.5, inertia: [ {axial}, 0, 0, {across}, 0, {across} ]{shape} }}\n"
        )
    };
    let shape = ", elements: [ { type: Transform, translation: [ 0, 0.1, 0.05 ], rotation: [ 1, 2, 3, 40 ], elements: [ { type: \
                 Shape, geometry: { type: Box, size: [ 0.1, 0.05, 0.02 ] } } ] } ]";
    body(&format!("  - name: BASE\n{}{}", wheel("BARE", 0, ""), wheel("SHAPED", 1, shape)))
}

/// A wheel under a torque for 0.1 s: n steps of dt turn it by τ/I·dt²·n·(n+1)/2 in semi-implicit Euler steps, and by
/// τ/I·(n·dt)²/2 if each step changes the velocity in its middle.
#[test]
fn a_wheel_with_an_offset_shape_turns_as_one_without() {
    for_both_solvers(|solver| {
        for (axial, across) in [(0.005, 0.003), (0.003, 0.005), (5e-6, 3e-6), (4e-6, 2e-6), (2e-9, 1e-9)] {
            let mut world = World::new(0.001, Vector3::zeros(), 1).with_joints(solver);
            let entity = world.add(&wheels(axial, across), Isometry3::identity(), &[0.0; 2], Drive::Physics);
            // 0.5 rad.
            let torque = axial * 100.0;
            for _ in 0..100 {
                world.set_efforts(entity, &[torque; 2]);
                world.run(1);
            }
            let steps = match solver {
                JointSolver::Impulse => 100.0 * 101.0,
                JointSolver::Multibody => 100.0 * 100.0,
            };
            let expected = 100.0 * 1e-6 * steps / 2.0;
            let angles = &world.state(entity).displacements;
            println!("{axial} and {across} kg·m²: {:.6} and {:.6} of {expected} rad", angles[0], angles[1]);
            for angle in angles {
                assert!((angle / expected - 1.0).abs() < 1e-4, "{angle} instead of {expected} rad");
            }
        }
    });
}

/// Errors of rapier's mass properties against the model.
#[derive(Clone, Debug, Default)]
struct Worst {
    /// Relative.
    error: f64,
    link: String,
    /// Parts looked at.
    checked: usize,
}

/// The largest relative error of the inertia of the parts of a body in rapier's world against the model, with the worst link.
fn worst(world: &mut World, entity: Entity, model: &Body) -> Worst {
    let mut sets = world.app.world_mut().query::<&RapierRigidBodySet>();
    let set = &sets.single(world.app.world()).unwrap().bodies;
    let simulated = world.app.world().get::<SimulatedBody>(entity).unwrap();
    // Links that are fixed to each other are one rigid body.
    let mut parts: BTreeMap<_, (LinkIndex, Vec<MassProperties>)> = BTreeMap::new();
    for (index, link) in model.indexed_links() {
        let (handle, pose) = simulated.rigid_body(index);
        let part = parts.entry(handle.into_raw_parts()).or_insert_with(|| (index, Vec::new()));
        part.1.push(link.mass.transformed(&pose));
    }
    let mut worst = Worst::default();
    for (carrier, masses) in parts.into_values() {
        let body = set.get(simulated.rigid_body(carrier).0).unwrap();
        let expected = MassProperties::combine(&masses);
        if !body.is_dynamic() || expected.mass <= 0.0 {
            continue;
        }
        let has = &body.mass_properties().local_mprops;
        let columns = has.reconstruct_inertia_matrix().to_cols_array_2d();
        let inertia = Matrix3::from_fn(|row, column| f64::from(columns[column][row]));
        let symmetric = (expected.inertia + expected.inertia.transpose()) / 2.0;
        let com = Point3::new(has.local_com.x, has.local_com.y, has.local_com.z).cast::<f64>();
        let reach = expected.center_of_mass.coords.norm().max(0.01);
        let errors = [
            (inertia - symmetric).norm() / symmetric.norm(),
            f64::from(has.mass()) / expected.mass - 1.0,
            (com - expected.center_of_mass).norm() / reach,
        ];
        for error in errors {
            if error.abs() > worst.error {
                worst = Worst { error: error.abs(), link: model.link(carrier).name.clone(), ..worst };
            }
        }
        worst.checked += 1;
    }
    worst
}

fn load(file: &Path, share: &Path) -> Option<Body> {
    let options = LoadOptions { roots: SearchRoots::new(Some(share.to_owned())), ..LoadOptions::default() };
    bunraku_body::load(file, &options, &Reporter::new())
}

/// Rounding of a principal frame and three moments in single precision.
const ROUNDED: f64 = 2e-6;

#[test]
fn all_moving_links_of_real_models_have_the_inertia_of_the_model() {
    let Some(share) = share() else { return };
    let mut checked = 0;
    println!("{:32} {:>6} {:>9} {:>9}  worst link", "model", "parts", "at first", "1000 st.");
    for file in files_below(&share.join("model"), &["body"]) {
        let Some(mut model) = load(&file, &share) else { continue };
        if !massless_links(&model).is_empty() {
            continue;
        }
        model.set_fixed(false);
        let displacements = model.initial_displacements();
        let used = BodyUse {
            name: "Thing",
            body: &model,
            drive: Drive::Physics,
            displacements: &displacements,
            actuation: &[],
            losses: None,
            velocities: VelocityLimits::default(),
            limits: JointLimits::default(),
        };
        if rapier_findings(&used).iter().any(|finding| finding.limitation.is_refused()) {
            continue;
        }
        let model = Arc::new(model);
        // Without gravity and commands nothing moves far, whatever the model. (Our own solver has the masses of the model.)
        let mut world = World::new(0.001, Vector3::zeros(), 1).with_joints(JointSolver::Impulse);
        let entity = world.add(&model, Isometry3::identity(), &displacements, Drive::Physics);
        world.run(1);
        let at_first = worst(&mut world, entity, &model);
        world.run(999);
        let later = worst(&mut world, entity, &model);
        let name = file.file_name().unwrap().to_string_lossy();
        println!("{name:32} {:>6} {:>9.1e} {:>9.1e}  {}", later.checked, at_first.error, later.error, later.link);
        assert!(at_first.error < ROUNDED && later.error < ROUNDED, "{name}: {at_first:?}, {later:?}");
        checked += later.checked;
    }
    assert!(checked > 450, "{checked} parts");
}
