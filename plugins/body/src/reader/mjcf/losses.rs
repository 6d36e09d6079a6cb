//! Damping and friction of joints: they belong to scenes.

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::findings::Findings;

/// Most entries of a list in a message.
const MOST: usize = 12;

/// Notes damping and dry friction, in the words of a scene.
pub(super) fn note(tree: &Tree<'_>, findings: &Findings<'_>) {
    let mut first = None;
    let mut lists = [Vec::new(), Vec::new()];
    for (entry, link) in &tree.order {
        for (list, loss) in lists.iter_mut().zip([entry.damping, entry.friction]) {
            if loss != 0.0 {
                first.get_or_insert(entry.element);
                list.push(format!("{}: {loss}", tree.body.link(*link).joint_name()));
            }
        }
    }
    let Some(element) = first else { return };
    let keys = ["joint_damping", "joint_friction"].into_iter().zip(lists).filter(|(_, list)| !list.is_empty());
    let keys: Vec<String> = keys
        .map(|(key, mut list)| {
            if list.len() > MOST {
                list.truncate(MOST);
                list.push("…".to_owned());
            }
            format!("`{key}: {{ {} }}`", list.join(", "))
        })
        .collect();
    let note = Diagnostic::note("joint-losses", "damping and friction of joints belong to the scene, not to the model");
    findings.report(element, note.help(format!("write {} at the body of the scene", keys.join(" and "))));
}
