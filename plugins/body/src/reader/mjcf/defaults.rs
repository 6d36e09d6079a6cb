//! Default classes: attributes that elements get unless they have them.

use std::collections::HashMap;

use bunraku_document::Diagnostic;

use super::element::Element;
use super::findings::{Findings, short, suggest};

/// Class of elements without another one.
const MAIN: &str = "main";

/// Tags of actuators, which share their defaults.
pub(super) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// A class.
#[derive(Default)]
struct Class<'m> {
    parent: Option<String>,
    /// Elements of its `<default>`, in file order.
    elements: Vec<&'m Element>,
}

/// All classes, by name.
#[derive(Default)]
pub(super) struct Defaults<'m> {
    classes: HashMap<String, Class<'m>>,
}

impl<'m> Defaults<'m> {
    pub(super) fn read(root: &'m Element, findings: &Findings<'_>) -> Self {
        let mut defaults = Self::default();
        for section in root.all("default") {
            defaults.add(section, None, findings);
        }
        defaults
    }

    fn add(&mut self, element: &'m Element, parent: Option<&str>, findings: &Findings<'_>) {
        let name = match (element.attribute("class"), parent) {
            (Some(name), _) => name,
            (None, None) => MAIN,
            (None, Some(_)) => {
                let error = Diagnostic::error("missing-key", "a `<default>` inside another one needs a `class`");
                findings.report(element, error.help("write `<default class=\"…\">`"));
                return;
            }
        };
        let is_known = self.classes.get(name).is_some_and(|known| known.parent.as_deref() != parent);
        if is_known || parent == Some(name) {
            let error = Diagnostic::error("duplicate-class", format!("the class `{}` exists already", short(name)));
            findings.report_attribute(element, "class", error.help("give one of the two another name"));
            return;
        }
        let class = self.classes.entry(name.to_owned()).or_default();
        class.parent = parent.map(str::to_owned);
        class.elements.extend(element.children.iter().filter(|child| child.tag != "default"));
        for nested in element.all("default") {
            self.add(nested, Some(name), findings);
        }
    }

    /// Whether a class exists; an unknown one is reported at the attribute.
    pub(super) fn knows(&self, element: &Element, attribute: &str, findings: &Findings<'_>) -> bool {
        let Some(name) = element.attribute(attribute) else { return false };
        if name == MAIN || self.classes.contains_key(name) {
            return true;
        }
        let mut names: Vec<&str> = self.classes.keys().map(String::as_str).collect();
        names.sort_unstable();
        let error = Diagnostic::error("unknown-class", format!("there is no default class `{}`", short(name)));
        findings.report_attribute(element, attribute, suggest(error, name, names));
        false
    }

    /// Elements that give an element its defaults, the nearest first.
    pub(super) fn of(&self, tag: &str, class: Option<&str>) -> Vec<&'m Element> {
        let mut found = Vec::new();
        let mut name = Some(class.unwrap_or(MAIN));
        let is_actuator = ACTUATORS.contains(&tag);
        while let Some(class) = name.and_then(|name| self.classes.get(name)) {
            found.extend(class.elements.iter().rev().copied().filter(|element| element.tag == tag));
            if is_actuator {
                let shares = |element: &&Element| element.tag != tag && ACTUATORS.contains(&element.tag.as_str());
                found.extend(class.elements.iter().rev().copied().filter(shares));
            }
            name = class.parent.as_deref();
        }
        found
    }
}
