//! `bunraku info`: what a file contains.

use std::path::PathBuf;

use bunraku::body::{Body, JointIndex, kinematics};
use bunraku::describe;
use bunraku::document::Severity;
use bunraku::motion::BodyMotion;
use bunraku::scene::Scene;
use clap::Args;

use super::files::{self, Loaded};
use super::{CommonArgs, Failure, messages};

#[derive(Args)]
pub struct InfoArgs {
    /// A model (.body, .wrl), motion (.seq) or scene (.scene.yaml)
    file: PathBuf,
    /// Print one JSON document instead of a summary
    #[arg(long)]
    json: bool,
}

pub fn info(arguments: &InfoArgs, common: &CommonArgs) -> Result<(), Failure> {
    let reporter = common.reporter();
    let loaded = files::load(&arguments.file, common, &reporter);
    let diagnostics = reporter.into_diagnostics();
    // In JSON the findings are part of the document, but what makes it fail must be seen all the same.
    let least = if arguments.json && loaded.is_some() { Severity::Error } else { Severity::Warning };
    messages::diagnostics(&diagnostics, least);
    let loaded = loaded.ok_or(Failure::Reported)?;
    if arguments.json {
        let document = match &loaded {
            Loaded::Model(body) => describe::model(body, &diagnostics),
            Loaded::Motion(motion) => describe::motion(motion, &diagnostics),
            Loaded::Scene(scene) => describe::scene(scene, &diagnostics),
        };
        println!("{document:#}");
        return Ok(());
    }
    match &loaded {
        Loaded::Model(body) => print_model(body),
        Loaded::Motion(motion) => print_motion(motion),
        Loaded::Scene(scene) => print_scene(scene),
    }
    Ok(())
}

fn print_model(body: &Body) {
    let poses = kinematics::link_poses(body, &body.root().offset, &body.initial_displacements());
    let center = body.center_of_mass(&poses);
    println!("model      {}", body.name);
    println!("root       {} ({})", body.root().name, if body.is_fixed() { "fixed" } else { "free" });
    println!("mass       {:.6} kg, centre of mass [{:.4}, {:.4}, {:.4}] m", body.mass(), center.x, center.y, center.z);
    println!("links      {}", body.links().len());
    for (index, link) in body.indexed_links() {
        let parent = link.parent.map_or("-", |parent| &body.link(parent).name);
        println!(
            "  {:>3}  {:<24} {:<10} on {:<24} {:>10.4} kg",
            index.0,
            link.name,
            link.joint.kind.as_str(),
            parent,
            link.mass.mass
        );
    }
    println!("joints     {}", body.num_joints());
    for joint in 0..body.num_joints() {
        let name = body.joint_name(JointIndex(joint));
        println!("  {joint:>3}  {}", if name.is_empty() { "(no joint has this ID)" } else { name });
    }
    println!("devices    {}", body.devices.len());
    for device in &body.devices {
        println!("       {:<24} {} on {}", device.name, device.type_name(), body.link(device.link).name);
    }
}

fn print_motion(motion: &BodyMotion) {
    println!("motion     {} frames at {} Hz, {:.4} s", motion.num_frames(), motion.frame_rate, motion.duration());
    println!("links      {}", motion.link_positions.as_ref().map_or(0, |links| links.num_parts()));
    println!("joints     {}", motion.joint_displacements.as_ref().map_or(0, |joints| joints.num_parts()));
    if motion.zmp.is_some() {
        println!("ZMP        yes");
    }
    for other in &motion.others {
        println!("also       {}", other.content);
    }
}

fn print_scene(scene: &Scene) {
    let length = match (scene.duration, scene.num_steps()) {
        (Some(duration), Some(steps)) => format!("{duration} s, {steps} steps"),
        _ => "until it is stopped".to_owned(),
    };
    println!("scene      {}", scene.file.display());
    println!("time step  {} s, {length}", scene.time_step);
    println!("bodies     {}", scene.bodies.len());
    for body in &scene.bodies {
        let controller = if body.controller.is_some() { ", controlled" } else { "" };
        println!(
            "  {:<20} {} links, {} joints, {:?}{controller}",
            body.name,
            body.body.links().len(),
            body.body.num_joints(),
            body.drive
        );
    }
}
