//! Motions as JSON: the data of `.seq`, version 2, for programs without a YAML reader.

use std::io::{self, Write};
use std::path::Path;

use bunraku_document::{
    Diagnostic, Reporter, SourceFile, Value, ValueKind, write_atomically,
    yaml::{Document, NumberFormat},
};

use crate::components::{Component, components, of_each};
use crate::seq::check::{check, is_of};
use crate::seq::header::{Entries, Entry, Header, top_entries};
use crate::seq::keys::SeqVersion;
use crate::seq::limits::LIMITS;
use crate::seq::part_text::{WritePart, quoted, write_frame_list};
use crate::seq::write::{CHUNK, num_frames};
use crate::{BodyMotion, KeptYaml, Sequence, WriteError};

/// Writes a motion as JSON. Every number reads back to the same bits. [`BodyMotion::load`] reads the file like a
/// `.seq`, because JSON is YAML.
///
/// The file is written atomically. Parts of [`BodyMotion::kept`] that JSON cannot express are left out, with a warning
/// to `reporter`.
///
/// # Errors
/// As for [`write_seq`](crate::write_seq).
pub fn write_json(motion: &BodyMotion, path: &Path, reporter: &Reporter) -> Result<(), WriteError> {
    let components = components(motion);
    check(motion, &components, SeqVersion::Two)?;
    write_atomically(path, |file| Json::new(file).motion(motion, &components, reporter)).map_err(WriteError::io(path))
}

/// Writes the same text to any writer.
///
/// # Errors
/// As for [`write_json`].
pub fn write_json_to(motion: &BodyMotion, out: impl Write, reporter: &Reporter) -> Result<(), WriteError> {
    let components = components(motion);
    check(motion, &components, SeqVersion::Two)?;
    Json::new(out).motion(motion, &components, reporter).map_err(WriteError::io(Path::new("-")))
}

struct Json<W> {
    out: W,
    buffer: Vec<u8>,
    format: NumberFormat,
}

impl<W: Write> Json<W> {
    fn new(out: W) -> Self {
        Self { out, buffer: Vec::with_capacity(2 * CHUNK), format: NumberFormat::default() }
    }

    fn motion(mut self, motion: &BodyMotion, components: &[Component<'_>], reporter: &Reporter) -> io::Result<()> {
        let kept = |wanted: &dyn Fn(&KeptYaml) -> bool| {
            let texts = motion.kept.iter().filter(|kept| wanted(kept)).map(KeptYaml::text);
            texts.filter_map(|text| to_json(text, reporter)).collect::<Vec<_>>()
        };
        self.push("{\n");
        let top = top_entries(SeqVersion::Two, motion.frame_rate, num_frames(motion, components));
        self.entries("  ", &top);
        for text in kept(&|kept| matches!(kept, KeptYaml::TopKey { .. })) {
            self.entries_of_object("  ", &text);
        }
        self.push("  \"components\": [\n");
        let unknown = kept(&|kept| matches!(kept, KeptYaml::Component { .. }));
        let count = components.len() + unknown.len();
        let end = |index: usize| if index + 1 < count { "    },\n" } else { "    }\n" };
        for (index, component) in components.iter().enumerate() {
            self.push("    {\n");
            self.entries("      ", &Header::of(component, SeqVersion::Two).entries(SeqVersion::Two));
            let of_this =
                |kept: &KeptYaml| matches!(kept, KeptYaml::ComponentKey { content, .. } if is_of(component, content));
            for text in kept(&of_this) {
                self.entries_of_object("      ", &text);
            }
            self.push("      \"frames\": [\n");
            of_each!(component.frames, frames => self.frames(frames))?;
            self.push("      ]\n");
            self.push(end(index));
        }
        for (index, text) in unknown.iter().enumerate() {
            self.push("    {\n      ");
            self.push(text);
            self.push("\n");
            self.push(end(components.len() + index));
        }
        self.push("  ]\n}\n");
        self.out.write_all(&self.buffer)
    }

    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn entries(&mut self, indent: &str, entries: &Entries<'_>) {
        for (key, entry) in entries {
            self.push(&format!("{indent}\"{key}\": "));
            match *entry {
                Entry::Name(name) => self.push(&quoted(name)),
                Entry::Number(number) => self.format.push(&mut self.buffer, number),
                Entry::Count(count) => self.push(&count.to_string()),
                Entry::True => self.push("true"),
                Entry::Names(names) => {
                    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
                    self.push(&format!("[ {} ]", names.join(", ")));
                }
            }
            self.push(",\n");
        }
    }

    fn entries_of_object(&mut self, indent: &str, text: &str) {
        if !text.is_empty() {
            self.push(&format!("{indent}{text},\n"));
        }
    }

    fn frames<T: WritePart>(&mut self, frames: &Sequence<T>) -> io::Result<()> {
        let times = frames.times();
        for (index, frame) in frames.frames().enumerate() {
            let time = times.and_then(|times| times.get(index)).copied();
            self.push("        ");
            write_frame_list(&mut self.buffer, &mut self.format, time, frame);
            self.push(if index + 1 < frames.num_frames() { ",\n" } else { "\n" });
            if self.buffer.len() >= CHUNK {
                self.out.write_all(&self.buffer)?;
                self.buffer.clear();
            }
        }
        Ok(())
    }
}

/// Maximum nesting depth of kept YAML: half of the reader's limit.
const MAX_DEPTH: usize = 32;

/// Maximum size of kept YAML after expanding aliases, as a multiple of its length, plus an offset.
const MAX_GROWTH: usize = 8;
const MAX_BYTES: usize = 1 << 20;

/// Converts the entries of a YAML mapping to those of a JSON object, without braces; `None`, after a warning, if that
/// is impossible.
fn to_json(text: &str, reporter: &Reporter) -> Option<String> {
    let source = SourceFile::from_text("kept", text);
    let document = Document::parse(&source, &LIMITS, &Reporter::new()).ok();
    let mut converter = Converter { json: String::new(), limit: text.len().saturating_mul(MAX_GROWTH) + MAX_BYTES };
    let entries = document.as_ref().map(Document::root).filter(|root| root.kind() == ValueKind::Mapping);
    if entries.and_then(|root| converter.entries(root, 0)).is_some() {
        return Some(converter.json);
    }
    let first = text.lines().next().unwrap_or_default();
    let message = format!("unknown content of the original file has no counterpart in JSON and is left out: `{first}`");
    reporter.report(Diagnostic::warning("kept-yaml", message).help("write `.seq` to keep it"));
    None
}

struct Converter {
    json: String,
    limit: usize,
}

impl Converter {
    fn value(&mut self, value: Value<'_>, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH || self.json.len() > self.limit {
            return None;
        }
        match value.kind() {
            ValueKind::Null => self.json.push_str("null"),
            ValueKind::Scalar => {
                let text = value.text()?;
                let as_it_is = value.is_plain() && (matches!(text, "true" | "false") || is_json_number(text));
                if as_it_is { self.json.push_str(text) } else { self.json.push_str(&quoted(text)) }
            }
            ValueKind::Sequence => {
                self.json.push('[');
                for (index, item) in value.items()?.enumerate() {
                    self.json.push_str(if index > 0 { ", " } else { " " });
                    self.value(item, depth + 1)?;
                }
                self.json.push_str(" ]");
            }
            ValueKind::Mapping => {
                self.json.push_str("{ ");
                self.entries(value, depth + 1)?;
                self.json.push_str(" }");
            }
        }
        Some(())
    }

