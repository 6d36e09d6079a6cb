//! Prints data for a comparison with other engines: links, joints, poses and the mass matrix of models in one generic
//! pose, one JSON document a line. `motions` has further poses with velocities, mass matrices and bias efforts.
//!
//! `cargo run -p bunraku_body --no-default-features --example describe_dynamics -- [--convert DIR] FILE…`. With
//! `--convert` each model is also written as a `.body` into the directory, read again, and printed a second time. With
//! `--export` it is also written as MJCF and as URDF, of which the latter is read again and printed.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};

use bunraku_body::dynamics::{Configuration, Twist};
use bunraku_body::{Body, LinkIndex, LoadOptions, WriteOptions, WrittenModel, load, write, write_mjcf, write_urdf};
use bunraku_document::{Reporter, SearchRoots};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut directory = None;
    let exports = arguments.first().is_some_and(|first| first == "--export");
    if arguments.first().is_some_and(|first| exports || first == "--convert") && arguments.len() > 1 {
        directory = Some(PathBuf::from(arguments.remove(1)));
        arguments.remove(0);
    }
    let roots = SearchRoots::default().with_ros_environment().allow_outside(true);
    let options = LoadOptions { roots, ..LoadOptions::default() };
    for (number, file) in arguments.iter().map(Path::new).enumerate() {
        let Some(body) = read(file, &options) else {
            println!("{}", json!({ "file": file, "failed": true }));
            continue;
        };
        println!("{}", describe(file, &body));
        let Some(directory) = &directory else { continue };
        if exports {
            export(&body, &directory.join(format!("{number}.xml")), &options, write_mjcf)?;
            let path = directory.join(format!("{number}.urdf"));
            export(&body, &path, &options, write_urdf)?;
            match read(&path, &options) {
                Some(again) => println!("{}", describe(&path, &again)),
                None => println!("{}", json!({ "file": path, "failed": true })),
            }
            continue;
        }
        let path = directory.join(format!("{number}.body"));
        let reporter = Reporter::new();
        let written = write(&body, &WriteOptions { path: &path, roots: &options.roots }, &reporter);
        std::fs::write(&path, written.text)?;
        match read(&path, &options) {
            Some(again) => println!("{}", describe(&path, &again)),
            None => println!("{}", json!({ "file": path, "failed": true })),
        }
    }
    Ok(())
}

