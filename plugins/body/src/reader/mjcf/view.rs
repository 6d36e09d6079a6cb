//! An element with its defaults.

use bunraku_document::Diagnostic;

use super::element::Element;
use super::findings::{Findings, short};

/// An element, and the elements of classes that give it attributes, the nearest first.
pub(super) struct View<'m> {
    pub(super) element: &'m Element,
    defaults: Vec<&'m Element>,
    findings: &'m Findings<'m>,
}

impl<'m> View<'m> {
    pub(super) fn new(element: &'m Element, defaults: Vec<&'m Element>, findings: &'m Findings<'m>) -> Self {
        Self { element, defaults, findings }
    }

    /// Whether the element itself has an attribute.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.element.attribute(name).is_some()
    }

    /// The element that has an attribute, and its value.
    pub(super) fn find(&self, name: &str) -> Option<(&'m Element, &'m str)> {
        let all = std::iter::once(self.element).chain(self.defaults.iter().copied());
        all.into_iter().find_map(|element| element.attribute(name).map(|value| (element, value)))
    }

    /// Value of an attribute.
    pub(super) fn text(&self, name: &str) -> Option<&'m str> {
        self.find(name).map(|(_, value)| value.trim())
    }

    /// Reports a finding about the value of an attribute where it is written.
    pub(super) fn report(&self, name: &str, diagnostic: Diagnostic) {
        let element = self.find(name).map_or(self.element, |(element, _)| element);
        self.findings.report_attribute(element, name, diagnostic);
    }

    /// Numbers of an attribute, `least` to `most` of them; `None` if it is missing, or after an error.
    pub(super) fn numbers(&self, name: &str, least: usize, most: usize) -> Option<Vec<f64>> {
        let (element, text) = self.find(name)?;
        read_numbers(self.findings, element, name, text, least, most)
    }

    /// An attribute of `N` numbers.
    pub(super) fn array<const N: usize>(&self, name: &str) -> Option<[f64; N]> {
        self.numbers(name, N, N).and_then(|numbers| numbers.try_into().ok())
    }

    /// An attribute of one number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.array::<1>(name).map(|[number]| number)
    }

    /// A whole number that may be negative.
    pub(super) fn integer(&self, name: &str) -> Option<i64> {
        let (element, text) = self.find(name)?;
        let number = text.trim().parse::<i64>().ok();
        if number.is_none() {
            let error = Diagnostic::error("expected", format!("expected a whole number, found `{}`", short(text)));
            self.findings.report_attribute(element, name, error.help("write it without a decimal point"));
        }
        number
    }

    /// `true` or `false`; `None` for `auto`, if it is missing, or after an error.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let (_, text) = self.find(name)?;
        match text.trim() {
            "true" => Some(true),
            "false" => Some(false),
            "auto" => None,
            other => {
                let error = Diagnostic::error("expected", format!("expected true or false, found `{}`", short(other)));
                self.report(name, error.help("write `true`, `false` or, where it is allowed, `auto`"));
                None
            }
        }
    }
}

/// Numbers in the text of an attribute; `None` after an error.
pub(super) fn read_numbers(
    findings: &Findings<'_>,
    element: &Element,
    name: &str,
    text: &str,
    least: usize,
    most: usize,
) -> Option<Vec<f64>> {
    let words = text.split_ascii_whitespace();
    let numbers: Option<Vec<f64>> =
        words.map(|word| word.parse().ok().filter(|number: &f64| number.is_finite())).collect();
    let numbers = numbers.filter(|numbers| (least..=most).contains(&numbers.len()));
    if numbers.is_none() {
        let wanted = match (least, most) {
            (1, 1) => "a number".to_owned(),
            (least, most) if least == most => format!("{least} numbers"),
            (least, usize::MAX) => format!("{least} numbers or more"),
            (least, most) => format!("{least} to {most} numbers"),
        };
        let error = Diagnostic::error("expected", format!("expected {wanted}, found `{}`", short(text)));
        findings.report_attribute(element, name, error.help("separate numbers by blanks"));
    }
    numbers
}
