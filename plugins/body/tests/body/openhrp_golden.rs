//! OpenHRP models agree with Choreonoid's data after loading the same files.

use std::path::Path;

use bunraku_body::{Body, JointIndex, JointKind, LoadOptions, Range, kinematics};
use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::{BoundingBox, LoadContext, SceneNode, load_scene};
use nalgebra::{Affine3, Matrix3, Point3, Vector3};
use serde_json::Value;

/// Golden numbers have nine digits.
const TOLERANCE: f64 = 1e-6;
/// Tolerance of box corners, m.
const BOX_TOLERANCE: f64 = 1e-4;

/// Collects differences.
struct Comparison {
    model: String,
    /// Bounding box of the only link, computed as in Choreonoid.
    turned: Option<BoundingBox>,
    differences: Vec<String>,
}

impl Comparison {
    fn numbers(&mut self, what: &str, golden: &Value, found: &[f64], tolerance: f64) {
        let mut wanted = Vec::new();
        flatten(golden, &mut wanted);
        let close = |(&wanted, &found): (&f64, &f64)| {
            wanted == found || (wanted - found).abs() <= tolerance.max(TOLERANCE * wanted.abs())
        };
        if wanted.len() != found.len() || !wanted.iter().zip(found).all(close) {
            self.differences.push(format!("{} {what}: {found:?}, golden has {wanted:?}", self.model));
        }
    }

    fn text(&mut self, what: &str, golden: &Value, found: &str) {
        if golden.as_str().unwrap_or_default() != found {
            self.differences.push(format!("{} {what}: {found}, golden has {golden}", self.model));
        }
    }
}

/// All numbers of a value; a missing one is infinite.
fn flatten(value: &Value, numbers: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, numbers)),
        Value::Null => numbers.push(f64::INFINITY),
        other => numbers.push(other.as_f64().unwrap()),
    }
}

fn rows(matrix: &Matrix3<f64>) -> Vec<f64> {
    matrix.transpose().iter().copied().collect()
}

fn ends(range: &Range) -> [f64; 2] {
    [range.lower, range.upper].map(|end| if end.is_finite() { end } else { f64::INFINITY })
}

fn vector(vector: &Vector3<f64>) -> Vec<f64> {
    vector.iter().copied().collect()
}

fn point(point: &Point3<f64>) -> Vec<f64> {
    vector(&point.coords)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn compare(golden: &Value, body: &Body, comparison: &mut Comparison) {
    let poses = kinematics::link_poses(body, &body.root().offset, &body.initial_displacements());
    comparison.text("name", &golden["model_name"], &body.name);
    comparison.numbers("links", &golden["num_links"], &[number(body.links().len())], 0.0);
    comparison.numbers("joints", &golden["num_joints"], &[number(body.num_joint_ids())], 0.0);
    comparison.numbers("all joints", &golden["num_all_joints"], &[number(body.num_joints())], 0.0);
    let names: Vec<&str> = (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint))).collect();
    if golden["all_joints"] != serde_json::json!(names) {
        comparison
            .differences
            .push(format!("{}: joints {names:?}, golden has {}", comparison.model, golden["all_joints"]));
    }
    comparison.numbers("mass", &golden["mass"], &[body.mass()], TOLERANCE);
    comparison.numbers("centre", &golden["center_of_mass"], &point(&body.center_of_mass(&poses)), TOLERANCE);
    comparison.numbers("extra joints", &golden["num_extra_joints"], &[number(body.extra_joints.len())], 0.0);
    for ((link, pose), golden) in body.links().iter().zip(&poses).zip(golden["links"].as_array().unwrap()) {
        let joint = &link.joint;
        comparison.text("link", &golden["name"], &link.name);
        let parent = link.parent.map(|parent| body.link(parent).name.as_str());
        comparison.text("parent", &golden["parent"], parent.unwrap_or_default());
        comparison.text("type", &golden["joint_type"], joint.kind.as_str());
        comparison.numbers("ID", &golden["joint_id"], &[joint.id.map_or(-1.0, |id| number(id.0))], 0.0);
        // Choreonoid drops the axis of a crawler, without which the direction of its surface motion is undefined.
        let axis = if joint.kind == JointKind::PseudoContinuousTrack { Vector3::zeros() } else { joint.axis };
        let named = |what: &str| format!("{} {what}", link.name);
        comparison.numbers(&named("axis"), &golden["joint_axis"], &vector(&axis), TOLERANCE);
        comparison.numbers(&named("range"), &golden["range"], &ends(&joint.displacement_range), TOLERANCE);
        comparison.numbers(&named("velocity"), &golden["velocity_range"], &ends(&joint.velocity_range), TOLERANCE);
        comparison.numbers(&named("effort"), &golden["effort_range"], &ends(&joint.effort_range), TOLERANCE);
        comparison.numbers(
            &named("initial"),
            &golden["initial_displacement"],
            &[joint.initial_displacement],
            TOLERANCE,
        );
        let offset = &link.offset;
        comparison.numbers(&named("at"), &golden["offset_translation"], &vector(&offset.translation.vector), TOLERANCE);
        let rotation = offset.rotation.to_rotation_matrix();
        comparison.numbers(&named("turn"), &golden["offset_rotation"], &rows(rotation.matrix()), TOLERANCE);
        comparison.numbers(&named("mass"), &golden["mass"], &[link.mass.mass], TOLERANCE);
        comparison.numbers(&named("centre"), &golden["center_of_mass"], &point(&link.mass.center_of_mass), TOLERANCE);
        comparison.numbers(&named("inertia"), &golden["inertia"], &rows(&link.mass.inertia), TOLERANCE);
        let rotor = joint.equivalent_rotor_inertia;
        comparison.numbers(&named("rotor"), &golden["equivalent_rotor_inertia"], &[rotor], TOLERANCE);
        comparison.text(&named("material"), &golden["material"], link.material.as_deref().unwrap_or_default());
        let world = &pose.translation.vector;
        comparison.numbers(&named("world"), &golden["world_translation"], &vector(world), TOLERANCE);
        let world = pose.rotation.to_rotation_matrix();
        comparison.numbers(&named("world turn"), &golden["world_rotation"], &rows(world.matrix()), TOLERANCE);
        let bounds = match comparison.turned {
            Some(bounds) => Some(bounds),
            None => link.visual.iter().filter_map(|shape| shape.bounding_box()).reduce(BoundingBox::union),
        };
        let bounds = bounds.map_or(vec![f64::INFINITY], |bounds| [point(&bounds.min), point(&bounds.max)].concat());
        comparison.numbers(&named("box"), &golden["visual_bbox"], &bounds, BOX_TOLERANCE);
    }
    comparison.numbers(
        "devices",
        &number(golden["devices"].as_array().unwrap().len()).into(),
        &[number(body.devices.len())],
        0.0,
    );
    for (device, golden) in body.devices.iter().zip(golden["devices"].as_array().unwrap()) {
        comparison.text("device", &golden["name"], &device.name);
        comparison.text(&device.name, &golden["type"], device.type_name());
        comparison.text(&device.name, &golden["link"], &body.link(device.link).name);
        comparison.numbers(&device.name, &golden["id"], &[device.id.map_or(-1.0, number)], 0.0);
        let pose: Vec<f64> = device.transform.matrix().transpose().iter().copied().collect();
        comparison.numbers(&device.name, &golden["T_local"], &pose, TOLERANCE);
    }
}