type Write = fn(&Body, &WriteOptions<'_>, &Reporter) -> WrittenModel;

fn export(body: &Body, path: &Path, options: &LoadOptions, write: Write) -> std::io::Result<()> {
    let reporter = Reporter::new();
    let written = write(body, &WriteOptions { path, roots: &options.roots }, &reporter);
    for file in &written.files {
        std::fs::write(&file.path, &file.bytes)?;
    }
    if std::env::var_os("SHOW_FINDINGS").is_some() {
        reporter.into_diagnostics().iter().for_each(|finding| eprintln!("{finding}"));
    }
    std::fs::write(path, written.text)
}

fn read(file: &Path, options: &LoadOptions) -> Option<Body> {
    let reporter = Reporter::new();
    let body = load(file, options, &reporter);
    let is_shown = body.is_none() || std::env::var_os("SHOW_FINDINGS").is_some();
    if is_shown {
        reporter.into_diagnostics().iter().for_each(|finding| eprintln!("{finding}"));
    }
    body
}

fn describe(file: &Path, body: &Body) -> Value {
    let count = body.num_joints();
    #[allow(clippy::cast_precision_loss)]
    let displacements: Vec<f64> = (0..count).map(|joint| 0.8 * (1.7 * joint as f64 + 0.3).sin()).collect();
    let turn = UnitQuaternion::new(Vector3::new(1.0, 2.0, 3.0).normalize() * 0.7);
    let root = Isometry3::from_parts(Translation3::new(0.3, -0.2, 0.9), turn);
    let configuration = Configuration::new(body, &root, &displacements);
    let matrix = configuration.mass_matrix();
    let links = body.indexed_links().map(|(index, link)| {
        let joint = &link.joint;
        json!({
            "name": link.name,
            "parent": link.parent.map(|LinkIndex(parent)| parent),
            "joint": link.joint_name(),
            "place": body.joints().iter().position(|slot| *slot == bunraku_body::JointSlot::Link(index)),
            "type": joint.kind.as_str(),
            "range": ([joint.displacement_range.lower, joint.displacement_range.upper].map(finite)),
            "velocity": finite(joint.velocity_range.upper),
            "effort": finite(joint.effort_range.upper),
            "mass": link.mass.mass,
            "center_of_mass": link.mass.center_of_mass.coords.as_slice(),
            "inertia": rows(&link.mass.inertia),
            "pose": rows(&configuration.link_poses()[index.0].to_homogeneous()),
        })
    });
    json!({
        "file": file,
        "name": body.name,
        "fixed": body.is_fixed(),
        "root": rows(&root.to_homogeneous()),
        "displacements": displacements,
        "links": links.collect::<Vec<_>>(),
        "couplings": body.joint_couplings().iter().map(|coupling| json!({
            "follower": coupling.follower.0,
            "leader": coupling.leader.0,
            "polynomial": coupling.polynomial,
        })).collect::<Vec<_>>(),
        "extra_joints": body.extra_joints.iter().map(|joint| json!({
            "kind": joint.kind.as_str(),
            "links": [joint.links[0].0, joint.links[1].0],
        })).collect::<Vec<_>>(),
        "motions": (1..4).map(|seed| motion(body, f64::from(seed))).collect::<Vec<_>>(),
        "mass_matrix": matrix.row_iter().map(|row| row.iter().copied().collect()).collect::<Vec<Vec<f64>>>(),
    })
}

/// A pose with velocities, in no order: mass matrix, and what it takes not to accelerate under gravity.
fn motion(body: &Body, seed: f64) -> Value {
    let count = body.num_joints();
    #[allow(clippy::cast_precision_loss)]
    let number = |index: usize, shift: f64| ((index as f64 + 1.0) * 12.9898 + (seed + shift) * 78.233).sin();
    let displacements: Vec<f64> = (0..count).map(|joint| 0.9 * number(joint, 0.0)).collect();
    let velocities: Vec<f64> = (0..count).map(|joint| 2.0 * number(joint, 0.5)).collect();
    let vector = |shift: f64| Vector3::new(number(0, shift), number(1, shift), number(2, shift));
    let root = Isometry3::from_parts(Translation3::from(vector(0.1)), UnitQuaternion::new(vector(0.2) * 1.5));
    let twist = if body.is_fixed() { Twist::ZERO } else { Twist { linear: vector(0.3), angular: vector(0.4) } };
    let root = if body.is_fixed() { body.root().offset } else { root };
    let configuration = Configuration::new(body, &root, &displacements);
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let still = vec![0.0; count];
    let bias = configuration.inverse_dynamics(&twist, &Twist::ZERO, &velocities, &still, &gravity, &[]);
    let poses = configuration.link_poses().iter().map(|pose| rows(&pose.to_homogeneous()));
    json!({
        "root": rows(&root.to_homogeneous()),
        "twist": [twist.linear.as_slice(), twist.angular.as_slice()],
        "displacements": displacements,
        "velocities": velocities,
        "poses": poses.collect::<Vec<_>>(),
        "mass_matrix": configuration.mass_matrix().row_iter().map(|row| row.iter().copied().collect()).collect::<Vec<Vec<f64>>>(),
        "root_wrench": [bias.root_wrench.force.as_slice(), bias.root_wrench.torque.as_slice()],
        "bias": bias.efforts,
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn rows<const N: usize>(matrix: &nalgebra::SMatrix<f64, N, N>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
