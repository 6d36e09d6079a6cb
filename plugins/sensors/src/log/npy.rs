//! NumPy's `.npy` files, format version 1.0.

use std::io::Write;
use std::path::Path;

use super::LogError;
use super::whole::write_whole;

/// A number type of `.npy` files.
pub trait Element: Copy {
    /// NumPy's type descriptor, little-endian.
    const DESCRIPTION: &'static str;

    /// Appends the bytes of the number, little-endian.
    fn add_to(self, bytes: &mut Vec<u8>);
}

impl Element for f32 {
    const DESCRIPTION: &'static str = "<f4";

    fn add_to(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl Element for f64 {
    const DESCRIPTION: &'static str = "<f8";

    fn add_to(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

/// Writes an array of `height` rows with `width` numbers each, row by row.
///
/// # Errors
/// If the number of values differs, or the file cannot be written.
pub fn write_npy<E: Element>(path: &Path, values: &[E], width: usize, height: usize) -> Result<(), LogError> {
    if width.checked_mul(height) != Some(values.len()) {
        return Err(LogError::Shape { path: path.to_owned(), values: values.len(), width, height });
    }
    let mut bytes = header(E::DESCRIPTION, width, height);
    values.iter().for_each(|value| value.add_to(&mut bytes));
    write_whole(path, |writer| writer.write_all(&bytes).map_err(|error| error.to_string()))
}

/// Writes an array of `height` rows with `width` vectors each, row by row; as [`write_npy`] otherwise.
///
/// # Errors
/// As [`write_npy`].
pub fn write_vectors_npy<const N: usize>(
    path: &Path,
    values: &[[f32; N]],
    width: usize,
    height: usize,
) -> Result<(), LogError> {
    if width.checked_mul(height) != Some(values.len()) {
        return Err(LogError::Shape { path: path.to_owned(), values: values.len(), width, height });
    }
    let mut bytes = shaped(f32::DESCRIPTION, &format!("{height}, {width}, {N}"));
    values.as_flattened().iter().for_each(|value| value.add_to(&mut bytes));
    write_whole(path, |writer| writer.write_all(&bytes).map_err(|error| error.to_string()))
}

/// Header, padded with blanks to a multiple of 64 bytes as the format requires.
fn header(description: &str, width: usize, height: usize) -> Vec<u8> {
    shaped(description, &format!("{height}, {width}"))
}

fn shaped(description: &str, shape: &str) -> Vec<u8> {
    const FIXED: usize = 10;
    let mut text = format!("{{'descr': '{description}', 'fortran_order': False, 'shape': ({shape}), }}");
    let blanks = (FIXED + text.len() + 1).next_multiple_of(64) - FIXED - text.len() - 1;
    text.extend(std::iter::repeat_n(' ', blanks));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_laid_out_as_numpy_wants_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scan.npy");
        write_npy(&path, &[1.0_f32, 2.0, f32::INFINITY, 4.0, 5.0, 6.0], 3, 2).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        assert!(header.ends_with('\n'));
        let numbers: Vec<f32> =
            bytes[10 + length..].chunks(4).map(|number| f32::from_le_bytes(number.try_into().unwrap())).collect();
        assert_eq!(numbers, [1.0, 2.0, f32::INFINITY, 4.0, 5.0, 6.0]);
        assert!(matches!(write_npy(&path, &[1.0_f64], 3, 2), Err(LogError::Shape { values: 1, .. })));
    }
}
