//! The elements and attributes of the format. `grammar.txt` lists those of MuJoCo 3.17, as its own schema does: the
//! depth of an element, its tag and its attributes.

use std::collections::{BTreeMap, BTreeSet};

use bunraku_document::Diagnostic;

use super::element::Element;
use super::findings::{Findings, short, suggest};
use super::treatment::{is_left_out, is_silent};

const GRAMMAR: &str = include_str!("grammar.txt");

/// Attributes by tag of the parent and of the element.
pub(super) struct Grammar(BTreeMap<(&'static str, &'static str), BTreeSet<&'static str>>);

/// Elements whose children are those of bodies.
const LIKE_BODY: &[&str] = &["worldbody", "frame", "replicate"];

impl Grammar {
    pub(super) fn new() -> Self {
        let mut all: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut path: Vec<&'static str> = Vec::new();
        for line in GRAMMAR.lines() {
            let mut words = line.split_ascii_whitespace();
            let Some((depth, tag)) = words.next().and_then(|depth| depth.parse::<usize>().ok()).zip(words.next())
            else {
                continue;
            };
            path.truncate(depth);
            let parent = path.last().copied().unwrap_or("");
            all.entry((parent, tag)).or_default().extend(words);
            path.push(tag);
        }
        all.insert(("mujoco", "worldbody"), BTreeSet::from(["childclass"]));
        let body = all.remove(&("mujoco", "body")).unwrap_or_default();
        all.insert(("body", "body"), body);
        let default = all.get(&("mujoco", "default")).cloned().unwrap_or_default();
        all.insert(("default", "default"), default);
        Self(all)
    }

    /// All elements, with the tag of their parents and their attributes.
    #[cfg(test)]
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'static str, &'static str, &BTreeSet<&'static str>)> {
        self.0.iter().map(|((parent, tag), attributes)| (*parent, *tag, attributes))
    }

    /// Warns of attributes and elements below an element that the format does not have, and notes those that have no
    /// effect.
    pub(super) fn check(&self, element: &Element, findings: &Findings<'_>) {
        self.check_below(element, true, findings);
    }

    /// `notes`: also those without effect, unless an element around them is left out as a whole.
    fn check_below(&self, element: &Element, notes: bool, findings: &Findings<'_>) {
        let around = if LIKE_BODY.contains(&element.tag.as_str()) { "body" } else { element.tag.as_str() };
        for child in &element.children {
            let tag = child.tag.as_str();
            let known = self.0.iter().find(|((parent, own), _)| *parent == around && *own == tag);
            let Some((_, attributes)) = known else {
                let tags = self.0.keys().filter(|(parent, _)| *parent == around).map(|(_, tag)| *tag);
                let message = format!("`<{}>` has no element `<{}>`: it is ignored", element.tag, short(tag));
                findings.report(child, suggest(Diagnostic::warning("unknown-key", message), tag, tags));
                continue;
            };
            for attribute in &child.attributes {
                let name = attribute.name.as_str();
                let is_class = name == "class" && around != "default";
                if !attributes.contains(name) && !is_class {
                    let message = format!("`<{}>` has no attribute `{}`: it is ignored", short(tag), short(name));
                    let warning =
                        suggest(Diagnostic::warning("unknown-key", message), name, attributes.iter().copied());
                    findings.report_name(child, name, warning);
                }
            }
            let notes = notes && !is_left_out(tag);
            for attribute in child.attributes.iter().filter(|attribute| attributes.contains(attribute.name.as_str())) {
                let name = attribute.name.as_str();
                if notes && !is_silent(tag, name) {
                    let note = Diagnostic::note("mjcf-unread", format!("`{name}` of `<{tag}>` has no effect here"));
                    findings.once_attribute(&format!("unread-{tag}-{name}"), child, name, note);
                }
            }
            self.check_below(child, notes, findings);
        }
    }
}
