//! Randomly damaged OpenHRP models: none causes a panic, a hang or high memory consumption, and each finding is
//! located. It is the function that `fuzz/` gives to libFuzzer, here with a limited number of files that are the same
//! in every run.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_document::Reporter;
use bunraku_fuzzing::{Target, target};
use bunraku_test_support::{Random, allocations, files_below};

/// Number of files derived from our own seeds, and from each of the corpus.
const ROUNDS: usize = 5000;
const CORPUS_ROUNDS: usize = 20;

/// Maximum size of a seed from the corpus, bytes; larger ones would take too long.
const LARGEST_SEED: u64 = 64 << 10;

/// Maximum memory of reading, bytes: a fixed amount for what `USE` and `PROTO` may double until a limit stops them,
/// plus a multiple of the file.
const MOST_MEMORY: usize = 100 << 20;
const MOST_MEMORY_OF_A_BYTE: usize = 1000;

/// The properties that hold for such files, and seeds that together use all features of the readers.
fn vrml() -> &'static Target {
    target("vrml").unwrap()
}

/// Words with a meaning in such files.
const WORDS: &[&str] = &[
    "PROTO",
    "P",
    "[",
    "]",
    "{",
    "}",
    "field",
    "exposedField",
    "eventIn",
    "SFNode",
    "MFNode",
    "SFInt32",
    "MFFloat",
    "SFImage",
    "SFString",
    "IS",
    "DEF",
    "USE",
    "A",
    "BASE",
    "NULL",
    "TRUE",
    "ROUTE",
    "TO",
    "EXTERNPROTO",
    "Group",
    "Joint",
    "Segment",
    "Humanoid",
    "Surface",
    "Shape",
    "Inline",
    "Script",
    "children",
    "geometry",
    "humanoidBody",
    "url",
    "0",
    "-1",
    "1e999",
    "nan",
    "-inf",
    "0x7FFFFFFF",
    "077",
    "4294967295",
    "1e-320",
    "1000000",
    "\"",
    "\"fixed\"",
    "#",
    ",",
    "\n",
    "\r",
    "\0",
    "\u{30dc}",
    "\u{feff}",
    "Group { children [",
    "] }",
    "DEF A Group { children USE A }",
    "Inline { url \"fuzz.wrl\" }",
];

/// Special numbers, and replacements for a number.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "-1",
    "2",
    "1.5",
    "9999",
    "1e999",
    "nan",
    "-inf",
    "0x7FFFFFFF",
    "0xFFFFFFFF",
    "077",
    "4294967295",
    "1e-320",
    "1e308",
    "1000000",
    "1 2",
    "",
];

/// Replaces some numbers, which usually gives a valid file.
fn bent(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let is_number =
        |word: &[u8]| word.first().is_some_and(|first| first.is_ascii_digit() || matches!(first, b'-' | b'.'));
    let mut words: Vec<&[u8]> = seed.split_inclusive(u8::is_ascii_whitespace).collect();
    let numbers: Vec<usize> = (0..words.len()).filter(|&place| is_number(words[place])).collect();
    if numbers.is_empty() {
        return seed.to_vec();
    }
    let other: Vec<String> =
        (0..1 + random.below(3)).map(|_| format!("{} ", NUMBERS[random.below(NUMBERS.len())])).collect();
    for number in &other {
        words[numbers[random.below(numbers.len())]] = number.as_bytes();
    }
    words.concat()
}

/// Mutates the numbers of one half of the files and damages the other.
fn spoilt(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    if random.below(2) == 0 { bent(seed, random) } else { broken(seed, other, random) }
}

/// Damages a file in a few positions; `other` is a source of fragments.
fn broken(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(5) {
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            2 | 3 => {
                // One word is replaced by another.
                let is_space = |byte: &u8| byte.is_ascii_whitespace();
                let end = bytes[at..].iter().position(is_space).map_or(bytes.len(), |length| at + length);
                let start = bytes[..at].iter().rposition(is_space).map_or(0, |place| place + 1);
                bytes.splice(start..end, WORDS[random.below(WORDS.len())].bytes());
            }
            4 => {
                let range = random.range(bytes.len(), 60);
                bytes.drain(range);
            }
            5 => {
                let range = random.range(bytes.len(), 300);
                let piece = bytes[range].repeat(1 + random.below(3));
                bytes.splice(at..at, piece);
            }
            6 => {
                let piece = other[random.range(other.len(), 300)].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let word = format!(" {} ", WORDS[random.below(WORDS.len())]).repeat(1 + random.below(400));
                bytes.splice(at..at, word.into_bytes());
            }
        }
    }
    bytes
}

/// Checks a file; a failing one is stored for analysis.
#[track_caller]
fn check(bytes: &[u8], what: &str) {
    let (cost, outcome) = allocations(|| catch_unwind(AssertUnwindSafe(|| (vrml().check)(bytes))));
    let most = MOST_MEMORY + MOST_MEMORY_OF_A_BYTE * bytes.len();
    if outcome.is_err() || cost.peak > most {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.wrl");
        std::fs::write(&kept, bytes).unwrap();
        println!("{what}: {} bytes, {} MB; the file is kept as {}", bytes.len(), cost.peak >> 20, kept.display());
    }
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
    assert!(cost.peak <= most, "{what}: {} MB for {} bytes", cost.peak >> 20, bytes.len());
}

#[test]
fn our_own_files_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    for seed in vrml().seeds() {
        check(&seed, "a seed");
        std::fs::write(directory.path().join("fuzz.wrl"), &seed).unwrap();
        let reporter = Reporter::new();
        let body = bunraku_body::load(&directory.path().join("fuzz.wrl"), &LoadOptions::default(), &reporter);
        assert!(body.is_some(), "{:?}", reporter.into_diagnostics());
    }
}

#[test]
fn our_own_files_broken_by_chance() {
    let seeds = vrml().seeds();
    let mut random = Random::new(1);
    for round in 0..ROUNDS {
        let (seed, other) = (&seeds[random.below(seeds.len())], &seeds[random.below(seeds.len())]);
        check(&spoilt(seed, other, &mut random), &format!("round {round}"));
    }
}

#[test]
fn our_own_files_cut_at_each_line() {
    for seed in vrml().seeds() {
        for at in (0..seed.len()).filter(|&at| seed[at] == b'\n') {
            check(&seed[..at], "the beginning");
            check(&seed[at..], "the end");
        }
    }
}

#[test]
fn files_of_the_corpus_broken_by_chance() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let mut files = files_below(&corpus, &["wrl"]);
    files.retain(|path| path.metadata().unwrap().len() <= LARGEST_SEED);
    assert!(!files.is_empty());
    let mut random = Random::new(2);
    let mut other = vrml().seeds().swap_remove(0);
    for path in files {
        let seed = std::fs::read(&path).unwrap();
        for round in 0..CORPUS_ROUNDS {
            let what = format!("{}, round {round}", path.display());
            check(&spoilt(&seed, &other, &mut random), &what);
        }
        other = seed;
    }
}
