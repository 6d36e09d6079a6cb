//! Damping, friction and springs of joints: they belong to scenes.

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::findings::Findings;
use super::joints::MjcfJoint;

/// Most entries of a list in a message.
const MOST: usize = 12;

/// Notes damping, dry friction and springs, in the words of a scene.
pub(super) fn note(tree: &Tree<'_>, findings: &Findings<'_>) {
    let mut first = None;
    let mut lists = [const { Vec::new() }; 4];
    for (entry, link) in &tree.order {
        let [stiffness, rest] = entry.spring;
        // Angles of scenes are in degrees.
        let rest = if entry.kind == MjcfJoint::Hinge { rest.to_degrees() } else { rest };
        let rest = if stiffness == 0.0 { 0.0 } else { (rest * 1e9).round() / 1e9 };
        for (list, value) in lists.iter_mut().zip([entry.damping, entry.friction, stiffness, rest]) {
            if value != 0.0 {
                first.get_or_insert(entry.element);
                list.push(format!("{}: {value}", tree.body.link(*link).joint_name()));
            }
        }
    }
    let Some(element) = first else { return };
    let what = if lists[2].is_empty() { "damping and friction" } else { "damping, friction and springs" };
    let keys = ["joint_damping", "joint_friction", "joint_stiffness", "joint_rest"]
        .into_iter()
        .zip(lists)
        .filter(|(_, list)| !list.is_empty());
    let keys: Vec<String> = keys
        .map(|(key, mut list)| {
            if list.len() > MOST {
                list.truncate(MOST);
                list.push("…".to_owned());
            }
            format!("`{key}: {{ {} }}`", list.join(", "))
        })
        .collect();
    let note = Diagnostic::note("joint-losses", format!("{what} of joints belong to the scene, not to the model"));
    findings.report(element, note.help(format!("write {} at the body of the scene", keys.join(" and "))));
}
