//! STL files, binary and ASCII.

use bunraku_mesh::{MeshScene, Normals};

use crate::common;
use crate::common::{load, read_mutations};

/// A tetrahedron, counter-clockwise viewed from outside.
const TETRAHEDRON: [[[f32; 3]; 3]; 4] = [
    [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
];

fn binary(header: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..header.len()].copy_from_slice(header.as_bytes());
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for corners in triangles {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flatten().flat_map(|coordinate| coordinate.to_le_bytes()));
        // Attribute bytes that some programs use for colours.
        bytes.extend([0xff, 0x83]);
    }
    bytes
}

fn ascii(name: &str, triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = format!("solid {name}\n");
    for corners in triangles {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for [x, y, z] in corners {
            text += &format!("      vertex {x:e} {y} {z}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + &format!("endsolid {name}\n")
}

fn read(bytes: &[u8]) -> MeshScene {
    load(&[("part.stl", bytes)]).clean()
}

#[test]
fn both_kinds_give_the_same_surface() {
    let text = read(ascii("", &TETRAHEDRON).as_bytes());
    assert_eq!(read(&binary("", &TETRAHEDRON)), text);
    let shapes = text.shapes();
    let mesh = shapes[0].geometry.triangles();
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4));
    let volume: f64 =
        common::corners(&shapes[0]).iter().map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)) / 6.0).sum();
    assert!((volume - 1.0 / 6.0).abs() < 1e-12, "{volume}");
}

#[test]
fn corners_at_the_same_position_share_a_vertex() {
    let mut triangles = TETRAHEDRON;
    triangles[3][0][1] = -0.0;
    let scene = read(&binary("", &triangles));
    let shapes = scene.shapes();
    let mesh = shapes[0].geometry.triangles();
    assert_eq!(mesh.vertices.len(), 4);
    let Normals::Crease(angle) = mesh.normals else { panic!("{:?}", mesh.normals) };
    assert!((angle.to_degrees() - 30.0).abs() < 1e-9);
}

#[test]
fn a_binary_file_may_begin_with_solid() {
    for header in ["solid part", "solid", "solid facet normal 0 0 0 outer loop vertex", "SOLID x\nfacet"] {
        assert_eq!(read(&binary(header, &TETRAHEDRON)).triangle_count(), 4, "{header}");
        let mut cut = binary(header, &TETRAHEDRON);
        cut.truncate(84 + 2 * 50 + 7);
        assert_eq!(load(&[("part.stl", &cut)]).with(&["stl-truncated"]).triangle_count(), 2, "{header}");
    }
    // A header filled with text, without a zero byte.
    let mut full = binary("", &TETRAHEDRON);
    full[..80].copy_from_slice(format!("solid {:74}", "facet normal").as_bytes());
    assert_eq!(read(&full).triangle_count(), 4);
    full.truncate(280);
    assert_eq!(load(&[("part.stl", &full)]).with(&["stl-truncated"]).triangle_count(), 3);
}

#[test]
fn ascii_files_are_free_in_form() {
    let plain = read(ascii("part", &TETRAHEDRON).as_bytes());
    let text = ascii("part", &TETRAHEDRON);
    let variants = [
        text.to_uppercase().replace("PART", "part"),
        text.replace('\n', "\r\n"),
        format!("\u{feff}\n  {text}"),
        text.replace("normal 0 0 0", "normal nan inf -nan(ind)"),
        text.replace("facet normal 0 0 0", "facet normal"),
        text.replace("facet normal 0 0 0", "facet"),
        text.replace("endsolid part\n", "endsolid"),
        text.replace("\n      ", " "),
    ];
    for variant in &variants {
        assert_eq!(read(variant.as_bytes()), plain, "{variant}");
    }
}

#[test]
fn a_name_need_not_be_there_nor_ascii() {
    assert_eq!(read(ascii("肩 ピッチ", &TETRAHEDRON).as_bytes()).nodes[0].name, "肩 ピッチ");
    assert_eq!(read(ascii("", &TETRAHEDRON).replace("solid \n", "solid\n").as_bytes()).nodes[0].name, "");
    let mut shift_jis = ascii("x", &TETRAHEDRON).into_bytes();
    shift_jis.splice(6..7, [0x8c, 0xa8]);
    assert_eq!(load(&[("part.stl", &shift_jis)]).with(&["not-utf8"]).triangle_count(), 4);
}

