//! Hostile and broken VRML files: reading terminates, and the error names the limit or the location.

use std::fmt::Write;
use std::path::Path;

use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::vrml::{Converter, Document, MAX_DEPTH, MAX_HEIGHT};
use bunraku_mesh::{LoadContext, MeshScene, load_scene};
use bunraku_test_support::Random;

/// The scene of a text, and the findings.
fn scene_of_bytes(text: &[u8]) -> bunraku_document::Result<MeshScene> {
    let (limits, reporter, roots) = (Limits::default(), Reporter::new(), SearchRoots::default());
    let document = Document::parse(Path::new("hostile.wrl"), text, &limits, &reporter)?;
    Converter::new(&document, LoadContext { roots: &roots, limits: &limits, reporter: &reporter }).scene()
}

fn scene(text: &str) -> bunraku_document::Result<MeshScene> {
    scene_of_bytes(text.as_bytes())
}

fn code(text: &str) -> &'static str {
    let start = std::time::Instant::now();
    let error = scene(text).unwrap_err();
    println!("{} bytes, {:?}: {error}", text.len(), start.elapsed());
    assert!(error.place.is_some());
    error.code
}

/// A line for each of `count` names, the first of which is `first`; `line` gets the names before and after it.
fn chain(first: &str, count: usize, line: impl Fn(&str, &str) -> String) -> String {
    let mut text = format!("{first}\n");
    for number in 1..count {
        writeln!(text, "{}", line(&format!("N{}", number - 1), &format!("N{number}"))).unwrap();
    }
    text
}

#[test]
fn nodes_nested_without_end_are_refused() {
    assert_eq!(code(&"Group{children[".repeat(100_000)), "limit-depth");
    assert_eq!(code(&format!("{}{}", "Group{children ".repeat(100_000), "}".repeat(100_000))), "limit-depth");
    assert_eq!(code(&"PROTO P [ field SFNode n Group{children [".repeat(100_000)), "limit-depth");
    assert_eq!(code(&"Group{children PROTO A[field SFNode x ".repeat(100_000)), "limit-depth");
    // Brackets in fields that are skipped do not count as nesting.
    assert_eq!(code(&format!("Group {{ x {}", "[".repeat(1_000_000))), "unclosed-bracket");
    assert_eq!(code(&format!("Script {}", "{".repeat(1_000_000))), "unclosed-bracket");
}

#[test]
fn the_deepest_nesting_that_is_allowed_works() {
    let depth = MAX_DEPTH as usize - 1;
    let text =
        format!("{}Shape{{geometry Box{{}}}}{}", "DEF A Group{children[".repeat(depth - 1), "]}".repeat(depth - 1));
    assert_eq!(scene(&text).unwrap().shapes().len(), 1);
    let instances = format!(
        "PROTO P[field MFNode c []]{{Group{{children IS c}}}}{}Group{{}}{}",
        "P{c[".repeat(depth - 1),
        "]}".repeat(depth - 1)
    );
    // A body is one level deeper where it is read.
    let pass = |before: &str, after: &str| {
        format!("PROTO {after} [field SFString s \"\"]{{Group{{children {before}{{s IS s}}}}}}")
    };
    let bodies = chain("PROTO N0 [field SFString s \"\"]{WorldInfo{title IS s}}", depth / 2, pass);
    for text in [instances, format!("{bodies} N{}{{}}", depth / 2 - 1)] {
        assert!(scene(&text).is_ok_and(|scene| scene.nodes.is_empty()));
    }
    // A shape with its geometry, and a group for each line above it.
    let groups = MAX_HEIGHT as usize - 2;
    let line = |before: &str, after: &str| format!("DEF {after} Transform{{children USE {before}}}");
    let text = chain("DEF N0 Shape{geometry Box{}}", groups + 1, line);
    let (limits, reporter, roots) = (Limits::default(), Reporter::new(), SearchRoots::default());
    let document = Document::parse(Path::new("high.wrl"), text, &limits, &reporter).unwrap();
    let highest = document.definition(&format!("N{groups}")).unwrap();
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    assert_eq!(highest.height(), MAX_HEIGHT);
    assert_eq!(Converter::new(&document, context).shapes(highest).unwrap().len(), 1);
}

