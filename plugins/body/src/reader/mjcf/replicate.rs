//! `<replicate>`: copies of elements, each in a `<frame>` of its own.

use bunraku_document::{Diagnostic, Reporter};
use nalgebra::Isometry3;

use super::compiler::Compiler;
use super::element::{Attribute, Element};
use super::findings::{Findings, short};
use super::poses::pose;
use super::view::View;

/// Most elements of a model with its copies.
const MOST_ELEMENTS: usize = 1_000_000;

/// The elements below an element with copies in place of each `<replicate>`. `None` after an error.
pub(super) fn expand(root: Element, findings: &Findings<'_>) -> Option<Element> {
    let has_copies = |element: &Element| holds(element, "replicate");
    if !root.all("worldbody").any(has_copies) {
        return Some(root);
    }
    // The findings of `<compiler>` are reported where the model is read.
    let quiet = Reporter::new();
    let compiler = Compiler::read(&root, &Findings::new(&quiet));
    let mut copier = Copier { compiler, findings, left: MOST_ELEMENTS };
    let Element { tag, attributes, children, file, start } = root;
    let children: Option<Vec<Vec<Element>>> = children
        .into_iter()
        .map(|child| if child.tag == "worldbody" { copier.expanded(child) } else { Some(vec![child]) })
        .collect();
    Some(Element { tag, attributes, children: children?.into_iter().flatten().collect(), file, start })
}

fn holds(element: &Element, tag: &str) -> bool {
    element.tag == tag || element.children.iter().any(|child| holds(child, tag))
}

struct Copier<'f> {
    compiler: Compiler,
    findings: &'f Findings<'f>,
    /// Number of elements that may still be made.
    left: usize,
}

impl Copier<'_> {
    /// An element with copies below it, or the copies that it makes itself.
    fn expanded(&mut self, element: Element) -> Option<Vec<Element>> {
        let mut children = Vec::new();
        let Element { tag, attributes, children: old, file, start } = element;
        for child in old {
            children.extend(self.expanded(child)?);
        }
        let element = Element { tag, attributes, children, file, start };
        if element.tag == "replicate" { self.copies(&element) } else { Some(vec![element]) }
    }

    fn copies(&mut self, element: &Element) -> Option<Vec<Element>> {
        let findings = self.findings;
        let Some(text) = element.attribute("count") else {
            let error = Diagnostic::error("missing-key", "`<replicate>` needs the attribute `count`");
            findings.report(element, error.help("write the number of copies"));
            return None;
        };
        let Some(count) = text.trim().parse::<usize>().ok().filter(|count| *count > 0) else {
            let message = format!("expected a number of copies, found `{}`", short(text));
            findings.report_attribute(element, "count", Diagnostic::error("expected", message).help("write 1 or more"));
            return None;
        };
        let size: usize = element.children.iter().map(num_elements).sum::<usize>() + 1;
        let Some(left) = size.checked_mul(count).and_then(|made| self.left.checked_sub(made)) else {
            let message = format!("the model has more than {MOST_ELEMENTS} elements with its copies");
            findings.report_attribute(element, "count", Diagnostic::error("limit-elements", message));
            return None;
        };
        self.left = left;
        let separator = element.attribute("sep").unwrap_or_default();
        let step = self.step(element);
        let digits = (count - 1).to_string().len();
        let mut frame = Isometry3::identity();
        let mut copies = Vec::with_capacity(count);
        for index in 0..count {
            let suffix = format!("{separator}{index:0digits$}");
            let children = element.children.iter().map(|child| renamed(child, &suffix)).collect();
            copies.push(frame_of(element, &frame, children));
            frame *= step;
        }
        Some(copies)
    }

    /// Pose of each copy in the frame of the one before.
    fn step(&self, element: &Element) -> Isometry3<f64> {
        // As the pose of an element whose position is the offset.
        let rename = |attribute: &Attribute| Attribute {
            name: if attribute.name == "offset" { "pos".to_owned() } else { attribute.name.clone() },
            ..attribute.clone()
        };
        let keeps = |attribute: &&Attribute| matches!(attribute.name.as_str(), "offset" | "euler");
        let attributes = element.attributes.iter().filter(keeps).map(rename).collect();
        let placed = Element { tag: "frame".to_owned(), attributes, children: Vec::new(), ..*element };
        pose(&View::new(&placed, Vec::new(), self.findings), &self.compiler)
    }
}

fn num_elements(element: &Element) -> usize {
    1 + element.children.iter().map(num_elements).sum::<usize>()
}

/// A copy of an element in which all names end with a suffix.
fn renamed(element: &Element, suffix: &str) -> Element {
    let attribute = |attribute: &Attribute| {
        let is_name = attribute.name == "name" && !attribute.value.is_empty();
        let value = if is_name { format!("{}{suffix}", attribute.value) } else { attribute.value.clone() };
        Attribute { value, ..attribute.clone() }
    };
    Element {
        tag: element.tag.clone(),
        attributes: element.attributes.iter().map(attribute).collect(),
        children: element.children.iter().map(|child| renamed(child, suffix)).collect(),
        ..*element
    }
}

/// A `<frame>` at the location of a `<replicate>`.
fn frame_of(element: &Element, frame: &Isometry3<f64>, children: Vec<Element>) -> Element {
    let at = element.start..element.start;
    let attribute = |name: &str, numbers: &[f64]| Attribute {
        name: name.to_owned(),
        value: numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(" "),
        name_range: at.clone(),
        value_range: at.clone(),
    };
    let [x, y, z, w] = frame.rotation.coords.into();
    let attributes = vec![attribute("pos", frame.translation.vector.as_slice()), attribute("quat", &[w, x, y, z])];
    Element { tag: "frame".to_owned(), attributes, children, ..*element }
}
