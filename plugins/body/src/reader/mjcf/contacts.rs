//! `<contact>`: pairs of bodies that do not collide.

use bunraku_document::Diagnostic;

use super::bodies::Tree;
use super::findings::{short, suggest};
use super::model::ModelFile;
use crate::{CollisionRule, Link, LinkIndex};

/// Reads the exclusions as rules of the body. Bodies that are fixed to each other and neighbours do not collide in
/// MuJoCo.
pub(super) fn read<'m>(tree: &mut Tree<'m>, file: &'m ModelFile<'m>) {
    let findings = file.findings;
    let mut rules = Vec::new();
    for element in file.root.section("contact") {
        match element.tag.as_str() {
            "pair" => {
                let warning = Diagnostic::warning("mjcf-unsupported", "`<pair>`s of geoms are not read");
                let help = "rules between links are `collision_detection_rules` of the `.body` that it is converted to";
                findings.once("pair", element, warning.help(help));
            }
            "exclude" => {
                let find = |attribute: &str| {
                    let Some(name) = element.attribute(attribute) else {
                        let error =
                            Diagnostic::error("missing-key", format!("`<exclude>` needs the attribute `{attribute}`"));
                        findings.report(element, error.help("write the names of two bodies"));
                        return None;
                    };
                    if name == "world" {
                        return Some(LinkIndex::ROOT).filter(|_| tree.has_world);
                    }
                    let found = tree.bodies.get(name).map(|placed| placed.link);
                    if found.is_none() {
                        let error = Diagnostic::error("unknown-body", format!("there is no body `{}`", short(name)));
                        let mut known: Vec<&str> = tree.bodies.keys().copied().collect();
                        known.sort_unstable();
                        findings.report_attribute(element, attribute, suggest(error, name, known));
                    }
                    found
                };
                if let (Some(first), Some(second)) = (find("body1"), find("body2")) {
                    rules.push(CollisionRule::DisabledGroup(vec![first, second]));
                }
            }
            _ => {}
        }
    }
    let chain = neighbours(tree);
    if !rules.is_empty() || !chain.is_empty() {
        let all = std::iter::once(CollisionRule::DisabledChainLevel(1)).chain(chain).chain(rules);
        tree.body.collision_rules = Some(all.collect());
    }
}

/// Bodies that are neighbours in the file, with links for further joints between them in the model.
fn neighbours(tree: &Tree<'_>) -> Vec<CollisionRule> {
    let carries = |link: &Link| !link.collision.is_empty();
    // Only such links have neither shapes nor mass.
    let between = |link: &Link| !carries(link) && link.mass == crate::MassProperties::ZERO;
    let mut rules = Vec::new();
    for (index, link) in tree.body.indexed_links().filter(|(_, link)| carries(link)) {
        let mut above = link.parent;
        let mut steps = 1;
        while let Some(link) = above.map(|parent| tree.body.link(parent)).filter(|link| between(link)) {
            above = link.parent;
            steps += 1;
        }
        if let Some(above) = above.filter(|above| steps > 1 && carries(tree.body.link(*above))) {
            rules.push(CollisionRule::DisabledGroup(vec![above, index]));
        }
    }
    rules
}
