//! Randomly damaged OpenHRP models: none causes a panic, a hang or high memory consumption, and each finding is
//! located. It is the function that `fuzz/` gives to libFuzzer, here with a limited number of files that are the same
//! in every run.

#[path = "../../../../fuzz/fuzz_targets/vrml_properties.rs"]
mod vrml_properties;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use bunraku_body::LoadOptions;
use bunraku_document::Reporter;
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

/// Seeds that together use all features of the readers.
const SEEDS: &[&str] = &[
    r#"#VRML V2.0 utf8
PROTO Humanoid [ exposedField MFNode humanoidBody [ ] exposedField MFString info [ ] exposedField SFVec3f translation 0 0 0 ] { Group { children IS humanoidBody } }
PROTO Joint [ exposedField MFNode children [ ] exposedField SFString jointType "" exposedField SFInt32 jointId -1 exposedField SFVec3f jointAxis 0 0 1 exposedField MFFloat ulimit [ ] exposedField MFFloat llimit [ ] exposedField SFVec3f translation 0 0 0 exposedField SFRotation rotation 0 0 1 0 exposedField SFFloat gearRatio 1 exposedField SFFloat rotorInertia 0 ] { Transform { translation IS translation rotation IS rotation children IS children } }
PROTO Segment [ exposedField MFNode children [ ] exposedField SFFloat mass 0 exposedField SFVec3f centerOfMass 0 0 0 exposedField MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] eventIn MFNode addChildren ] { Group { addChildren IS addChildren children IS children } }
PROTO Surface [ field MFNode visual [ ] field MFNode collision [ ] ] { Group { children IS visual } }
PROTO ExtraJoint [ field SFString link1Name "" field SFString link2Name "" field SFString jointType "xyz" field SFVec3f jointAxis 1 0 0 field SFVec3f link1LocalPos 0 0 0 field SFVec3f link2LocalPos 0 0 0 ] { }
PROTO VisionSensor [ field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFString type "NONE" field SFInt32 sensorId -1 field SFInt32 width 320 field SFInt32 height 240 field SFFloat fieldOfView 0.78 field SFFloat frontClipDistance 0.01 field SFFloat backClipDistance 10 ] { Transform { translation IS translation rotation IS rotation } }
PROTO RangeSensor [ field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 field SFInt32 sensorId -1 field SFFloat scanAngle 3 field SFFloat scanStep 0.1 field SFFloat scanRate 10 field SFFloat maxDistance 10 ] { }
PROTO Thing [ field SFInt32 sensorId 0 field MFString words [ "a" ] ] { }
DEF ROBOT Humanoid { info [ "a robot" ] humanoidBody [ DEF BASE Joint { jointType "free" children [
  DEF TRUNK Segment { mass 2 centerOfMass 0 0 0.1 momentsOfInertia [ 1 0 0 0 1 0 0 0 1 ] children DEF BOX Shape { geometry Box { size 1 1 1 } } }
  DEF ARM Joint { jointType "rotate" jointId 0 jointAxis 0 1 0 ulimit [ 1.5 ] llimit [ -1.5 ] translation 0 0 1 rotation 1 0 0 0.5 gearRatio 100 rotorInertia 1e-5 children [
    DEF HAND Segment { mass 0x10 children Surface { visual USE BOX collision Transform { scale 2 2 2 children USE BOX } } }
    DEF EYE VisionSensor { type "COLOR" sensorId 0 } DEF EAR Thing { words [ "b" "c" ] } DEF LASER RangeSensor { sensorId 0 } ] }
  DEF LEG Joint { jointType "slide" jointId 1 } DEF TRACK Joint { jointType "crawler" } ] } ] }
DEF LOOP ExtraJoint { link1Name "ARM" link2Name "LEG" jointType "xy" jointAxis 0 0 1 }
"#,
    r#"#VRML V2.0 utf8