#[test]
fn each_solid_is_a_node() {
    let text = ascii("one", &TETRAHEDRON) + &ascii("two", &TETRAHEDRON[..3]);
    let scene = read(text.as_bytes());
    let names: Vec<_> = scene.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!((names, scene.triangle_count()), (vec!["one", "two"], 7));
}

#[test]
fn a_truncated_file_gives_its_whole_triangles_and_says_how_many_are_missing() {
    let whole = binary("", &TETRAHEDRON);
    let loaded = load(&[("part.stl", &whole[..84 + 3 * 50 + 49])]);
    assert!(loaded.findings[0].message.contains("1 of its 4 triangles"), "{:?}", loaded.findings);
    assert_eq!(loaded.with(&["stl-truncated"]).triangle_count(), 3);
    assert_eq!(load(&[("part.stl", &whole[..100])]).error(), ("stl-truncated", None));
    assert_eq!(load(&[("part.stl", &whole[..83])]).error(), ("stl-malformed", None));
    assert_eq!(load(&[("part.stl", b"")]).error(), ("stl-malformed", None));

    let text = ascii("part", &TETRAHEDRON);
    let third = text.match_indices("facet normal").nth(2).unwrap().0;
    assert_eq!(load(&[("part.stl", &text.as_bytes()[..third + 70])]).with(&["stl-truncated"]).triangle_count(), 2);
    assert_eq!(load(&[("part.stl", &text.as_bytes()[..60])]).error(), ("stl-truncated", Some(4)));
}

#[test]
fn a_wrong_count_is_a_warning() {
    let mut bytes = binary("", &TETRAHEDRON);
    bytes[80..84].copy_from_slice(&0u32.to_le_bytes());
    assert_eq!(load(&[("part.stl", &bytes)]).with(&["stl-count"]).triangle_count(), 4);
    bytes[80..84].copy_from_slice(&3u32.to_le_bytes());
    assert_eq!(load(&[("part.stl", &bytes)]).with(&["stl-count"]).triangle_count(), 3);
    let mut newline = binary("", &TETRAHEDRON);
    newline.extend(b"\r\n");
    assert_eq!(read(&newline).triangle_count(), 4);
    newline.extend(b"more");
    assert_eq!(load(&[("part.stl", &newline)]).with(&["stl-count"]).triangle_count(), 4);
    assert_eq!(load(&[("part.stl", &binary("", &[]))]).with(&["empty-mesh"]).triangle_count(), 0);
    assert_eq!(load(&[("part.stl", b"solid\nendsolid")]).with(&["empty-mesh"]).triangle_count(), 0);
}

#[test]
fn errors_name_the_line() {
    let text = ascii("part", &TETRAHEDRON);
    let error = |from: &str, to: &str| load(&[("part.stl", text.replacen(from, to, 1).as_bytes())]).error();
    assert_eq!(error("vertex 0e0 0 0", "vertex 0e0 x 0"), ("stl-malformed", Some(4)));
    assert_eq!(error("vertex 0e0 0 0", "vertex 0e0 1e99 0"), ("not-finite", Some(4)));
    assert_eq!(error("vertex 0e0 0 0\n", "\n"), ("stl-malformed", Some(7)));
    assert_eq!(error("endloop\n", "vertex 0 0 0\n"), ("stl-malformed", Some(7)));
    assert_eq!(error("endfacet\n", "color 1 0 0"), ("stl-malformed", Some(8)));
}

#[test]
fn coordinates_are_finite_and_normals_do_not_matter() {
    let mut bytes = binary("", &TETRAHEDRON);
    bytes[84 + 50..84 + 54].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(read(&bytes).triangle_count(), 4);
    bytes[84 + 50 + 12..84 + 50 + 16].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(load(&[("part.stl", &bytes)]).error(), ("not-finite", None));
}

#[test]
fn mutated_files_do_not_panic() {
    read_mutations("part.stl", &[("part.stl", &binary("solid", &TETRAHEDRON))], 400);
    read_mutations("part.stl", &[("part.stl", ascii("part", &TETRAHEDRON).as_bytes())], 400);
}
