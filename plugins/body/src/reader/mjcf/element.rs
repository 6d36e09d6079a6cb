//! Elements of a model, with those of included files in their places.

use std::ops::Range;

/// An element with the location of its parts.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) tag: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
    /// Index of its file.
    pub(super) file: usize,
    /// Byte at which it begins.
    pub(super) start: usize,
}

/// An attribute with the bytes of its name and of its value.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) name_range: Range<usize>,
    pub(super) value_range: Range<usize>,
}

impl Element {
    /// Value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.as_str())
    }

    /// Children with a tag.
    pub(super) fn all<'e>(&'e self, tag: &'static str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// Children of all children with a tag: sections of a model may be repeated.
    pub(super) fn section<'e>(&'e self, tag: &'static str) -> impl Iterator<Item = &'e Self> {
        self.all(tag).flat_map(|section| section.children.iter())
    }
}
