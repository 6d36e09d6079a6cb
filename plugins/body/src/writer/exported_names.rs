//! Names of links and joints in formats that refer to all of them by name.

use std::collections::BTreeSet;

use bunraku_document::{Diagnostic, Reporter, is_xml_character};

use crate::{Body, LinkIndex};

/// A name for each link and for each joint, none of them empty and none twice: those of the model where possible.
pub(super) struct Names {
    links: Vec<String>,
    /// Of the joint between each link and its parent; that of the root is not used.
    joints: Vec<String>,
    num_changed: usize,
}

impl Names {
    /// `links` and `joints` are names that mean something else in the file.
    pub(super) fn new(body: &Body, links: &[&str], joints: &[&str]) -> Self {
        let of_links: Vec<&str> = body.links().iter().map(|link| link.name.as_str()).collect();
        let of_joints: Vec<&str> = body.links().iter().skip(1).map(|link| link.joint_name()).collect();
        let (links, changed_links) = distinct(&of_links, links, "link");
        let (mut joints, changed_joints) = distinct(&of_joints, joints, "joint");
        joints.insert(0, String::new());
        Self { links, joints, num_changed: changed_links + changed_joints }
    }

    pub(super) fn link(&self, LinkIndex(index): LinkIndex) -> &str {
        self.links.get(index).map_or("", String::as_str)
    }

    /// The joint between a link and its parent.
    pub(super) fn joint(&self, LinkIndex(index): LinkIndex) -> &str {
        self.joints.get(index).map_or("", String::as_str)
    }

    pub(super) fn report_changes(&self, reporter: &Reporter) {
        if self.num_changed > 0 {
            let message = format!("{} links and joints have other names in the file that is written", self.num_changed);
            let help = "their names are empty, taken, reserved, or cannot be written in XML";
            reporter.report(Diagnostic::warning("export-names", message).help(help));
        }
    }
}

/// The names, and how many of them had to be changed.
fn distinct(wanted: &[&str], reserved: &[&str], stem: &str) -> (Vec<String>, usize) {
    let mut taken: BTreeSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
    let can_stay = |name: &str| !name.is_empty() && name.trim() == name && name.chars().all(is_xml_character);
    // Names that stay have precedence over those that are made.
    let stays: Vec<bool> = wanted.iter().map(|&name| can_stay(name) && taken.insert(name.to_owned())).collect();
    let names = wanted.iter().zip(&stays).enumerate().map(|(number, (&name, &stays))| {
        if stays {
            return name.to_owned();
        }
        let printable: String = name.trim().replace(|letter| !is_xml_character(letter), "_");
        let mut free = if printable.is_empty() { format!("{stem}{number}") } else { format!("{printable}_{number}") };
        while !taken.insert(free.clone()) {
            free.push('_');
        }
        free
    });
    (names.collect(), stays.iter().filter(|stays| !**stays).count())
}
