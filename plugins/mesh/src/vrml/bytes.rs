//! Classes of bytes.

#![expect(clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "the table has an entry for each byte")]

const SPACE: u8 = 1;
const NAME: u8 = 2;
const LABEL_END: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        if matches!(letter, b' ' | b'\t' | b'\r' | b'\n' | b',') {
            classes[byte] |= SPACE;
        }
        if letter.is_ascii_alphanumeric() || letter == b'_' || letter >= 0x80 {
            classes[byte] |= NAME;
        }
        if letter <= b' ' || matches!(letter, b',' | b'{' | b'}' | b'[' | b']' | b'"' | 0x7f) {
            classes[byte] |= LABEL_END;
        }
        byte += 1;
    }
    classes
};

/// Whether a byte is white space; commas are.
pub(super) fn is_space(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & SPACE != 0
}

/// Whether a byte may be part of the name of a node type, field or `PROTO`.
pub(super) fn is_name(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & NAME != 0
}

/// Whether a byte ends a name after `DEF` or `USE`.
pub(super) fn ends_label(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & LABEL_END != 0
}
