//! Helpers shared by the tests of several formats.
// Not every test uses all of them.

pub mod wrl_files;

use std::path::Path;

use bunraku_document::{Diagnostic, Limits, Reporter, Result, SearchRoots};
use bunraku_mesh::{LoadContext, MeshScene, Shape};
use bunraku_test_support::Random;
use nalgebra::Point3;

/// Result of reading a file: the scene or the error, and the findings.
pub struct Loaded {
    pub scene: Result<MeshScene>,
    pub findings: Vec<Diagnostic>,
}

/// Writes files to a temporary directory and reads the first one.
pub fn load(files: &[(&str, &[u8])]) -> Loaded {
    let directory = tempfile::tempdir().unwrap();
    // The model is in a subdirectory: the directory above it is a root, too.
    let folder = directory.path().join("roots/model/mesh");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    load_path(&folder.join(files[0].0))
}

/// Reads a file on disk.
pub fn load_path(path: &Path) -> Loaded {
    let reporter = Reporter::new();
    let limits = Limits::default();
    let roots = SearchRoots::default().around(path);
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    let scene = bunraku_mesh::load_scene(path, &context);
    Loaded { scene, findings: reporter.into_diagnostics() }
}

impl Loaded {
    /// The scene of a file that is read without findings.
    #[track_caller]
    pub fn clean(self) -> MeshScene {
        assert!(self.findings.is_empty(), "{:?}", self.codes());
        self.scene.unwrap()
    }

    /// The scene of a file that is read with exactly these findings.
    #[track_caller]
    pub fn with(self, codes: &[&str]) -> MeshScene {
        assert_eq!(self.codes(), codes, "{:?}", self.findings);
        self.scene.unwrap()
    }

    /// Code and line of the error.
    #[track_caller]
    pub fn error(self) -> (&'static str, Option<u32>) {
        let error = self.scene.unwrap_err();
        assert!(error.file().is_some(), "the error names no file: {error}");
        (error.code, error.position().map(|position| position.line))
    }

    pub fn codes(&self) -> Vec<&'static str> {
        self.findings.iter().map(|finding| finding.code).collect()
    }
}

/// Corners of the triangles of a shape, in the frame of its parent.
pub fn corners(shape: &Shape) -> Vec<[Point3<f64>; 3]> {
    let mesh = shape.geometry.triangles();
    let corner = |index: u32| shape.transform * mesh.vertices[index as usize].cast::<f64>();
    mesh.triangles.iter().map(|triangle| triangle.map(corner)).collect()
}

/// Reads variations of a file: truncated, with bytes changed, with parts repeated or removed. Reading must terminate
/// without a panic, and a resulting scene must be consistent.
pub fn read_mutations(name: &str, files: &[(&str, &[u8])], rounds: usize) {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("roots/model");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let (_, original) = files.iter().find(|(known, _)| *known == name).unwrap();
    let path = folder.join(files[0].0);
    let mut random = Random::new(7);
    let odd: [&[u8]; 12] =
        [b"0", b"-1", b"nan", b"1e999", b"4294967295", b"9223372036854775807", b"\0", b"\xff", b"/", b"<", b" ", b"\""];
    for round in 0..rounds {
        let mut bytes = original.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() + 1);
            match random.below(6) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
                2 => {
                    bytes.splice(at..at, odd[random.below(odd.len())].iter().copied());
                }
                3 => {
                    let end = (at + random.below(40)).min(bytes.len());
                    bytes.drain(at..end);
                }
                4 => {
                    let end = (at + random.below(200)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => {
                    // One number is replaced by another.
                    let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
                    if !digits.is_empty() {
                        let at = digits[random.below(digits.len())];
                        bytes.splice(at..=at, odd[random.below(6)].iter().copied());
                    }
                }
            }
        }
        std::fs::write(folder.join(name), &bytes).unwrap();
        if let Ok(scene) = load_path(&path).scene {
            assert_whole(&scene, &format!("{name}, round {round}"));
        }
    }
    std::fs::write(folder.join(name), original).unwrap();
    assert!(load_path(&path).scene.is_ok(), "the original of {name}");
}

/// Checks that every index refers to a vertex, all numbers are finite, and the lengths of lists are consistent.
pub fn assert_whole(scene: &MeshScene, what: &str) {
    for shape in scene.shapes() {
        let mesh = shape.geometry.triangles();
        let count = mesh.triangles.len();
        assert!(mesh.triangles.iter().flatten().all(|&index| (index as usize) < mesh.vertices.len()), "{what}");
        assert!(mesh.vertices.iter().all(|vertex| vertex.iter().all(|value| value.is_finite())), "{what}");
        assert!(mesh.texture_coordinates.is_empty() || mesh.texture_coordinates.len() == count, "{what}");
        assert!(mesh.colors.is_empty() || mesh.colors.len() == count, "{what}");
        if let bunraku_mesh::Normals::Given(normals) = &mesh.normals {
            assert_eq!(normals.len(), count, "{what}");
            assert!(normals.iter().flatten().all(|normal| normal.iter().all(|value| value.is_finite())), "{what}");
        }
        assert!(shape.transform.matrix().iter().all(|value| value.is_finite()), "{what}");
        assert!(mesh.texture_coordinates.iter().flatten().all(|point| point.iter().all(|v| v.is_finite())), "{what}");
    }
}