/// Bounding box of a model with one link as in Choreonoid: at each node the box so far is rotated and enclosed by a new
/// box.
fn turned_box(file: &Path, body: &Body) -> BoundingBox {
    let (roots, limits, reporter) = (SearchRoots::default(), Limits::default(), Reporter::new());
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    let nodes = load_scene(file, &context).unwrap().nodes;
    let bounds = nodes.iter().filter_map(turned_node).reduce(BoundingBox::union).unwrap();
    // Shapes of the file are moved by the pose of the link, which does not rotate them.
    let moved = body.root().offset.translation.vector;
    BoundingBox { min: bounds.min - moved, max: bounds.max - moved }
}

fn turned_node(node: &SceneNode) -> Option<BoundingBox> {
    let around = |own: BoundingBox, transform: &Affine3<f64>| {
        let side = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { own.min[axis] } else { own.max[axis] };
        let corners = (0..8).map(|corner| transform * Point3::from([0, 1, 2].map(|axis| side(corner, axis))));
        BoundingBox::around(corners).unwrap()
    };
    let shapes = node.shapes.iter().filter_map(|shape| {
        Some(around(shape.geometry.triangles().bounding_box(&Affine3::identity())?, &shape.transform))
    });
    let own = shapes.chain(node.children.iter().filter_map(turned_node)).reduce(BoundingBox::union)?;
    Some(around(own, &node.transform))
}

#[test]
fn every_openhrp_model_agrees_with_choreonoid() {
    let (Some(corpus), Some(golden)) = (bunraku_test_support::corpus(), bunraku_test_support::golden()) else {
        return;
    };
    let options = LoadOptions { roots: SearchRoots::new(Some(corpus.join("share"))), ..LoadOptions::default() };
    let directory = golden.join("models");
    let found = bunraku_test_support::files_below(&directory, &["wrl.json"]);
    let mut differences = Vec::new();
    for file in &found {
        let model = file.strip_prefix(&directory).unwrap().with_extension("");
        let reporter = Reporter::new();
        let body = bunraku_body::load(&corpus.join(&model), &options, &reporter);
        let findings = reporter.into_diagnostics();
        println!("{:<44} {} findings", model.display(), findings.len());
        findings.iter().take(5).for_each(|finding| println!("    {finding}"));
        let Some(body) = body else {
            differences.push(format!("{} does not load", model.display()));
            continue;
        };
        let golden: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let turned = model.ends_with("unevenfloor.wrl").then(|| turned_box(&corpus.join(&model), &body));
        let mut comparison = Comparison { model: model.display().to_string(), turned, differences: Vec::new() };
        compare(&golden, &body, &mut comparison);
        differences.append(&mut comparison.differences);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(found.len() >= 24, "{} models", found.len());
}
