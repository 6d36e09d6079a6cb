use std::collections::HashMap;

use bunraku_document::Result;
use roxmltree::{Document, Node, NodeId};

use crate::mesh_file::MeshFile;

/// An element of a COLLADA document.
pub(super) type Element<'a> = Node<'a, 'a>;

/// A parsed document with an index of its elements by id.
pub(super) struct Xml<'a> {
    pub(super) document: &'a Document<'a>,
    identified: HashMap<&'a str, NodeId>,
    /// Byte offsets of the lines, for fast lookup of line numbers.
    lines: Vec<usize>,
}

impl<'a> Xml<'a> {
    pub(super) fn new(document: &'a Document<'a>) -> Self {
        let mut identified = HashMap::new();
        for node in document.descendants() {
            if let Some(id) = node.attribute("id") {
                identified.entry(id).or_insert(node.id());
            }
        }
        let breaks = document.input_text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { document, identified, lines: breaks.map(|(position, _)| position).collect() }
    }

    /// The element with an id.
    pub(super) fn by_id(&self, id: &str) -> Option<Element<'a>> {
        self.document.get_node(*self.identified.get(id)?)
    }

    /// The element that a reference such as `#id` points to.
    pub(super) fn follow(&self, url: &str) -> Option<Element<'a>> {
        self.by_id(url.strip_prefix('#')?)
    }

    /// The element that an attribute of another one refers to.
    pub(super) fn target(&self, element: Element<'a>, attribute: &str) -> Option<Element<'a>> {
        self.follow(element.attribute(attribute)?)
    }

    pub(super) fn line(&self, element: Element<'_>) -> u32 {
        let before = self.lines.partition_point(|position| *position < element.range().start);
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
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

/// First element at the end of a path of names.
pub(super) fn descend<'a>(element: Element<'a>, path: &[&'static str]) -> Option<Element<'a>> {
    path.iter().try_fold(element, |element, name| child(element, name))
}

/// Numbers in an element's text.
pub(super) fn numbers<T: fast_float2::FastFloat>(
    element: Element<'_>,
    xml: &Xml<'_>,
    file: &MeshFile<'_>,
) -> Result<Vec<T>> {
    let text = text(element);
    let mut numbers = Vec::new();
    for word in text.split_ascii_whitespace() {
        let Ok(number) = fast_float2::parse(word) else {
            return Err(bad_number(word, element, xml, file));
        };
        numbers.push(number);
    }
    Ok(numbers)
}

/// Integers in an element's text.
pub(super) fn indices(element: Element<'_>, xml: &Xml<'_>, file: &MeshFile<'_>) -> Result<Vec<u32>> {
    let read = |word: &str| word.parse().map_err(|_| bad_number(word, element, xml, file));
    text(element).split_ascii_whitespace().map(read).collect()
}

fn text<'a>(element: Element<'a>) -> &'a str {
    element.text().unwrap_or_default()
}

fn bad_number(
    word: &str,
    element: Element<'_>,
    xml: &Xml<'_>,
    file: &MeshFile<'_>,
) -> Box<bunraku_document::Diagnostic> {
    // `word` is a slice of the list's text, so its line is found by counting line feeds before it.
    let list = text(element);
    let offset = (word.as_ptr() as usize).saturating_sub(list.as_ptr() as usize);
    let before = list.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count();
    let before = u32::try_from(before).unwrap_or(u32::MAX);
    let word: String = word.chars().take(40).collect();
    let message = format!("`{word}` in <{}> is not a usable number", element.tag_name().name());
    file.error("collada-malformed", message, xml.line(element).saturating_add(before))
}

/// Exactly `N` numbers of an element.
pub(super) fn numbers_of<const N: usize>(element: Element<'_>, xml: &Xml<'_>, file: &MeshFile<'_>) -> Result<[f64; N]> {
    let found: Vec<f64> = numbers(element, xml, file)?;
    <[f64; N]>::try_from(found.as_slice()).map_err(|_| {
        let name = element.tag_name().name();
        let message = format!("<{name}> has {} numbers instead of {N}", found.len());
        file.error("collada-malformed", message, xml.line(element))
    })
}
