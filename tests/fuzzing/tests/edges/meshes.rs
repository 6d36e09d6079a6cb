//! Mesh files and pictures.

use std::io::Read;
use std::path::Path;

use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::{LoadContext, MAX_TEXTURE_SIDE, PictureError, decode_picture, load_scene};
use bunraku_test_support::TestFolder;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use png::DecodingError;

use super::edge;

/// Whether a mesh file is read. If not, its error has this code.
fn is_read(path: &Path, code: &str) -> bool {
    let (roots, limits, reporter) = (SearchRoots::default(), Limits::default(), Reporter::new());
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    match load_scene(path, &context) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code, code, "{}", error.message);
            false
        }
    }
}

/// glTF with these nodes, of which the first ones are in the scene, and a mesh of so many equal triangles.
fn gltf(nodes: &str, in_scene: usize, triangles: usize) -> String {
    let scene: Vec<usize> = (0..in_scene).collect();
    let [position, indices] = [36, 6 * triangles];
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "scene": 0, "scenes": [ {{ "nodes": {scene:?} }} ], "nodes": [ {nodes} ],
        "meshes": [ {{ "primitives": [ {{ "attributes": {{ "POSITION": 0 }}, "indices": 1 }} ] }} ],
        "accessors": [
            {{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [ 0, 0, 0 ], "max": [ 1, 1, 0 ] }},
            {{ "bufferView": 1, "componentType": 5123, "count": {}, "type": "SCALAR" }} ],
        "bufferViews": [
            {{ "buffer": 0, "byteLength": {position} }},
            {{ "buffer": 0, "byteOffset": {position}, "byteLength": {indices} }} ],
        "buffers": [ {{ "uri": "a.bin", "byteLength": {} }} ] }}"#,
        3 * triangles,
        position + indices
    )
}

/// The buffer of such a file.
fn buffer(triangles: usize) -> Vec<u8> {
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let corners = corners.into_iter().flat_map(f32::to_le_bytes);
    let indices = [0_u16, 1, 2].into_iter().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    corners.chain(indices.repeat(triangles)).collect()
}

#[test]
fn mesh_files_have_triangles_up_to_their_limit() {
    let folder = TestFolder::new();
    let accepts = |triangles: usize, instances: usize| {
        folder.write("a.bin", buffer(triangles));
        let nodes = vec!["{ \"mesh\": 0 }"; instances].join(",");
        is_read(&folder.write("a.gltf", gltf(&nodes, instances, triangles)), "limit-triangles")
    };
    // The limit is 2^23, of which 2^23 + 1 is three times a prime number.
    assert!(accepts(1 << 16, 1 << 7) && !accepts((1 << 23) / 3 + 1, 3));
}

#[test]
fn mesh_files_have_nodes_up_to_their_limit() {
    let folder = TestFolder::new();
    folder.write("a.bin", buffer(1));
    let accepts = |nodes: usize| {
        let text = vec!["{}"; nodes].join(",");
        is_read(&folder.write("a.gltf", gltf(&text, nodes, 1)), "limit-nodes")
    };
    assert!(accepts(1 << 17) && !accepts((1 << 17) + 1));
}

#[test]
fn nodes_of_mesh_files_nest_up_to_their_limit() {
    let folder = TestFolder::new();
    folder.write("a.bin", buffer(1));
    let accepts = |depth: usize| {
        let parents = (1..depth).map(|child| format!("{{ \"children\": [ {child} ] }}"));
        let nodes: Vec<String> = parents.chain(["{ \"mesh\": 0 }".to_owned()]).collect();
        is_read(&folder.write("a.gltf", gltf(&nodes.join(","), 1, 1)), "limit-depth")
    };
    assert_eq!(edge(300, accepts), 128);
}

#[test]
fn pictures_have_sides_up_to_the_limit() {
    // The head of a PNG file of so many pixels in a row; its data are missing.
    let is_too_large =
        |width| matches!(decode_picture(&png(width, &[]), MAX_TEXTURE_SIDE), Err(PictureError::TooLarge { .. }));
    assert!(!is_too_large(MAX_TEXTURE_SIDE) && is_too_large(MAX_TEXTURE_SIDE + 1));
}

#[test]
fn decoding_a_picture_takes_memory_up_to_the_limit() {
    let limit = 512 << 20;
    // Beside a colour profile of zeros, whose compressed bytes are in a buffer of a power of two.
    let buffer = compressed(limit).len().next_power_of_two();
    // The memory that is left for a row of 64 KiB.
    let decoded = |left: usize| {
        let profile = [b"p\0\0", &*compressed(limit - buffer - left)].concat();
        let row = compressed(1 + 8 * MAX_TEXTURE_SIDE as usize);
        let chunks = [(b"iCCP", profile), (b"IDAT", row), (b"IEND", Vec::new())];
        decode_picture(&png(MAX_TEXTURE_SIDE, &chunks), MAX_TEXTURE_SIDE).map(|picture| picture.dimensions())
    };
    assert_eq!(decoded(70 << 10).expect("a picture below the limit"), (MAX_TEXTURE_SIDE, 1));
    let beyond = decoded(60 << 10).expect_err("a picture beyond the limit");
    assert!(matches!(beyond, PictureError::Png(DecodingError::LimitsExceeded)), "{beyond}");
}

/// So many zeros as zlib's stream.
fn compressed(zeros: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut std::io::repeat(0).take(zeros as u64), &mut encoder).expect("memory");
    encoder.finish().expect("memory")
}

/// A PNG file with a row of pixels of 64 bits and these chunks.
fn png(width: u32, chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let head = [&width.to_be_bytes()[..], &[0, 0, 0, 1, 16, 6, 0, 0, 0]].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", head)].iter().chain(chunks) {
        let named = [*name, &**content].concat();
        bytes.extend(u32::try_from(content.len()).expect("a small chunk").to_be_bytes());
        bytes.extend(&named);
        bytes.extend(crc32fast::hash(&named).to_be_bytes());
    }
    bytes
}
