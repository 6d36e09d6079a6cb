//! State shared by all parts of a model file while it is read.

use super::super::Reading;
use super::compiler::Compiler;
use super::defaults::Defaults;
use super::element::Element;
use super::findings::Findings;
use super::view::View;

/// A model file.
pub(super) struct ModelFile<'m> {
    pub(super) root: &'m Element,
    pub(super) compiler: Compiler,
    pub(super) defaults: Defaults<'m>,
    pub(super) findings: &'m Findings<'m>,
    pub(super) reading: &'m Reading<'m>,
}

impl<'m> ModelFile<'m> {
    pub(super) fn new(root: &'m Element, findings: &'m Findings<'m>, reading: &'m Reading<'m>) -> Self {
        let (compiler, defaults) = (Compiler::read(root, findings), Defaults::read(root, findings));
        Self { root, compiler, defaults, findings, reading }
    }

    /// An element with the defaults of its class, or of the class of the elements around it.
    pub(super) fn view(&self, element: &'m Element, around: Option<&str>) -> View<'m> {
        self.view_as(element, &element.tag, around)
    }

    /// The same with the defaults of another tag.
    pub(super) fn view_as(&self, element: &'m Element, tag: &str, around: Option<&str>) -> View<'m> {
        let has_own = self.defaults.knows(element, "class", self.findings);
        let class = element.attribute("class").filter(|_| has_own).or(around);
        View::new(element, self.defaults.of(tag, class), self.findings)
    }
}