    fn entries(&mut self, mapping: Value<'_>, depth: usize) -> Option<()> {
        for (index, (key, _, value)) in mapping.entries()?.enumerate() {
            if index > 0 {
                self.json.push_str(", ");
            }
            self.json.push_str(&quoted(key));
            self.json.push_str(": ");
            self.value(value, depth)?;
        }
        Some(())
    }
}

/// Whether a word is a number in JSON's grammar, which excludes `+1`, `.5`, `1.`, `0x10` and `007`.
fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_yaml_becomes_json() {
        let reporter = Reporter::new();
        let text = "a: 1.5\nb: '1.5'\nc: [ yes, true, ~, 0x10, \"\\\"\" ]\nd:\n  e: 右\n  f: {}\n";
        let expected =
            r#""a": 1.5, "b": "1.5", "c": [ "yes", true, null, "0x10", "\"" ], "d": { "e": "右", "f": {  } }"#;
        assert_eq!(to_json(text, &reporter).as_deref(), Some(expected));
        assert!(reporter.diagnostics().is_empty());
    }

    #[test]
    fn content_that_grows_too_large_is_left_out_with_a_warning() {
        let mut text = String::from("a0: &a0 [ x, x, x, x, x, x, x, x, x, x ]\n");
        for i in 0..12 {
            text.push_str(&format!("a{}: &a{} [{}]\n", i + 1, i + 1, vec![format!("*a{i}"); 10].join(", ")));
        }
        let mut deep = String::from("b0: &b0 [ x ]\n");
        for i in 0..100 {
            deep.push_str(&format!("b{}: &b{} [ *b{i} ]\n", i + 1, i + 1));
        }
        for text in [&*text, &*deep, "- list\n", "a: [\n"] {
            let reporter = Reporter::new();
            assert_eq!(to_json(text, &reporter), None);
            assert!(reporter.diagnostics()[0].to_string().contains("warning[kept-yaml]"));
        }
    }

    #[test]
    fn numbers_of_json() {
        for number in ["0", "-1", "10.25", "1e9", "-0.5E-3", "1.0e+20"] {
            assert!(is_json_number(number), "{number}");
        }
        for word in ["", "-", "+1", ".5", "1.", "007", "0x10", "1e", "1e+", ".inf", "1_000", "1.2.3"] {
            assert!(!is_json_number(word), "{word}");
        }
    }
}
