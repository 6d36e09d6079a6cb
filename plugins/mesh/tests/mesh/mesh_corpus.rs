//! The mesh files of real robots, compared with the original's results and with other readers.

use std::fs;

use bunraku_mesh::{BoundingBox, MeshScene};
use bunraku_test_support::files_below;
use nalgebra::{Point3, Vector3};

use crate::common;
use crate::common::load_path;

/// Number of triangles and their bounding box.
fn measure(scene: &MeshScene) -> (usize, BoundingBox) {
    (scene.triangle_count(), scene.bounding_box().unwrap())
}

fn assert_same_box(found: BoundingBox, expected: BoundingBox, what: &str) {
    let tolerance = 1e-5 * (expected.max - expected.min).norm();
    let away = (found.min - expected.min).amax().max((found.max - expected.max).amax());
    assert!(away <= tolerance, "{what}: {found:?}, expected {expected:?}");
}

#[test]
fn every_file_is_read_as_by_another_reader() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let found = files_below(&corpus, &["stl", "dae", "obj"]);
    assert!(!found.is_empty());
    for path in found {
        let scene = load_path(&path).clean();
        common::assert_whole(&scene, &path.display().to_string());
        let (triangles, bounds) = measure(&scene);
        let short = path.strip_prefix(&corpus).unwrap().display().to_string();
        let (min, max) = (bounds.min.coords, bounds.max.coords);
        println!(
            "{short:60} {triangles:7} {:9.5} {:9.5} {:9.5}  {:9.5} {:9.5} {:9.5}",
            min.x, min.y, min.z, max.x, max.y, max.z
        );
        let other = mesh_loader::Loader::default().load(&path).unwrap();
        let faces: usize = other.meshes.iter().map(|mesh| mesh.faces.len()).sum();
        assert_eq!(triangles, faces, "{short}");
        let vertices = |mesh: &mesh_loader::Mesh| {
            let corner = |&index: &u32| Point3::from(mesh.vertices[index as usize]).cast::<f64>();
            mesh.faces.iter().flatten().map(corner).collect::<Vec<_>>()
        };
        assert_same_box(bounds, BoundingBox::around(other.meshes.iter().flat_map(vertices)).unwrap(), &short);
    }
}

/// A link and the files of its visual shapes, in its own frame.
type Link = (&'static str, &'static [&'static str]);

/// Models, the directories of their mesh files, and links.
const LINKS: &[(&str, &str, &[Link])] = &[
    (
        "UniversalRobots/UR5",
        "UR5/",
        &[
            ("BASE", &["base.dae"]),
            ("SHOULDER", &["shoulder.dae"]),
            ("UPPER_ARM", &["upperarm.dae"]),
            ("FOREARM", &["forearm.dae"]),
            ("WRIST1", &["wrist1.dae"]),
            ("WRIST2", &["wrist2.dae"]),
        ],
    ),
    (
        "Robotiq/2F-85",
        "parts/",
        &[
            ("Gripper_Base", &["robotiq_85_base_link.dae"]),
            ("Finger1_knuckle", &["robotiq_85_knuckle_link.dae"]),
            ("Finger1_finger", &["robotiq_85_finger_link.dae"]),
            ("Finger1_inner_knuckle", &["robotiq_85_inner_knuckle_link.dae"]),
            ("Finger1_finger_tip", &["robotiq_85_finger_tip_link.dae"]),
        ],
    ),
    (
        "GR001/GR001",
        "parts/",
        &[
            ("WAIST", &["WAIST.stl"]),
            ("R_HIP_Y", &["R_HIP_Y.stl"]),
            ("R_HIP_R", &["R_HIP_R.stl"]),
            ("R_HIP_P", &["R_HIP_P.stl"]),
            ("R_KNEE_P", &["R_KNEE_P.stl"]),
            ("R_ANKLE_P", &["R_ANKLE_P.stl"]),
            ("R_ANKLE_R", &["R_ANKLE_R.stl"]),
            ("L_HIP_Y", &["L_HIP_Y.stl"]),
            ("L_KNEE_P", &["L_KNEE_P.stl"]),
            ("CHEST_P", &["CHEST_P.stl"]),
            ("NECK_Y", &["NECK_Y.stl"]),
            ("R_SHOULDER_P", &["R_SHOULDER_P.stl"]),
            ("L_ELBOW_P", &["L_ELBOW_P.stl"]),
        ],
    ),
    (
        "JACO2/JACO2",
        "parts/",
        &[
            ("HAND", &["HAND.stl", "PALM.stl", "FINGER_BASE.stl"]),
            ("FINGER1", &["FINGER.stl"]),
            ("FINGER1_TIP", &["FINGER_TIP.stl"]),
        ],
    ),
];

#[test]
fn link_bounding_boxes_agree_with_the_original() {
    let (Some(corpus), Some(golden)) = (bunraku_test_support::corpus(), bunraku_test_support::golden()) else { return };
    for (model, folder, links) in LINKS {
        let golden = golden.join("models/share/model").join(format!("{model}.body.json"));
        let golden: serde_json::Value = serde_json::from_slice(&fs::read(golden).unwrap()).unwrap();
        let folder = corpus.join("share/model").join(model).parent().unwrap().join(folder);
        for (name, files) in *links {
            let link = golden["links"].as_array().unwrap().iter().find(|link| link["name"] == *name).unwrap();
            let corner = |number: usize| {
                let values = link["visual_bbox"][number].as_array().unwrap();
                Point3::from(Vector3::from_iterator(values.iter().map(|value| value.as_f64().unwrap())))
            };
            let boxes = files.iter().map(|file| load_path(&folder.join(file)).clean().bounding_box().unwrap());
            let found = boxes.reduce(BoundingBox::union).unwrap();
            assert_same_box(found, BoundingBox { min: corner(0), max: corner(1) }, name);
        }
    }
}