DEF A Transform { translation 1 2 3 rotation 0 0 1 1.5 scale 1 2 3 center 1 1 1 scaleOrientation 0 1 0 1 children [
  DEF S Shape { appearance DEF LOOK Appearance { material Material { diffuseColor 1 0 0 shininess 0.5 transparency 0.2 } texture PixelTexture { image 1 2 3 0xFF00FF 7 } textureTransform TextureTransform { scale 2 2 } }
    geometry IndexedFaceSet { coord DEF C Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] } coordIndex [ 0 1 2 3 -1 0 2 1 ] creaseAngle 0.5 solid FALSE
      normal Normal { vector [ 0 0 1 ] } normalPerVertex FALSE normalIndex [ 0 0 ] texCoord TextureCoordinate { point [ 0 0 1 0 1 1 0 1 ] } color Color { color [ 1 0 0 0 1 0 ] } colorPerVertex FALSE } }
  Shape { geometry Extrusion { crossSection [ 1 1 1 -1 -1 -1 -1 1 1 1 ] spine [ 0 0 0 0 1 0 1 2 0 ] scale [ 1 1 ] orientation [ 0 0 1 0 ] beginCap FALSE } }
  Shape { appearance USE LOOK geometry ElevationGrid { xDimension 2 zDimension 3 xSpacing 1 zSpacing 2 height [ 0 1 2 3 4 5 ] } }
  Switch { whichChoice 0 choice [ USE S Shape { geometry Cylinder { radius 1 height 2 top FALSE side FALSE } } Shape { geometry Cone { bottomRadius 1 } } Shape { geometry Sphere { radius 2 } } ] }
  LOD { range [ 1 ] level [ USE S Group { } ] } ] }
DEF A2 Collision { collide FALSE children [ Billboard { children Anchor { children USE S } } ] }
Inline { url "missing.wrl" } Viewpoint { } DirectionalLight { } Fog { } WorldInfo { info "text" }
DEF T TimeSensor { loop TRUE } DEF I OrientationInterpolator { key [ 0 1 ] } ROUTE T.fraction_changed TO I.set_fraction
EXTERNPROTO Far [ field SFInt32 n ] "far.wrl#Far" Far { n 010 } Script { url "javascript: function f() { return \"}\"; }" }
"#,
];

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
fn check(directory: &Path, bytes: &[u8], what: &str) {
    let (cost, outcome) = allocations(|| catch_unwind(AssertUnwindSafe(|| vrml_properties::check(directory, bytes))));
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
    for seed in SEEDS {
        check(directory.path(), seed.as_bytes(), "a seed");
        let reporter = Reporter::new();
        let body = bunraku_body::load(&directory.path().join("fuzz.wrl"), &LoadOptions::default(), &reporter);
        assert!(body.is_some(), "{:?}", reporter.into_diagnostics());
    }
}

#[test]
fn our_own_files_broken_by_chance() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(1);
    for round in 0..ROUNDS {
        let seed = SEEDS[random.below(SEEDS.len())].as_bytes();
        let other = SEEDS[random.below(SEEDS.len())].as_bytes();
        check(directory.path(), &spoilt(seed, other, &mut random), &format!("round {round}"));
    }
}

#[test]
fn our_own_files_cut_at_each_line() {
    let directory = tempfile::tempdir().unwrap();
    for seed in SEEDS {
        for (at, _) in seed.match_indices('\n') {
            check(directory.path(), &seed.as_bytes()[..at], "the beginning");
            check(directory.path(), &seed.as_bytes()[at..], "the end");
        }
    }
}

#[test]
fn files_of_the_corpus_broken_by_chance() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let mut files = files_below(&corpus, &["wrl"]);
    files.retain(|path| path.metadata().unwrap().len() <= LARGEST_SEED);
    assert!(!files.is_empty());
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(2);
    let mut other = SEEDS[0].as_bytes().to_vec();
    for path in files {
        let seed = std::fs::read(&path).unwrap();
        for round in 0..CORPUS_ROUNDS {
            let what = format!("{}, round {round}", path.display());
            check(directory.path(), &spoilt(&seed, &other, &mut random), &what);
        }
        other = seed;
    }
}
