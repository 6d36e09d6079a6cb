//! XML in a readable layout.

use bunraku_document::escaped_xml;

/// An element.
pub(super) struct Tag {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Tag>,
    text: Option<String>,
}

impl Tag {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), children: Vec::new(), text: None }
    }

    /// The element with an attribute more.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// The element with a text inside.
    #[must_use]
    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The element with a child more.
    #[must_use]
    pub(super) fn holding(mut self, child: Tag) -> Self {
        self.children.push(child);
        self
    }

    pub(super) fn push(&mut self, child: Tag) {
        self.children.push(child);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    fn write(&self, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        out.push_str(&indent);
        out.push('<');
        out.push_str(self.name);
        for (name, value) in &self.attributes {
            out.push_str(&format!(" {name}=\"{}\"", escaped_xml(value)));
        }
        match &self.text {
            Some(text) => out.push_str(&format!(">{}</{}>\n", escaped_xml(text), self.name)),
            None if self.children.is_empty() => out.push_str("/>\n"),
            None => {
                out.push_str(">\n");
                self.children.iter().for_each(|child| child.write(depth + 1, out));
                out.push_str(&format!("{indent}</{}>\n", self.name));
            }
        }
    }
}

/// A document of one element.
pub(super) fn document(root: &Tag) -> String {
    let mut out = "<?xml version=\"1.0\"?>\n".to_owned();
    root.write(0, &mut out);
    out
}

/// Shortest digits that read back to the same number; those that are not finite are written as 0.
pub(super) fn number(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !number.is_finite() {
        "0".to_owned()
    } else if (1e-4..1e15).contains(&size) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// Numbers separated by blanks.
pub(super) fn numbers(values: &[f64]) -> String {
    values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(" ")
}
