//! Reading of CDR that others have sent: no length in it is trusted.

use rustdds::RepresentationIdentifier;
use rustdds::bytes::Bytes;

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    #[error("it ends too early")]
    Truncated,
    #[error("a text in it is not UTF-8")]
    NotUtf8,
    #[error("{list} has {found} values for {names} names")]
    Length { list: &'static str, found: usize, names: usize },
    #[error("a number in it is NaN or infinite")]
    NotFinite,
}

type Result<T> = std::result::Result<T, MessageError>;

/// An encoded message without the header of the encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    pub bytes: Bytes,
    pub is_little_endian: bool,
}

impl Payload {
    pub fn new(bytes: Bytes, encoding: RepresentationIdentifier) -> Self {
        Self { bytes, is_little_endian: encoding != RepresentationIdentifier::CDR_BE }
    }

    pub fn reader(&self) -> Reader<'_> {
        Reader { bytes: &self.bytes, position: 0, is_little_endian: self.is_little_endian }
    }
}

/// A message during reading.
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    is_little_endian: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.position.checked_add(count).ok_or(MessageError::Truncated)?;
        let taken = self.bytes.get(self.position..end).ok_or(MessageError::Truncated)?;
        self.position = end;
        Ok(taken)
    }

    /// Numbers are aligned to their size.
    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.position = self.position.next_multiple_of(N);
        let mut number = [0; N];
        number.copy_from_slice(self.take(N)?);
        if !self.is_little_endian {
            number.reverse();
        }
        Ok(number)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.number::<1>()?[0])
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    pub fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_le_bytes(self.number()?))
    }

    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.number()?))
    }

    /// A number that is neither NaN nor infinite.
    pub fn finite(&mut self) -> Result<f64> {
        Some(self.f64()?).filter(|value| value.is_finite()).ok_or(MessageError::NotFinite)
    }

    pub fn finite_array<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.finite()?;
        }
        Ok(values)
    }

    /// A text without its final zero byte.
    pub fn text(&mut self) -> Result<&'a str> {
        let length = self.length(1)?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes.strip_suffix(&[0]).unwrap_or(bytes)).map_err(|_| MessageError::NotUtf8)
    }

    /// The length of a sequence whose elements take at least `size` bytes each; never more than there are.
    pub fn length(&mut self, size: usize) -> Result<usize> {
        let length = usize::try_from(self.u32()?).map_err(|_| MessageError::Truncated)?;
        let left = self.bytes.len().saturating_sub(self.position);
        if length > left / size.max(1) { Err(MessageError::Truncated) } else { Ok(length) }
    }

    pub fn f64_sequence(&mut self) -> Result<Vec<f64>> {
        // The last four bytes of the length and padding come before the elements.
        let length = self.length(8)?;
        (0..length).map(|_| self.f64()).collect()
    }

    /// A `std_msgs/Header`; returns its frame.
    pub fn header(&mut self) -> Result<&'a str> {
        self.u32()?;
        self.u32()?;
        self.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(bytes: &[u8], is_little_endian: bool) -> Payload {
        Payload { bytes: Bytes::copy_from_slice(bytes), is_little_endian }
    }

    #[test]
    fn both_byte_orders_are_read() {
        let little = payload(&[5, 0, 0, 0, 2, 0, 0, 0, b'a', 0], true);
        let big = payload(&[0, 0, 0, 5, 0, 0, 0, 2, b'a', 0], false);
        for payload in [little, big] {
            let mut reader = payload.reader();
            assert_eq!((reader.u32(), reader.text()), (Ok(5), Ok("a")));
        }
    }

    #[test]
    fn lengths_are_not_trusted() {
        let huge = payload(&[255, 255, 255, 255, 0, 0], true);
        assert_eq!(huge.reader().text(), Err(MessageError::Truncated));
        assert_eq!(huge.reader().f64_sequence(), Err(MessageError::Truncated));
        assert_eq!(payload(&[2, 0, 0, 0, 0xff, 0], true).reader().text(), Err(MessageError::NotUtf8));
        // Neither an empty message nor an alignment beyond its end panics.
        assert_eq!(payload(&[], true).reader().u64(), Err(MessageError::Truncated));
        assert_eq!(payload(&[0], true).reader().text(), Err(MessageError::Truncated));
    }
}