#[test]
fn use_and_proto_cannot_stack_nodes_without_end() {
    let by_use = |before: &str, after: &str| format!("DEF {after} Group{{children USE {before}}}");
    assert_eq!(code(&chain("DEF N0 Group{}", 100_000, by_use)), "limit-depth");
    let by_proto = |before: &str, after: &str| format!("PROTO {after} [] {{{before}{{}}}} {after}{{}}");
    assert_eq!(code(&chain("PROTO N0 [] {Group{}} N0{}", 100_000, by_proto)), "limit-depth");
    let by_default =
        |before: &str, after: &str| format!("PROTO {after} [field SFNode n {before}{{}}] {{Group{{children []}}}}");
    assert_eq!(code(&chain("PROTO N0 [] {Group{}}", 100_000, by_default)), "limit-depth");
}

#[test]
fn use_cannot_double_a_scene_without_end() {
    let twice = |before: &str, after: &str| format!("DEF {after} Group{{children[USE {before} USE {before}]}}");
    assert_eq!(code(&chain("DEF N0 Shape{geometry Box{}}", 60, twice)), "limit-scene");
    assert_eq!(code(&chain("DEF N0 Group{}", 60, twice)), "limit-scene");
    let wide = format!(
        "DEF N0 Group{{}} DEF W Group{{children[{}]}} Group{{children[{}]}}",
        "USE N0 ".repeat(10_000),
        "USE W ".repeat(10_000)
    );
    assert_eq!(code(&wide), "limit-scene");
}

#[test]
fn prototypes_cannot_double_anything_without_end() {
    let twice = |before: &str, after: &str| {
        format!("PROTO {after} [field SFString s \"\"] {{Group{{children[{before}{{s IS s}}{before}{{s IS s}}]}}}}")
    };
    let first = "PROTO N0 [field SFString s \"\"] {WorldInfo{title IS s}}";
    assert_eq!(code(&format!("{} N59{{}}", chain(first, 60, twice))), "limit-instances");
    let body = format!("PROTO A [field SFString s \"\"] {{ #{}\n WorldInfo{{title IS s}} }}", "x".repeat(1_000_000));
    assert_eq!(code(&format!("{body} {}", "A{}".repeat(1000))), "limit-instances");
    let wide =
        "PROTO A [field SFString s \"\"] {Group{children[B{}B{}B{}B{}B{}B{}B{}B{}B{}B{}] }} PROTO B [] {Group{}} ";
    assert!(scene(&format!("{wide}{}", "A{}".repeat(1000))).is_ok());
}

#[test]
fn long_lists_cannot_be_copied_without_end() {
    let points = "0 1 2 ".repeat(10_000);
    let indices = "0 1 2 -1 ".repeat(10_000);
    let text = format!(
        "PROTO P [field MFVec3f p [{points}] field MFInt32 i [{indices}] field SFString s \"\"]
         {{Shape{{geometry IndexedFaceSet{{coord Coordinate{{point IS p}} coordIndex IS i}}}}}} {}",
        "P{}".repeat(1000)
    );
    // One mesh for all of them, because only a field of the instance could make a difference.
    assert_eq!(code(&text), "limit-scene");
    let spine = "0 1 0 0 2 0 ".repeat(5000);
    let section = "0 1 1 0 ".repeat(5000);
    let text = format!("Shape{{geometry Extrusion{{spine[{spine}] crossSection[{section}]}}}}");
    assert_eq!(code(&text), "limit-scene");
}

