//! `bunraku convert … OUT.glb`: the file is read by the crate `gltf`, and its animation is evaluated by the rules of glTF.

use std::fs;

use gltf::Gltf;
use gltf::animation::Property;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::desk::{ARM, Desk};
use crate::common::{stderr, stdout};

/// Two rods, and a link beside their chain; the first has a picture of 2 × 1 pixels, red and half transparent green.
const PENDULUM: &str = "\
format: ChoreonoidBody
format_version: 2.0
name: Pendulum
links:
  - name: BASE
    joint_type: fixed
    translation: [ 0, 0, 1 ]
  - name: UPPER
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    mass: 1
    inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ]
    elements:
      - type: Shape
        translation: [ 0, 0, -0.25 ]
        geometry: { type: Box, size: [ 0.1, 0.1, 0.5 ] }
        appearance:
          material: { diffuse: [ 1, 1, 1 ] }
          texture: { url: two.png, repeat: [ false, true ] }
  - name: LOWER
    parent: UPPER
    joint_type: revolute
    joint_axis: Y
    joint_id: 1
    translation: [ 0, 0, -0.5 ]
    mass: 1
    inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ]
    elements:
      - type: Shape
        geometry: { type: Sphere, radius: 0.1 }
        appearance: { material: { diffuse: [ 0.5, 0, 0 ], emissive: [ 0, 0, 1 ], transparency: 0.25 } }
";

const SCENE: &str = "\
format: BunrakuScene
format_version: 1
simulation: { duration: 0.5 }
bodies:
  - { name: Left, file: pendulum.body, translation: [ 0, 1, 1 ], joint_displacements: [ 60, -30 ] }
  - { name: Right, file: pendulum.body, translation: [ 0, -1, 1 ], joint_displacements: [ -20, 10 ] }
";

