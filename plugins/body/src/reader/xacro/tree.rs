//! Elements of xacro files, independent of the parsed documents, so that macros may keep them.

use std::ops::Range;
use std::rc::Rc;

use roxmltree::Node as XmlNode;

/// Deepest nesting of elements.
const DEEPEST: usize = 200;

/// An element or a text.
#[derive(Clone)]
pub(super) enum Node {
    Element(Rc<Element>),
    Text(Rc<Text>),
}

/// A text between elements.
pub(super) struct Text {
    pub(super) text: String,
    /// Index of the file, and location in it.
    pub(super) file: usize,
    pub(super) range: Range<usize>,
}

/// An element with its location.
pub(super) struct Element {
    pub(super) name: String,
    /// Whether the name is in xacro's namespace.
    pub(super) is_xacro: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Node>,
    /// Index of the file.
    pub(super) file: usize,
    /// Location of the start tag in it.
    pub(super) start: usize,
}

pub(super) struct Attribute {
    pub(super) name: String,
    /// Whether the name is in xacro's namespace.
    pub(super) is_xacro: bool,
    pub(super) value: String,
    pub(super) range: Range<usize>,
}

impl Element {
    /// A copy of a parsed element of a file; `None` if its elements nest too deep.
    pub(super) fn new(node: XmlNode<'_, '_>, file: usize) -> Option<Self> {
        Self::at_depth(node, file, 0)
    }

    fn at_depth(node: XmlNode<'_, '_>, file: usize, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        let mut children = Vec::new();
        for child in node.children() {
            if child.is_element() {
                children.push(Node::Element(Rc::new(Self::at_depth(child, file, depth + 1)?)));
            } else if let Some(text) = child.text().filter(|text| child.is_text() && !text.trim().is_empty()) {
                let text = Text { text: text.to_owned(), file, range: child.range() };
                children.push(Node::Text(Rc::new(text)));
            }
        }
        let attributes = node.attributes().map(|attribute| Attribute {
            name: attribute.name().to_owned(),
            is_xacro: attribute.namespace().is_some_and(is_xacro_space),
            value: attribute.value().to_owned(),
            range: attribute.range_value(),
        });
        Some(Self {
            name: node.tag_name().name().to_owned(),
            is_xacro: is_xacro(node),
            attributes: attributes.collect(),
            children,
            file,
            start: node.range().start,
        })
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The elements inside.
    pub(super) fn elements(&self) -> impl Iterator<Item = &Rc<Element>> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }
}

/// Whether the name of an element is in xacro's namespace, of which there have been several.
pub(super) fn is_xacro(node: XmlNode<'_, '_>) -> bool {
    node.is_element() && node.tag_name().namespace().is_some_and(is_xacro_space)
}

fn is_xacro_space(space: &str) -> bool {
    space.contains("xacro")
}