#[test]
fn many_face_sets_may_share_one_long_list_of_points() {
    let points = "0 0 0 1 0 0 0 1 0 ".repeat(10_000);
    let faces = "Shape{geometry IndexedFaceSet{coord USE C coordIndex[29997 29998 29999 -1]}}";
    let text = format!(
        "Shape{{geometry IndexedFaceSet{{coord DEF C Coordinate{{point[{points}]}} coordIndex[0 1 2 -1]}}}}{}",
        faces.repeat(3000)
    );
    let shapes = scene(&text).unwrap().shapes();
    assert_eq!(shapes.len(), 3001);
    assert_eq!(shapes[3000].geometry.triangles().vertices.len(), 3);
}

#[test]
fn inlined_files_are_found_around_the_file_and_cannot_contain_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let load = |name: &str, reporter: &Reporter| {
        let path = directory.path().join(name);
        let (roots, limits) = (SearchRoots::default().around(&path), Limits::default());
        load_scene(&path, &LoadContext { roots: &roots, limits: &limits, reporter })
    };
    std::fs::create_dir(directory.path().join("parts")).unwrap();
    write("parts/a.wrl", "DEF A Shape { geometry Box { } } Inline { url \"b.WRL\" }");
    write("parts/b.WRL", "Shape { geometry Sphere { } }");
    let text =
        "Inline { url [ \"parts/a.wrl\" \"file:parts\\b.WRL\" ] bboxSize 1 1 1 }\nInline { url \"parts/a.wrl\" }";
    write("good.wrl", text);
    let reporter = Reporter::new();
    let scene = load("good.wrl", &reporter).unwrap();
    assert_eq!(scene.shapes().len(), 5);
    assert!(reporter.diagnostics().is_empty());

    write("loop.wrl", "Inline { url \"parts/loop.wrl\" }");
    write("parts/loop.wrl", "Group { children\n Inline { url \"../loop.wrl\" } }");
    let error = load("loop.wrl", &Reporter::new()).unwrap_err();
    assert_eq!((error.code, error.position().unwrap().line), ("recursive-inline", 2));
    assert!(error.file().unwrap().ends_with("parts/loop.wrl"));

    write("missing.wrl", "Shape { geometry Box { } }\nInline { url [ \"no.wrl\" \"no.stl\" \"http://x.org/a.wrl\" ] }");
    for strict in [false, true] {
        let reporter = if strict { Reporter::strict() } else { Reporter::new() };
        assert_eq!(load("missing.wrl", &reporter).unwrap().shapes().len(), 1);
        assert_eq!(reporter.has_errors(), strict);
        let found: Vec<_> = reporter.diagnostics().iter().map(|d| (d.code, d.position().unwrap().line)).collect();
        assert_eq!(found, [("file-not-found", 2), ("file-not-found", 2), ("bad-path", 2)]);
    }

    write("broken.wrl", "Inline { url \"parts/broken.wrl\" }");
    write("parts/broken.wrl", "\nBox {");
    let error = load("broken.wrl", &Reporter::new()).unwrap_err();
    assert!(error.file().unwrap().ends_with("parts/broken.wrl"));

    // Each file inlines the next one twice.
    for number in 0..40 {
        let next = format!("Inline {{ url [ \"{0}.wrl\" \"{0}.wrl\" ] }}", number + 1);
        write(&format!("{number}.wrl"), &next);
    }
    write("40.wrl", "Shape { geometry Box { } }");
    assert_eq!(load("0.wrl", &Reporter::new()).unwrap_err().code, "limit-scene");
}

#[test]
fn inlined_files_share_one_budget() {
    let directory = tempfile::tempdir().unwrap();
    let twice = |before: &str, after: &str| format!("DEF {after} Group{{children[USE {before} USE {before}]}}");
    let text = chain("DEF N0 Shape{geometry Box{}}", 12, twice);
    for number in 0..20 {
        std::fs::write(directory.path().join(format!("{number}.wrl")), &text).unwrap();
    }
    let all: String = (0..20).map(|number| format!("Inline{{url \"{number}.wrl\"}}")).collect();
    let path = directory.path().join("all.wrl");
    std::fs::write(&path, all).unwrap();
    let (roots, limits, reporter) = (SearchRoots::default().around(&path), Limits::default(), Reporter::new());
    let load = |path: &Path| load_scene(path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter });
    assert!(load(&directory.path().join("3.wrl")).is_ok());
    assert_eq!(load(&path).unwrap_err().code, "limit-scene");
}

