//! Decoding of text files that are not UTF-8: old Japanese files are in Shift_JIS or EUC-JP.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, WINDOWS_1252};

/// Bytes that are examined, from the first byte that is not UTF-8. Enough to distinguish the encodings.
const SAMPLE: usize = 1 << 16;

/// Decoded text and how its bytes were read.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// Present if the bytes are not UTF-8.
    pub(crate) foreign: Option<Foreign>,
}

/// Description of bytes that are not UTF-8.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// Offset of the first such byte.
    pub(crate) start: usize,
    /// Their encoding, if detected.
    pub(crate) encoding: Option<&'static str>,
    /// Whether some bytes were invalid and were replaced by U+FFFD.
    pub(crate) replaced: bool,
}

/// Decodes a text of any encoding and drops its byte order mark.
pub(crate) fn decode(bytes: Vec<u8>) -> Decoded {
    let bytes = match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            return Decoded { text, foreign: None };
        }
        Err(error) => error.into_bytes(),
    };
    let start = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let marked = Encoding::for_bom(&bytes).map(|(encoding, _)| encoding);
    if let Some(encoding) = marked.filter(|&encoding| encoding != encoding_rs::UTF_8).or_else(|| guess(&bytes, start)) {
        let (text, _, replaced) = encoding.decode(&bytes);
        let foreign = Foreign { start, encoding: Some(encoding.name()), replaced };
        return Decoded { text: text.into_owned(), foreign: Some(foreign) };
    }
    let text = String::from_utf8_lossy(&bytes);
    let (text, start) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest.to_owned(), start - '\u{feff}'.len_utf8()),
        None => (text.into_owned(), start),
    };
    Decoded { text, foreign: Some(Foreign { start, encoding: None, replaced: true }) }
}

/// Likeliest encoding of a text that is not UTF-8: Shift_JIS, EUC-JP or windows-1252. `None` for UTF-8 (also with a few
/// invalid bytes) and for binary data.
pub fn foreign_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    if start == bytes.len() { None } else { guess(bytes, start) }
}

/// Likeliest encoding of bytes that are UTF-8 only up to `start`.
fn guess(bytes: &[u8], start: usize) -> Option<&'static Encoding> {
    let end = bytes.len().min(start + SAMPLE);
    let (head, sample) = (bytes.get(..end).unwrap_or(bytes), bytes.get(start..end).unwrap_or_default());
    // Other control characters occur in binary data only.
    let is_text = |byte: &u8| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r' | b'\x0c');
    if !head.iter().all(is_text) || is_mostly_utf8(bytes, start) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, end == bytes.len());
    // Most old models are Japanese. The guess is rejected if much of the text is invalid in that encoding.
    let japanese = detector.guess(Some(b"jp"), Utf8Detection::Deny);
    if [SHIFT_JIS, EUC_JP].contains(&japanese) {
        let (text, _) = japanese.decode_without_bom_handling(sample);
        let foreign = text.chars().filter(|letter| !letter.is_ascii()).count();
        let nonsense = text.chars().filter(|&letter| letter == char::REPLACEMENT_CHARACTER).count();
        if foreign > 4 * nonsense {
            return Some(japanese);
        }
    }
    let other = detector.guess(None, Utf8Detection::Deny);
    [SHIFT_JIS, EUC_JP, WINDOWS_1252].contains(&other).then_some(other)
}

/// Whether most of the non-ASCII text is well-formed UTF-8.
fn is_mostly_utf8(bytes: &[u8], start: usize) -> bool {
    let window = bytes.get(start.saturating_sub(SAMPLE)..bytes.len().min(start + SAMPLE)).unwrap_or(bytes);
    let (mut good, mut bad) = (0, 0);
    for chunk in window.utf8_chunks() {
        good += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 腕のモデル (model of an arm)
    const SHIFT_JIS: &[u8] = b"\x98\x72\x82\xcc\x83\x82\x83\x66\x83\x8b";
    const EUC_JP: &[u8] = b"\xcf\xd3\xa4\xce\xa5\xe2\xa5\xc7\xa5\xeb";

    #[test]
    fn utf8_is_detected_with_and_without_a_byte_order_mark() {
        for bytes in ["# 腕のモデル\n".as_bytes(), "\u{feff}# 腕のモデル\n".as_bytes()] {
            let decoded = decode(bytes.to_vec());
            assert_eq!(decoded.text, "# 腕のモデル\n");
            assert!(decoded.foreign.is_none());
        }
    }

    #[test]
    fn shift_jis_and_euc_jp_are_distinguished() {
        for (name, comment) in [("Shift_JIS", SHIFT_JIS), ("EUC-JP", EUC_JP)] {
            let decoded = decode([b"name: A\n# ", comment, b"\n"].concat());
            assert_eq!(decoded.text, "name: A\n# 腕のモデル\n");
            let foreign = decoded.foreign.unwrap();
            assert_eq!((foreign.encoding, foreign.start, foreign.replaced), (Some(name), 10, false));
        }
    }

    #[test]
    fn western_text_is_not_detected_as_japanese() {
        let decoded = decode(b"# Gelenk f\xfcr die Hand, gr\xf6\xdfer\n".to_vec());
        assert_eq!(decoded.text, "# Gelenk für die Hand, größer\n");
        assert_eq!(decoded.foreign.unwrap().encoding, Some("windows-1252"));
    }

    #[test]
    fn a_byte_order_mark_names_the_encoding() {
        let bytes: Vec<u8> = "\u{feff}name: 腕\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let decoded = decode(bytes);
        assert_eq!(decoded.text, "name: 腕\n");
        assert_eq!(decoded.foreign.unwrap().encoding, Some("UTF-16LE"));
    }

    #[test]
    fn a_flaw_in_utf8_is_replaced() {
        let decoded = decode(b"\xef\xbb\xbf# \xe8\x85\x95\xe3\x81\xae\xff\n".to_vec());
        assert_eq!(decoded.text, "# 腕の\u{fffd}\n");
        let foreign = decoded.foreign.unwrap();
        assert!(foreign.encoding.is_none() && foreign.replaced);
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        // The file was truncated within a character.
        let decoded = decode([b"# ", SHIFT_JIS, SHIFT_JIS, SHIFT_JIS, b"\x83"].concat());
        assert!(
            decoded.text.starts_with("# 腕のモデル腕のモデル") && decoded.text.ends_with('\u{fffd}'),
            "{}",
            decoded.text
        );
        let foreign = decoded.foreign.unwrap();
        assert!(foreign.encoding == Some("Shift_JIS") && foreign.replaced, "{foreign:?}");
    }

    #[test]
    fn binary_data_is_in_no_encoding() {
        assert!(decode(b"\x00\x01\xff\xfe\x83\x82".to_vec()).foreign.unwrap().encoding.is_none());
    }
}