/// The desk with the results of a run in `out`.
fn desk() -> Desk {
    let desk = Desk::new(ARM, "");
    let picture = image::RgbaImage::from_raw(2, 1, vec![255, 0, 0, 255, 0, 255, 0, 128]).unwrap();
    picture.save(desk.path().join("two.png")).unwrap();
    desk.write("pendulum.body", PENDULUM);
    desk.write("two.scene.yaml", SCENE);
    let output = desk.bunraku(&["run", "two.scene.yaml", "--out", "out", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    desk
}

fn converted(desk: &Desk, arguments: &[&str]) -> Gltf {
    let output = desk.bunraku(&[&["convert"], arguments, &["moved.glb"]].concat());
    assert_eq!(
        (output.status.code(), stdout(&output).as_str()),
        (Some(0), "written    moved.glb\n"),
        "{}",
        stderr(&output)
    );
    Gltf::from_slice(&fs::read(desk.path().join("moved.glb")).unwrap()).unwrap()
}

/// The bytes of an accessor's elements as numbers of single precision.
fn floats(file: &Gltf, accessor: &gltf::Accessor<'_>) -> Vec<f32> {
    let view = accessor.view().unwrap();
    let start = view.offset() + accessor.offset();
    let bytes = &file.blob.as_ref().unwrap()[start..start + accessor.count() * accessor.size()];
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Pose of a node in its parent's frame at a frame of the animation.
fn local(file: &Gltf, node: &gltf::Node<'_>, frame: usize) -> Isometry3<f64> {
    let (mut translation, mut rotation, _) = node.transform().decomposed();
    for channel in file.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>()) {
        if channel.target().node().index() != node.index() {
            continue;
        }
        let values = floats(file, &channel.sampler().output());
        match channel.target().property() {
            Property::Translation => translation.copy_from_slice(&values[3 * frame..3 * frame + 3]),
            Property::Rotation => rotation.copy_from_slice(&values[4 * frame..4 * frame + 4]),
            other => panic!("{other:?}"),
        }
    }
    let [x, y, z, w] = rotation.map(f64::from);
    let rotation = Quaternion::new(w, x, y, z);
    assert!((rotation.norm() - 1.0).abs() < 1e-6);
    let [x, y, z] = translation.map(f64::from);
    Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_quaternion(rotation))
}

/// World poses of all nodes below `node` by the names of their ancestors.
fn poses(
    file: &Gltf,
    node: &gltf::Node<'_>,
    (above, path): (Isometry3<f64>, &str),
    frame: usize,
    found: &mut Vec<(String, Isometry3<f64>)>,
) {
    let pose = above * local(file, node, frame);
    let path = format!("{path}/{}", node.name().unwrap());
    for child in node.children() {
        poses(file, &child, (pose, &path), frame, found);
    }
    found.push((path, pose));
}

fn all_poses(file: &Gltf, frame: usize) -> Vec<(String, Isometry3<f64>)> {
    let mut found = Vec::new();
    let root = file.default_scene().unwrap().nodes().next().unwrap();
    poses(file, &root, (Isometry3::identity(), ""), frame, &mut found);
    found
}

#[test]
fn the_links_move_as_they_were_recorded() {
    let desk = desk();
    let file = converted(&desk, &["out"]);
    let animation = file.animations().next().unwrap();
    let times = floats(&file, &animation.samplers().next().unwrap().input());
    assert_eq!((file.animations().len(), times.len(), times[30], times[1]), (1, 31, 0.5, 1.0 / 60.0));
    // The recorded displacements at a frame that both have.
    let output = desk.bunraku(&["convert", "out/Left.seq", "left.csv", "--rate", "60"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = fs::read_to_string(desk.path().join("left.csv")).unwrap();
    for frame in [0, 12, 30] {
        let row: Vec<f64> =
            table.lines().nth(frame + 1).unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
        let [upper, lower] = *row.last_chunk().unwrap();
        let turned = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
        let base = Isometry3::translation(0.0, 1.0, 1.0);
        let upper = base * turned(upper);
        let lower = upper * Isometry3::translation(0.0, 0.0, -0.5) * turned(lower);
        // +Y is up in glTF, and +Z in the world of a scene.
        let to_gltf = |point: Point3<f64>| Point3::new(point.x, point.z, -point.y);
        let found = all_poses(&file, frame);
        for (name, expected) in [("BASE", base), ("BASE/UPPER", upper), ("BASE/UPPER/LOWER", lower)] {
            let (_, pose) = found.iter().find(|(path, _)| *path == format!("/out/Left/{name}")).unwrap();
            for point in [Point3::origin(), Point3::new(0.3, -0.2, 0.4)] {
                // The table is linear between the frames, and the animation smooth.
                let off = (pose * point - to_gltf(expected * point)).norm();
                assert!(off < 2e-6, "{name} is {off} m off at frame {frame}");
            }
        }
    }
    assert_eq!(all_poses(&file, 0).len(), 9);
    // The links of joints that only turn do not move along.
    let moving: Vec<_> = animation.channels().map(|channel| channel.target().property()).collect();
    assert_eq!(moving, [Property::Rotation; 4]);
}

#[test]
fn materials_and_pictures_are_kept_and_copies_share_their_meshes() {
    let desk = desk();
    let file = converted(&desk, &["out"]);
    assert_eq!((file.meshes().len(), file.images().len(), file.materials().len()), (2, 1, 2));
    let mut materials: Vec<_> = file.materials().collect();
    materials.sort_by_key(|material| material.pbr_metallic_roughness().base_color_texture().is_none());
    let surface = materials[0].pbr_metallic_roughness();
    assert_eq!(surface.base_color_factor(), [1.0; 4]);
    let texture = surface.base_color_texture().unwrap().texture();
    let sampler = texture.sampler();
    assert_eq!(
        (sampler.wrap_s(), sampler.wrap_t()),
        (gltf::texture::WrappingMode::ClampToEdge, gltf::texture::WrappingMode::Repeat)
    );
    let gltf::image::Source::View { view, mime_type } = texture.source().source() else { panic!("not inside") };
    assert_eq!(mime_type, "image/png");
    let bytes = &file.blob.as_ref().unwrap()[view.offset()..view.offset() + view.length()];
    let picture = image::load_from_memory(bytes).unwrap().into_rgba8();
    assert_eq!(picture.into_raw(), [255, 0, 0, 255, 0, 255, 0, 128]);
    assert_eq!(materials[0].alpha_mode(), gltf::material::AlphaMode::Blend, "the picture has transparent pixels");

    let red = materials[1].pbr_metallic_roughness().base_color_factor();
    // 0.5 of sRGB is 0.2140 of light.
    assert!((red[0] - 0.214).abs() < 1e-4 && red[3] == 0.75, "{red:?}");
    assert_eq!(materials[1].emissive_factor(), [0.0, 0.0, 1.0]);

    // A box is 12 triangles of 24 corners, with the upper edge of the picture at the top.
    let of_box = file
        .meshes()
        .flat_map(|mesh| mesh.primitives().collect::<Vec<_>>())
        .find(|part| part.get(&gltf::Semantic::TexCoords(0)).is_some());
    let of_box = of_box.unwrap();
    let (positions, places) = (of_box.get(&gltf::Semantic::Positions), of_box.get(&gltf::Semantic::TexCoords(0)));
    let (positions, places) = (positions.unwrap(), places.unwrap());
    assert_eq!((of_box.indices().unwrap().count(), positions.count()), (36, 24));
    assert_eq!(positions.min().unwrap(), serde_json::json!([-0.05_f32, -0.05_f32, -0.5]));
    let range = |values: &[f32]| values.iter().fold([f32::MAX, f32::MIN], |[low, high], v| [low.min(*v), high.max(*v)]);
    assert_eq!(range(&floats(&file, &places)), [0.0, 1.0]);
}

#[test]
fn models_motions_and_scenes_are_converted_and_misuse_is_explained() {
    let desk = desk();
    for (arguments, animations, frames) in [
        (&["pendulum.body"][..], 0, 0),
        (&["two.scene.yaml"], 0, 0),
        (&["out/Left.seq", "--body", "pendulum.body", "--rate", "10"], 1, 6),
    ] {
        let file = converted(&desk, arguments);
        let frames_of = |animation: gltf::Animation<'_>| animation.samplers().next().unwrap().input().count();
        assert_eq!(file.animations().len(), animations, "{arguments:?}");
        assert_eq!(file.animations().map(frames_of).sum::<usize>(), frames, "{arguments:?}");
    }
    let fails = |arguments: &[&str], code: i32, expected: &str| {
        let output = desk.bunraku(&[&["convert"], arguments, &["none.glb"]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "no {expected:?} in:\n{}", stderr(&output));
        assert!(!desk.path().join("none.glb").exists());
    };
    fails(&["out/Left.seq"], 2, "name the model that moves with `--body`");
    fails(&["pendulum.body", "--body", "pendulum.body"], 2, "`--body` goes with a motion");
    fails(&["out", "--timed"], 2, "only `--body` and `--rate` go with OUT.glb");
    fails(&["out", "--rate", "1e9"], 1, "`--rate` may be at most");
    fails(&["nowhere"], 1, "nowhere");
    desk.write("two.png", "no picture");
    let output = desk.bunraku(&["convert", "pendulum.body", "plain.glb"]);
    assert!(stderr(&output).contains("warning[unreadable-texture]"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
}