const PIECES: &[&str] = &[
    "PROTO ",
    "P ",
    "[ ",
    "] ",
    "{ ",
    "} ",
    "field ",
    "SFNode ",
    "MFNode ",
    "MFVec3f ",
    "SFImage ",
    "n ",
    "IS ",
    "DEF ",
    "USE ",
    "A ",
    "Group ",
    "Transform ",
    "Shape ",
    "geometry ",
    "Box ",
    "children ",
    "IndexedFaceSet ",
    "coord ",
    "Coordinate ",
    "point ",
    "coordIndex ",
    "0 ",
    "1 ",
    "-1 ",
    "2.5 ",
    "0x10 ",
    "077 ",
    "nan ",
    "1e999 ",
    "\"",
    "#",
    "\n",
    "NULL ",
    "TRUE ",
    "Extrusion ",
    "spine ",
    "crossSection ",
    "ElevationGrid ",
    "height ",
    "xDimension ",
    "PixelTexture ",
    "image ",
    "Inline ",
    "url ",
    "EXTERNPROTO ",
    "ROUTE ",
    "TO ",
    "Script ",
    "rotation ",
    "scale ",
    "appearance ",
    "Appearance ",
    "texture ",
    "\u{30dc}",
    ", ",
    "Shape { geometry Box { } } ",
    "PROTO P [ field SFNode n NULL ] { Group { children [ ] } } ",
    "DEF A Group { } ",
    "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } coordIndex [ 0 1 2 ",
];

#[test]
fn errors_in_garbage_have_a_location() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let length = 1 + random.below(40);
        let text: String = (0..length).map(|_| random.of(PIECES)).collect();
        let length = random.below(60);
        for bytes in [text.into_bytes(), random.bytes(length)] {
            if let Err(error) = scene_of_bytes(&bytes) {
                assert!(error.position().is_some(), "{error}: {:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }
}

#[test]
fn a_truncated_or_mutated_file_does_not_panic() {
    let text = br#"#VRML V2.0 utf8
PROTO Joint [ exposedField SFVec3f translation 0 0 0 field MFNode children [ ] field MFFloat ulimit [ 1 2 ] ]
{ Transform { translation IS translation children IS children } }
DEF J Joint { translation 1 2 3 ulimit 4 children [
  DEF S Shape { appearance Appearance { material Material { diffuseColor 1 0 0 } texture PixelTexture { image 1 2 3 0xFF00FF 7 } }
    geometry IndexedFaceSet { coord DEF C Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] } coordIndex [ 0 1 2 3 -1 0 2 1 ]
      normal Normal { vector [ 0 0 1 ] } normalPerVertex FALSE normalIndex [ 0 0 ] texCoord TextureCoordinate { point [ 0 0 1 0 1 1 0 1 ] } } }
  Transform { rotation 0 0 1 1.5 scale 1 2 3 center 1 1 1 children [ USE S Shape { geometry Extrusion { } }
    Shape { geometry ElevationGrid { xDimension 2 zDimension 2 xSpacing 1 zSpacing 1 height [ 0 1 2 3 ] } } ] } ] }
ROUTE J.a TO J.b # "end"
"#;
    assert_eq!(scene_of_bytes(text).unwrap().shapes().len(), 4);
    let mut random = Random::new(8);
    for end in 0..text.len() {
        let _ = scene_of_bytes(&text[..end]);
        let _ = scene_of_bytes(&text[end..]);
        for _ in 0..10 {
            let mut bent = text.to_vec();
            for _ in 0..1 + random.below(3) {
                let place = random.below(bent.len());
                bent[place] = match random.below(3) {
                    0 => random.below(256) as u8,
                    1 => b"{}[]\"#0 "[random.below(8)],
                    _ => text[random.below(text.len())],
                };
            }
            let _ = scene_of_bytes(&bent);
        }
    }
}
