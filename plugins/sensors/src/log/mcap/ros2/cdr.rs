//! OMG's Common Data Representation (XCDR1, little-endian), in which ROS 2 encodes messages.

/// Header of the encoding: plain CDR, little-endian, no options.
const HEADER: [u8; 4] = [0, 1, 0, 0];

/// A message of ROS 2 during encoding as CDR, little-endian.
#[derive(Clone, Debug)]
pub struct Cdr {
    bytes: Vec<u8>,
}

impl Default for Cdr {
    fn default() -> Self {
        Self::new()
    }
}

impl Cdr {
    /// An empty message.
    pub fn new() -> Self {
        Self { bytes: HEADER.to_vec() }
    }

    /// The encoded message, with the header of the encoding.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Numbers are aligned to their size, counted from the end of the header.
    fn number<const N: usize>(&mut self, bytes: [u8; N]) {
        let position = self.bytes.len() - HEADER.len();
        self.bytes.resize(self.bytes.len() + position.next_multiple_of(N) - position, 0);
        self.bytes.extend(bytes);
    }

    /// An unsigned byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// A signed byte.
    pub fn i8(&mut self, value: i8) {
        self.number(value.to_le_bytes());
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    /// An unsigned number of two bytes.
    pub fn u16(&mut self, value: u16) {
        self.number(value.to_le_bytes());
    }

    /// An unsigned number of four bytes.
    pub fn u32(&mut self, value: u32) {
        self.number(value.to_le_bytes());
    }

    /// A signed number of four bytes.
    pub fn i32(&mut self, value: i32) {
        self.number(value.to_le_bytes());
    }

    /// A signed number of eight bytes.
    pub fn i64(&mut self, value: i64) {
        self.number(value.to_le_bytes());
    }

    /// A number in single precision.
    pub fn f32(&mut self, value: f32) {
        self.number(value.to_le_bytes());
    }

    /// A number in double precision.
    pub fn f64(&mut self, value: f64) {
        self.number(value.to_le_bytes());
    }

    /// A string: its length with the final zero byte, and its bytes. A zero byte inside it ends it.
    pub fn text(&mut self, text: &str) {
        let text = text.split('\0').next().unwrap_or_default();
        self.length(text.len() + 1);
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    /// The length of a sequence, before its elements.
    pub fn length(&mut self, length: usize) {
        self.u32(u32::try_from(length).unwrap_or(u32::MAX));
    }

    /// A sequence of bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// An array, whose length is fixed and not encoded.
    pub fn f64_array(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.f64(value));
    }

    /// A sequence of numbers.
    pub fn f64_sequence(&mut self, values: &[f64]) {
        self.length(values.len());
        self.f64_array(values.iter().copied());
    }

    /// A sequence of numbers in single precision.
    pub fn f32_sequence(&mut self, values: impl ExactSizeIterator<Item = f32>) {
        self.length(values.len());
        values.for_each(|value| self.f32(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_from_the_end_of_the_header() {
        let mut cdr = Cdr::new();
        cdr.u8(7);
        cdr.u16(0x0102);
        cdr.text("ab");
        cdr.f64(1.0);
        cdr.f64_sequence(&[]);
        let expected = [
            &[0, 1, 0, 0][..],
            &[7, 0, 2, 1],
            &[3, 0, 0, 0, b'a', b'b', 0],
            &[0; 5],
            &1.0_f64.to_le_bytes(),
            &[0, 0, 0, 0],
        ];
        assert_eq!(cdr.into_bytes(), expected.concat());
    }
}
