//! Damage to files that knows words and numbers.

use bunraku_test_support::Random;

/// Replacements for a number.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "1.5",
    "-90",
    "9999",
    "1e999",
    "nan",
    ".nan",
    "-inf",
    "-.inf",
    "0x7FFFFFFF",
    "077",
    "4294967295",
    "4294967296",
    "-2147483649",
    "9223372036854775808",
    "1e-320",
    "1e308",
    "1000000",
    "1 2",
    "[]",
    "{}",
    "",
];

/// Words with a meaning in many files.
const WORDS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "/>",
    "\"",
    "'",
    "#",
    "&a",
    "*a",
    "<<: *a",
    "- ",
    ": ",
    ",",
    "\n",
    "\r",
    "\t",
    "\0",
    "\\",
    "${x}",
    "$(find x)",
    "../",
    "/",
    "%",
    "null",
    "true",
    "~",
    "!!binary",
    "|",
    ">",
    "---",
    "...",
    "\u{30dc}",
    "\u{feff}",
    "\u{1b}[2J",
    "\u{202e}",
    "&amp;",
    "<!--",
    "]]>",
    "<![CDATA[",
    "<!DOCTYPE a [",
    "&#0;",
];

/// The file with some damage; `other` is a source of fragments. Half of the files only have other words and numbers, and
/// may be valid.
pub fn mutated(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    if random.chance(2) { bent(seed, other, random) } else { broken(seed, other, random) }
}

/// Ranges of words: numbers or names, without the marks between them.
fn words(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(is_part).map(|start| at + start) {
        let end = bytes[start..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |length| start + length);
        found.push(start..end);
        at = end;
    }
    found
}

fn is_number(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit) && !word.iter().any(|byte| byte.is_ascii_alphabetic() && *byte != b'e')
}

/// Replaces some words by others of the same kind.
fn bent(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    let strange = words(other);
    for _ in 0..1 + random.below(3) {
        let known = words(&bytes);
        if known.is_empty() {
            break;
        }
        let word = known[random.below(known.len())].clone();
        let new = if is_number(&bytes[word.clone()]) || strange.is_empty() {
            random.of(NUMBERS).as_bytes().to_vec()
        } else {
            other[strange[random.below(strange.len())].clone()].to_vec()
        };
        bytes.splice(word, new);
    }
    bytes
}

/// Damages a file in a few places.
fn broken(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.bytes(1)[0];
                }
            }
            2 => drop(bytes.splice(at..at, random.of(WORDS).bytes())),
            3 => {
                let range = random.range(bytes.len(), 60);
                bytes.drain(range);
            }
            4 => {
                let range = random.range(bytes.len(), 300);
                let piece = bytes[range].repeat(1 + random.below(3));
                bytes.splice(at..at, piece);
            }
            5 => {
                let piece = other[random.range(other.len(), 300)].to_vec();
                bytes.splice(at..at, piece);
            }
            6 => {
                let word = random.of(WORDS).repeat(1 + random.below(200));
                bytes.splice(at..at, word.into_bytes());
            }
            _ => {
                // A number of a binary file: a count or an offset.
                let size = [1, 2, 4, 8][random.below(4)];
                let value = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, u64::MAX][random.below(8)];
                if let Some(place) = bytes.get_mut(at..at + size) {
                    place.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
        }
    }
    bytes
}
