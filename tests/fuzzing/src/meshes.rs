//! Readers of mesh files and pictures.

use bunraku_document::{Limits, Reporter, SearchRoots};
use bunraku_mesh::{LoadContext, decode_picture, load_scene};

use crate::findings;
use crate::models::check_shape;
use crate::scratch::with_file;

/// Longest side of a picture, pixels. Small, because a picture of a few bytes may have many.
const SIDE: u32 = 512;

/// STL, ASCII and binary.
pub fn stl(bytes: &[u8]) {
    load("fuzz.stl", bytes);
}

/// OBJ.
pub fn obj(bytes: &[u8]) {
    load("fuzz.obj", bytes);
}

/// Materials of an OBJ.
pub fn mtl(bytes: &[u8]) {
    with_file("fuzz.mtl", bytes, |_| {
        load("with.obj", b"mtllib fuzz.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n")
    });
}

/// COLLADA.
pub fn dae(bytes: &[u8]) {
    load("fuzz.dae", bytes);
}

/// glTF as JSON.
pub fn gltf(bytes: &[u8]) {
    load("fuzz.gltf", bytes);
}

/// glTF in one binary file.
pub fn glb(bytes: &[u8]) {
    load("fuzz.glb", bytes);
}

/// PNG and JPEG, as textures and as heights.
pub fn picture(bytes: &[u8]) {
    match decode_picture(bytes, SIDE) {
        Ok(picture) => {
            let (width, height) = picture.dimensions();
            assert!(width.max(height) <= SIDE);
            assert_eq!(picture.luminances().len(), width as usize * height as usize);
            picture.into_pixels();
        }
        Err(error) => assert!(!error.to_string().contains("panic"), "{error}"),
    }
}

fn load(name: &str, bytes: &[u8]) {
    with_file(name, bytes, |path| {
        let (limits, reporter) = (Limits::default(), Reporter::new());
        let roots = SearchRoots::default().around(path);
        let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
        match load_scene(path, &context) {
            Ok(scene) => scene.shapes().iter().for_each(check_shape),
            Err(error) => findings::check_finding(&error),
        }
        reporter.into_diagnostics().iter().for_each(findings::check_finding);
    });
}
