//! `<tendon>`: fixed tendons, whose lengths are sums of joint displacements. They couple joints, and actuators pull them.

use std::collections::HashMap;

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::element::Element;
use super::findings::{short, suggest};
use super::joints::MjcfJoint;
use super::model::ModelFile;
use super::view::View;
use crate::LinkIndex;

/// Properties with which a tendon acts on its joints by itself.
const PASSIVE: [&str; 7] =
    ["range", "stiffness", "damping", "frictionloss", "armature", "springlength", "actuatorfrcrange"];

/// The fixed tendons of a model: links of hinges and slides with their coefficients.
pub(super) struct Tendons<'m>(HashMap<&'m str, Vec<(LinkIndex, f64)>>);

impl<'m> Tendons<'m> {
    /// Reads all fixed tendons; warns of what they do by themselves, and of spatial ones.
    pub(super) fn read(tree: &Tree<'m>, file: &'m ModelFile<'m>) -> Self {
        let mut tendons = HashMap::new();
        let findings = file.findings;
        for element in file.root.section("tendon") {
            if element.tag != "fixed" {
                let warning = Diagnostic::warning("mjcf-unsupported", "spatial tendons are not simulated");
                findings.once("tendon-spatial", element, warning.help("drive the joints themselves"));
                continue;
            }
            let view = file.view_as(element, "tendon", None);
            let acts = |name: &&&str| {
                view.text(name).is_some_and(|text| !text.split_ascii_whitespace().all(|word| word.parse() == Ok(0.0)))
            };
            if let Some(name) = PASSIVE.iter().find(acts)
                && view.flag("limited") != Some(false)
            {
                let message = format!("tendons have no `{name}` here");
                let warning = Diagnostic::warning("mjcf-unsupported", message);
                let (element, help) =
                    (view.find(name).map_or(element, |(at, _)| at), "give it to the joints themselves");
                findings.once_attribute(&format!("tendon-{name}"), element, name, warning.help(help));
            }
            let joints: Option<Vec<_>> = element.all("joint").map(|joint| read_joint(joint, tree, file)).collect();
            if let (Some(name), Some(joints)) = (element.attribute("name"), joints) {
                tendons.insert(name, joints);
            }
        }
        Self(tendons)
    }

    /// The links of a tendon that an attribute names; `None` after a finding.
    pub(super) fn find(&self, view: &View<'_>, attribute: &str, file: &ModelFile<'_>) -> Option<&[(LinkIndex, f64)]> {
        let name = view.text(attribute)?;
        let found = self.0.get(name);
        if found.is_none() {
            let spatial = |element: &Element| element.tag == "spatial" && element.attribute("name") == Some(name);
            if file.root.section("tendon").any(spatial) {
                let warning = Diagnostic::warning("mjcf-unsupported", "what acts on spatial tendons is left out");
                let help = "drive and couple the joints themselves";
                file.findings.once("of-spatial", view.element, warning.help(help));
            } else {
                let error = Diagnostic::error("unknown-tendon", format!("there is no tendon `{}`", short(name)));
                let mut known: Vec<&str> = self.0.keys().copied().collect();
                known.sort_unstable();
                view.report(attribute, suggest(error, name, known));
            }
        }
        found.map(Vec::as_slice)
    }
}

fn read_joint(element: &Element, tree: &Tree<'_>, file: &ModelFile<'_>) -> Option<(LinkIndex, f64)> {
    let findings = file.findings;
    let view = View::new(element, Vec::new(), findings);
    let Some(name) = view.text("joint") else {
        let error = Diagnostic::error("missing-key", "a joint of a tendon needs the attribute `joint`");
        findings.report(element, error.help("write the name of a joint"));
        return None;
    };
    let Some(placed) = tree.joints.get(name) else {
        let error = Diagnostic::error("unknown-joint", format!("there is no joint `{}`", short(name)));
        let mut known: Vec<&str> = tree.joints.keys().copied().collect();
        known.sort_unstable();
        view.report("joint", suggest(error, name, known));
        return None;
    };
    if !matches!(placed.kind, MjcfJoint::Hinge | MjcfJoint::Slide) {
        let error = Diagnostic::error("unknown-joint-type", "a tendon is of hinges and slides");
        view.report("joint", error.help("name another joint"));
        return None;
    }
    Some((placed.link, view.number("coef").unwrap_or(1.0)))
}

/// The joint that leads all joints of a tendon, and the change of the tendon's length for a unit change of its
/// displacement; `None` if they move independently, or along a curve.
pub(super) fn leader(joints: &[(LinkIndex, f64)], tree: &Tree<'_>) -> Option<(LinkIndex, f64)> {
    let led = |&(link, coefficient): &(LinkIndex, f64)| {
        let (mut link, mut ratio) = (link, coefficient);
        while let Some(coupling) = tree.body.joint_couplings().iter().find(|coupling| coupling.follower == link) {
            ratio *= coupling.as_linear()?.0;
            link = coupling.leader;
        }
        Some((link, ratio))
    };
    let all: Option<Vec<_>> = joints.iter().map(led).collect();
    let all = all?;
    let first = all.first()?.0;
    let ratio: f64 = all.iter().map(|(_, ratio)| ratio).sum();
    (all.iter().all(|(link, _)| *link == first) && ratio != 0.0).then_some((first, ratio))
}
