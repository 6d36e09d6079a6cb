//! MJCF models: XML files of MuJoCo with a `<mujoco>` of bodies.
//!
//! A body with several joints becomes several links, one for each joint; the last one has its mass and shapes. Joint
//! displacements are those of MuJoCo (`qpos`), so that a joint with a `ref` starts there. A single body of the world
//! that floats or is fixed is the root; otherwise a link `world` is.
//!
//! Sources: MuJoCo's XML reference, and `mj_printSchema` of MuJoCo 3.17 for the grammar.

mod actuators;
mod assets;
mod bodies;
mod compiler;
mod contacts;
mod defaults;
mod devices;
mod element;
mod equality;
mod files;
mod findings;
mod geoms;
mod grammar;
mod inertia;
mod joints;
mod keyframes;
mod losses;
mod mesh_mass;
mod model;
mod msh;
mod poses;
mod primitive_mass;
mod replicate;
mod sections;
mod spring_dampers;
mod tendons;
mod treatment;
mod view;

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, SourceFile};
use roxmltree::Document;

use self::assets::Assets;
use self::bodies::Tree;
use self::element::Element;
use self::findings::Findings;
use self::grammar::Grammar;
use self::model::ModelFile;
use self::tendons::Tendons;
use super::Reading;
use crate::{Body, Implausibility, ImplausibilityKind, JointId};

/// Body of a file whose root is `<mujoco>`.
pub(super) fn read_mujoco(
    source: &Arc<SourceFile>,
    document: &Document<'_>,
    path: &Path,
    reading: &Reading<'_>,
) -> Option<Body> {
    let findings = Findings::new(reading.reporter);
    let root = files::load(source, document, reading, &findings)?;
    Grammar::new().check(&root, &findings);
    let body = replicate::expand(root, &findings).and_then(|root| read_model(&root, path, reading, &findings));
    findings.finish();
    body
}

fn read_model(root: &Element, path: &Path, reading: &Reading<'_>, findings: &Findings<'_>) -> Option<Body> {
    let name = root.attribute("model").filter(|name| !name.is_empty());
    let name = name.map_or_else(|| super::file_names::file_stem(path), str::to_owned);
    let file = ModelFile::new(root, findings, reading);
    let assets = Assets::new(&file);
    let mut tree = bodies::read_tree(name, &file, &assets)?;
    number_joints(&mut tree);
    super::tree::assign_joints(&mut tree.body, reading.is_sub_body, &mut |_, code, message, help| {
        findings.report(root, Diagnostic::warning(code, message).help(help));
    });
    inertia::set_total(&mut tree.body, tree.has_world, &file.compiler);
    let tendons = Tendons::read(&tree, &file);
    // Actuators of tendons drive the joint that leads the others.
    equality::read(&mut tree, &tendons, &file);
    actuators::read(&mut tree, &tendons, &file);
    // The inertias of joints are known now, and the pose is still that of the file.
    spring_dampers::read(&mut tree, findings);
    contacts::read(&mut tree, &file);
    devices::read(&mut tree, &file);
    keyframes::read(&mut tree, &file, reading.options.keyframe.as_deref());
    losses::note(&tree, findings);
    sections::note(&file);
    if reading.options.check_plausibility && !reading.is_sub_body {
        warn_of_implausibilities(&tree, findings);
    }
    Some(tree.body)
}

/// Numbers the joints in the order of the file's configurations.
fn number_joints(tree: &mut Tree<'_>) {
    let joints = tree.body.links.iter_mut().skip(1).map(|link| &mut link.joint);
    for (id, joint) in joints.filter(|joint| joint.kind.has_displacement()).enumerate() {
        joint.id = Some(JointId(id));
    }
}

/// Reports implausible values at the elements that links were read from.
fn warn_of_implausibilities(tree: &Tree<'_>, findings: &Findings<'_>) {
    for Implausibility { link, kind } in tree.body.implausibilities() {
        let Some([body, joint]) = tree.elements.get(link.0).copied() else { continue };
        let of_joint = matches!(
            kind,
            ImplausibilityKind::AxisLength(_)
                | ImplausibilityKind::CrossingLimits { .. }
                | ImplausibilityKind::SingleValueRange(_)
                | ImplausibilityKind::InitialDisplacement { .. }
                | ImplausibilityKind::NegativeRotorInertia(_)
                | ImplausibilityKind::GearEfficiency(_)
        );
        let element = if of_joint { joint.or(body) } else { body.or(joint) };
        let message = format!("link `{}`: {kind}", tree.body.link(link).name);
        let warning = Diagnostic::warning(kind.code(), message).help(kind.help());
        match element {
            Some(element) => findings.report(element, warning),
            None => findings.reporter().report(warning),
        }
    }
}
