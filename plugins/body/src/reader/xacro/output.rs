//! The expanded text, and where its lines come from.

use bunraku_document::{Origins, Place, escaped_xml};

/// Maximum length of the text, bytes. The largest robots have some megabytes.
const LONGEST: usize = 64 << 20;

/// The expanded text.
#[derive(Default)]
pub(super) struct Output {
    pub(super) text: String,
    /// Number of line ends in the text.
    line_ends: u32,
    /// The location of each element.
    pub(super) origins: Origins,
}

impl Output {
    /// Whether the text is longer than any robot.
    pub(super) fn is_too_long(&self) -> bool {
        self.text.len() > LONGEST
    }

    fn push(&mut self, text: &str) {
        let line_ends = text.bytes().filter(|&byte| byte == b'\n').count();
        self.line_ends = self.line_ends.saturating_add(u32::try_from(line_ends).unwrap_or(u32::MAX));
        self.text.push_str(text);
    }

    /// Begins an element on a line of its own.
    pub(super) fn begin(&mut self, name: &str, attributes: &[(String, String)], place: Place) {
        self.push("\n");
        self.origins.add(self.line_ends + 1, place);
        self.push("<");
        self.push(name);
        for (name, value) in attributes {
            self.push(&format!(" {name}=\"{}\"", escaped_xml(value)));
        }
        self.push(">");
    }

    pub(super) fn end(&mut self, name: &str) {
        self.push(&format!("</{name}>"));
    }

    /// Adds text between elements.
    pub(super) fn add_text(&mut self, text: &str) {
        self.push(&escaped_xml(text));
    }
}
