//! The data of a page: arrays of numbers in one buffer, described by JSON, compressed for the browser.
//!
//! An array is stored by the significance of its bytes, and as differences of neighbours where these are small, which
//! halves the compressed size of poses. `unpack.js` is the reader.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// The buffer.
#[derive(Default)]
pub(super) struct Pack(Vec<u8>);

impl Pack {
    /// Adds bytes as they are, such as those of a picture; returns their description.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Value {
        let at = self.0.len();
        self.0.extend_from_slice(bytes);
        json!({ "at": at, "count": bytes.len() })
    }

    pub(super) fn u8s(&mut self, numbers: &[u8]) -> Value {
        self.words("u8", 1, numbers.iter().map(|number| u32::from(*number)).collect(), 0)
    }

    pub(super) fn i8s(&mut self, numbers: &[i8]) -> Value {
        self.words("i8", 1, numbers.iter().map(|number| u32::from(number.cast_unsigned())).collect(), 0)
    }

    /// With a `stride` each number is stored as its difference from the one that many before it; 0 for none.
    pub(super) fn u16s(&mut self, numbers: &[u16], stride: usize) -> Value {
        self.words("u16", 2, numbers.iter().map(|number| u32::from(*number)).collect(), stride)
    }

    pub(super) fn i16s(&mut self, numbers: &[i16], stride: usize) -> Value {
        self.words("i16", 2, numbers.iter().map(|number| u32::from(number.cast_unsigned())).collect(), stride)
    }

    pub(super) fn i32s(&mut self, numbers: &[i32], stride: usize) -> Value {
        self.words("i32", 4, numbers.iter().map(|number| number.cast_unsigned()).collect(), stride)
    }

    pub(super) fn u32s(&mut self, numbers: &[u32], stride: usize) -> Value {
        self.words("u32", 4, numbers.to_vec(), stride)
    }

    pub(super) fn f32s(&mut self, numbers: &[f32]) -> Value {
        self.words("f32", 4, numbers.iter().map(|number| number.to_bits()).collect(), 0)
    }

    fn words(&mut self, kind: &str, width: usize, mut words: Vec<u32>, stride: usize) -> Value {
        let at = self.0.len();
        if stride > 0 {
            for index in (0..words.len()).rev() {
                let before = index.checked_sub(stride).map_or(0, |before| words[before]);
                words[index] = folded(words[index].wrapping_sub(before), width);
            }
        }
        for plane in 0..width {
            self.0.extend(words.iter().map(|word| word.to_le_bytes()[plane]));
        }
        json!({ "kind": kind, "at": at, "count": words.len(), "stride": stride })
    }

    /// The compressed text of a description and the buffer.
    ///
    /// # Errors
    /// If the compressor fails.
    pub(super) fn encoded(self, description: &Value) -> io::Result<String> {
        let description = description.to_string();
        let length = u32::try_from(description.len()).map_err(io::Error::other)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&length.to_le_bytes())?;
        encoder.write_all(description.as_bytes())?;
        encoder.write_all(&self.0)?;
        Ok(STANDARD.encode(encoder.finish()?))
    }
}

/// A difference as a number that is small for small differences of both signs: 0, −1, 1, −2, …
fn folded(difference: u32, width: usize) -> u32 {
    let shift = 32 - 8 * width;
    let signed = (difference << shift).cast_signed() >> shift;
    ((signed << 1) ^ (signed >> 31)).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_both_signs_become_small_numbers() {
        for (difference, expected) in [(0, 0), (-1, 1), (1, 2), (-2, 3), (i32::from(i16::MIN), 65535)] {
            assert_eq!(folded(i32::cast_unsigned(difference) & 0xffff, 2), expected, "{difference}");
        }
        let mut pack = Pack::default();
        let described = pack.i16s(&[100, -100, 101, -102], 2);
        assert_eq!(described, json!({ "kind": "i16", "at": 0, "count": 4, "stride": 2 }));
        assert_eq!(pack.0, [200, 199, 2, 3, 0, 0, 0, 0]);
    }
}
