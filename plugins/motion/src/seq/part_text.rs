//! Formatting of the parts of a frame.

use bunraku_document::yaml::NumberFormat;
use nalgebra::{Isometry3, Vector3};

/// A part of a frame that can be written.
pub(crate) trait WritePart {
    fn is_finite(&self) -> bool;
    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat);
}

impl WritePart for f64 {
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        format.push(out, *self);
    }
}

/// The three numbers: a frame of a `Vector3Seq` is not a list of lists.
impl WritePart for Vector3<f64> {
    fn is_finite(&self) -> bool {
        self.iter().all(|number| number.is_finite())
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        write_list(out, format, self.as_slice());
    }
}

/// x y z, then the quaternion w x y z.
impl WritePart for Isometry3<f64> {
    fn is_finite(&self) -> bool {
        self.translation.vector.iter().chain(self.rotation.coords.iter()).all(|number| number.is_finite())
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        pose_numbers(self).write(out, format);
    }
}

/// The numbers of a pose.
impl WritePart for [f64; 7] {
    fn is_finite(&self) -> bool {
        self.iter().all(|number| number.is_finite())
    }

    fn write(&self, out: &mut Vec<u8>, format: &mut NumberFormat) {
        out.extend_from_slice(b"[ ");
        write_list(out, format, self);
        out.extend_from_slice(b" ]");
    }
}

/// x y z qw qx qy qz.
pub(crate) fn pose_numbers(pose: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (&pose.translation.vector, &pose.rotation);
    [t.x, t.y, t.z, q.w, q.i, q.j, q.k]
}

/// Parts separated by commas.
pub(crate) fn write_list<T: WritePart>(out: &mut Vec<u8>, format: &mut NumberFormat, parts: &[T]) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        part.write(out, format);
    }
}

/// A frame as a list, its time first if it has one: `[ 0.5, 1, 2 ]`.
pub(crate) fn write_frame_list<T: WritePart>(
    out: &mut Vec<u8>,
    format: &mut NumberFormat,
    time: Option<f64>,
    parts: &[T],
) {
    out.extend_from_slice(b"[ ");
    if let Some(time) = time {
        format.push(out, time);
        out.extend_from_slice(b", ");
    }
    write_list(out, format, parts);
    out.extend_from_slice(b" ]");
}

/// A name as a YAML scalar, without quotes only if that is certainly unambiguous.
pub(crate) fn yaml_name(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    // Words that YAML 1.1 does not read as text.
    let is_word = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    if plain && !is_word { name.to_owned() } else { quoted(name) }
}

/// A text in double quotes, valid in YAML and JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Characters that are not printable in YAML, line ends of YAML 1.1, and the byte order mark; all have four
            // digits.
            '\0'..=' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
                if c != ' ' =>
            {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_only_where_no_reader_can_doubt() {
        for plain in ["LinkPosition", "Hand-Pose_2", "a.b/c"] {
            assert_eq!(yaml_name(plain), plain);
        }
        for (name, text) in [
            ("yes", "\"yes\""),
            ("a: b", "\"a: b\""),
            ("1e3", "\"1e3\""),
            ("", "\"\""),
            ("右腕", "\"右腕\""),
            ("\"\\", "\"\\\"\\\\\""),
            ("\u{7}\n\u{85}\u{2028}", "\"\\u0007\\u000a\\u0085\\u2028\""),
            ("\u{1F916}", "\"\u{1F916}\""),
        ] {
            assert_eq!(yaml_name(name), text);
        }
    }
}
