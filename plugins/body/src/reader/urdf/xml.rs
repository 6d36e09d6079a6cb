//! Access to elements and attributes with their locations.

use std::ops::Range;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Reporter, SourceFile, closest};
use bunraku_mesh::MAX_LENGTH;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use roxmltree::{Document, Node, NodeId};

use super::super::xml_text::XmlText;

/// An element of a URDF file.
pub(super) type Element<'a> = Node<'a, 'a>;

/// Maximum length of a quoted text in a message, characters.
const LONGEST: usize = 60;

/// The document, and the reporter of findings.
pub(super) struct Xml<'a> {
    document: &'a Document<'a>,
    text: XmlText,
    reporter: &'a Reporter,
}

impl<'a> Xml<'a> {
    pub(super) fn new(document: &'a Document<'a>, source: Arc<SourceFile>, reporter: &'a Reporter) -> Self {
        Self { document, text: XmlText::new(source), reporter }
    }

    pub(super) fn by_id(&self, id: NodeId) -> Option<Element<'a>> {
        self.document.get_node(id)
    }

    pub(super) fn line(&self, element: Element<'_>) -> u32 {
        self.text.position(element.range().start).line
    }

    fn at(&self, range: &Range<usize>, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic.at(&self.text.source, self.text.span(range)));
    }

    /// Reports a finding about an element, located at the name of its start tag.
    pub(super) fn report(&self, element: Element<'_>, diagnostic: Diagnostic) {
        self.at(&self.text.tag(element.range().start), diagnostic);
    }

    /// Reports a finding about the value of an attribute, or about the element if the attribute is missing.
    pub(super) fn report_attribute(&self, element: Element<'_>, name: &str, diagnostic: Diagnostic) {
        match element.attribute_node(name) {
            Some(attribute) => self.at(&attribute.range_value(), diagnostic),
            None => self.report(element, diagnostic),
        }
    }

    /// Reports a finding about the whole file.
    pub(super) fn report_file(&self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic.in_file(&self.text.source));
    }

    /// Warns of attributes and elements that are not read. Those of other namespaces belong to other programs.
    pub(super) fn check(&self, element: Element<'_>, attributes: &[&str], children: &[&str]) {
        let tag = element.tag_name().name();
        for attribute in element.attributes().filter(|attribute| attribute.namespace().is_none()) {
            if !attributes.contains(&attribute.name()) {
                let message = format!("`<{tag}>` has no attribute `{}`: it is ignored", short(attribute.name()));
                let warning = suggest(Diagnostic::warning("unknown-key", message), attribute.name(), attributes);
                self.at(&attribute.range_qname(), warning);
            }
        }
        let is_plain = |child: &Element<'_>| child.is_element() && child.tag_name().namespace().is_none();
        for child in element.children().filter(is_plain) {
            let name = child.tag_name().name();
            if !children.contains(&name) {
                let message = format!("`<{tag}>` has no element `<{}>`: it is ignored", short(name));
                self.report(child, suggest(Diagnostic::warning("unknown-key", message), name, children));
            }
        }
    }

    /// A required, nonempty attribute.
    pub(super) fn required(&self, element: Element<'a>, name: &str) -> Option<&'a str> {
        let value = element.attribute(name).map(str::trim).filter(|value| !value.is_empty());
        if value.is_none() {
            let tag = element.tag_name().name();
            let error = Diagnostic::error("missing-key", format!("`<{tag}>` needs the attribute `{name}`"));
            self.report_attribute(element, name, error.help(format!("write `<{tag} {name}=\"…\">`")));
        }
        value
    }

    /// Numbers of an attribute; `None` if it is missing, or after an error.
    pub(super) fn numbers<const N: usize>(&self, element: Element<'_>, name: &str) -> Option<[f64; N]> {
        let text = element.attribute(name)?;
        let numbers: Option<Vec<f64>> = text
            .split_ascii_whitespace()
            .map(|word| word.parse().ok().filter(|number: &f64| number.is_finite()))
            .collect();
        let array = numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
        if array.is_none() {
            let wanted = if N == 1 { "a number".to_owned() } else { format!("{N} numbers") };
            let error = Diagnostic::error("expected", format!("expected {wanted}, found `{}`", short(text)));
            let help = if N == 1 { "write it with a decimal point, as in `0.5`" } else { "separate them by blanks" };
            self.report_attribute(element, name, error.help(help));
        }
        array
    }

    /// Number of an attribute; `None` if it is missing, or after an error.
    pub(super) fn number(&self, element: Element<'_>, name: &str) -> Option<f64> {
        self.numbers::<1>(element, name).map(|[number]| number)
    }

    /// A required, positive length.
    pub(super) fn length(&self, element: Element<'a>, name: &str) -> Option<f64> {
        self.required(element, name)?;
        let length = self.number(element, name)?;
        let error = if length <= 0.0 {
            Diagnostic::error("not-positive", format!("`{name}` must be positive, but is {length}"))
        } else if length > MAX_LENGTH {
            Diagnostic::error("too-large", format!("a length of {length} m is too large for a shape"))
        } else {
            return Some(length);
        };
        self.report_attribute(element, name, error.help("write a length in metres"));
        None
    }

    /// The number in an element's text.
    pub(super) fn text_number(&self, element: Element<'_>) -> Option<f64> {
        let text = element.text().unwrap_or_default().trim();
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            let message =
                format!("`<{}>` holds no number but `{}`: it is ignored", element.tag_name().name(), short(text));
            self.report(element, Diagnostic::warning("expected", message).help("write a number between its tags"));
        }
        number
    }

    /// Pose in the `<origin>` of an element; identity if it is missing.
    pub(super) fn origin(&self, element: Element<'a>) -> Isometry3<f64> {
        let Some(origin) = child(element, "origin") else { return Isometry3::identity() };
        self.check(origin, &["xyz", "rpy", "quat_xyzw"], &[]);
        let [x, y, z] = self.numbers::<3>(origin, "xyz").unwrap_or_default();
        let rotation = match self.numbers::<4>(origin, "quat_xyzw") {
            Some([x, y, z, w]) => match bunraku_mesh::unit_quaternion(Quaternion::new(w, x, y, z), 1e-6) {
                Some(rotation) => UnitQuaternion::from_quaternion(rotation.into_inner()),
                None => {
                    let error = Diagnostic::error("zero-axis", "a quaternion of zeros is no rotation");
                    self.report_attribute(origin, "quat_xyzw", error.help("write `0 0 0 1` for none"));
                    UnitQuaternion::identity()
                }
            },
            None => {
                let [roll, pitch, yaw] = self.numbers::<3>(origin, "rpy").unwrap_or_default();
                UnitQuaternion::from_euler_angles(roll, pitch, yaw)
            }
        };
        Isometry3::from_parts(Translation3::new(x, y, z), rotation)
    }
}

/// Child elements with the given name.
pub(super) fn children<'a>(element: Element<'a>, name: &'static str) -> impl Iterator<Item = Element<'a>> {
    element.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// First child element with the given name.
pub(super) fn child<'a>(element: Element<'a>, name: &'static str) -> Option<Element<'a>> {
    children(element, name).next()
}

/// A text of the file, shortened for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Adds the known word of which this is probably a misspelling.
pub(super) fn suggest<'w>(
    diagnostic: Diagnostic,
    word: &str,
    known: impl IntoIterator<Item = &'w &'w str>,
) -> Diagnostic {
    match closest(word, known.into_iter().copied()) {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic,
    }
}
