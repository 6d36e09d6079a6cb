//! glTF and GLB files.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bunraku_mesh::{MeshScene, Normals, TextureImage};
use nalgebra::{Point2, Point3, Vector3};
use serde_json::{Value, json};

use crate::common::{Loaded, corners, load, read_mutations};

/// A square of two triangles: positions at 0, normals at 48, texture coordinates at 96, indices at 128 (16 bit).
fn buffer() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |numbers: &[f32]| bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    put(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    put(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    put(&[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    bytes.extend([0_u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes))
}

/// The square, with a URI for its buffer.
fn square(uri: &str) -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "Square", "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 3 }] }],
        "buffers": [{ "uri": uri, "byteLength": 140 }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 96, "byteLength": 32 },
            { "buffer": 0, "byteOffset": 128, "byteLength": 12 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 3, "componentType": 5123, "count": 6, "type": "SCALAR" },
        ],
    })
}

/// The square with an embedded buffer, after a change.
fn changed(change: impl FnOnce(&mut Value)) -> Loaded {
    let mut document = square(&data_uri(&buffer()));
    change(&mut document);
    load(&[("part.gltf", document.to_string().as_bytes())])
}

fn glb(mut document: Value, bytes: &[u8]) -> Vec<u8> {
    document["buffers"][0].as_object_mut().unwrap().remove("uri");
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((28 + text.len() as u32 + bytes.len() as u32).to_le_bytes());
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(b"JSON");
    file.extend(&text);
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(bytes);
    file
}

fn first(scene: &MeshScene) -> Vec<[Point3<f64>; 3]> {
    corners(&scene.shapes()[0])
}

fn assert_near(found: Point3<f64>, expected: [f64; 3]) {
    assert!((found - Point3::from(expected)).norm() < 1e-6, "{found} is not {expected:?}");
}

#[test]
fn buffers_may_be_embedded_external_or_appended() {
    let inside = changed(|_| {}).clean();
    assert_eq!((inside.nodes[0].name.as_str(), inside.triangle_count()), ("Square", 2));
    let without_extent = changed(|document| drop(document["accessors"][0].as_object_mut().unwrap().remove("min")));
    assert_eq!(without_extent.clean(), inside);
    let beside = square("my%20data.bin").to_string();
    assert_eq!(load(&[("part.gltf", beside.as_bytes()), ("my data.bin", &buffer())]).clean(), inside);
    assert_eq!(load(&[("part.glb", &glb(square(""), &buffer()))]).clean(), inside);
}

#[test]
fn up_becomes_z() {
    let scene = changed(|document| document["nodes"][0]["translation"] = json!([1, 2, 3])).clean();
    // (1, 1, 0) in the file is (2, 3, 3) there, and (2, -3, 3) here.
    assert_near(first(&scene)[0][2], [2.0, -3.0, 3.0]);
}

#[test]
fn transformations_are_matrices_or_their_parts() {
    let nodes = json!([
        { "children": [1, 2], "scale": [2, 2, 2] },
        { "mesh": 0, "translation": [0, 0, 1], "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2] },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 5, 6, 7, 1] },
    ]);
    let shapes = changed(|document| document["nodes"] = nodes).clean().shapes();
    // (1, 0, 0) turned a quarter about Z is (0, 1, 1), doubled (0, 2, 2).
    assert_near(corners(&shapes[0])[0][1], [0.0, -2.0, 2.0]);
    assert_near(corners(&shapes[1])[0][1], [12.0, -14.0, 12.0]);
    assert!(shapes[1].transform.matrix().determinant() < 0.0);
}

#[test]
fn without_normals_faces_are_flat() {
    let mesh = |attributes: Value| {
        let scene = changed(|document| document["meshes"][0]["primitives"][0]["attributes"] = attributes).clean();
        scene.shapes()[0].geometry.triangles().into_owned()
    };
    assert_eq!(mesh(json!({ "POSITION": 0 })).normals, Normals::Crease(0.0));
    let given = mesh(json!({ "POSITION": 0, "NORMAL": 1, "COLOR_0": 0 }));
    assert_eq!(given.normals, Normals::Given(vec![[Vector3::z(); 3]; 2]));
    assert_eq!(given.colors[0], [Vector3::zeros(), Vector3::x(), Vector3::new(1.0, 1.0, 0.0)]);
    assert!(given.solid);
}

#[test]
fn strips_and_fans_cover_the_square() {
    for (mode, indices) in [(4, [0_u16, 1, 2, 0, 2, 3].as_slice()), (5, &[1, 2, 0, 3]), (6, &[0, 1, 2, 3])] {
        let mut bytes = buffer();
        bytes.truncate(128);
        bytes.extend(indices.iter().flat_map(|index| index.to_le_bytes()));
        let scene = changed(|document| {
            document["buffers"][0] = json!({ "uri": data_uri(&bytes), "byteLength": bytes.len() });
            document["bufferViews"][3]["byteLength"] = json!(2 * indices.len());
            document["accessors"][3]["count"] = json!(indices.len());
            document["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        })
        .clean();
        assert_eq!(scene.triangle_count(), 2);
        for [a, b, c] in first(&scene) {
            assert!(((b - a).cross(&(c - a)) - Vector3::new(0.0, -1.0, 0.0)).norm() < 1e-6, "mode {mode}");
        }
    }
    let lines = changed(|document| document["meshes"][0]["primitives"][0]["mode"] = json!(1));
    assert_eq!(lines.with(&["gltf-lines", "empty-mesh"]).triangle_count(), 0);
    let bare = changed(|document| {
        document["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
    });
    assert_eq!(bare.with(&["gltf-malformed"]).triangle_count(), 1);
}

#[test]
fn sparse_accessors_replace_rows() {
    let mut bytes = buffer();
    bytes.extend([2, 0, 0, 0]);
    bytes.extend([5.0_f32, 6.0, 7.0].iter().flat_map(|number| number.to_le_bytes()));
    let sparse = |base: bool, place: usize| {
        changed(|document| {
            document["buffers"][0] = json!({ "uri": data_uri(&bytes), "byteLength": bytes.len() });
            let views = document["bufferViews"].as_array_mut().unwrap();
            views.push(json!({ "buffer": 0, "byteOffset": 140 + place, "byteLength": 4 }));
            views.push(json!({ "buffer": 0, "byteOffset": 144, "byteLength": 12 }));
            document["accessors"][0]["sparse"] = json!({
                "count": 1,
                "indices": { "bufferView": 4, "componentType": 5121 },
                "values": { "bufferView": 5 },
            });
            if !base {
                document["accessors"][0].as_object_mut().unwrap().remove("bufferView");
            }
        })
    };
    // The third corner is replaced; the others are unchanged or zero.
    let with_base = first(&sparse(true, 0).clean());
    assert_near(with_base[0][2], [5.0, -7.0, 6.0]);
    assert_near(with_base[0][1], [1.0, 0.0, 0.0]);
    assert_near(first(&sparse(false, 0).clean())[0][1], [0.0, 0.0, 0.0]);
    bytes[140] = 4;
    let mut beyond = square(&data_uri(&bytes));
    beyond["buffers"][0]["byteLength"] = json!(bytes.len());
    beyond["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 0, "byteOffset": 140, "byteLength": 16 }));
    beyond["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": 4, "componentType": 5121 },
        "values": { "bufferView": 4, "byteOffset": 4 },
    });
    assert_eq!(load(&[("part.gltf", beyond.to_string().as_bytes())]).error(), ("gltf-buffer", None));
}

#[test]
fn materials_are_converted_to_phong() {
    let scene = changed(|document| {
        document["meshes"][0]["primitives"][0]["material"] = json!(0);
        document["materials"] = json!([{
            "pbrMetallicRoughness": { "baseColorFactor": [1, 0.2140411, 0, 0.25], "metallicFactor": 1, "roughnessFactor": 1 },
            "emissiveFactor": [0, 0, 1], "alphaMode": "BLEND", "doubleSided": true,
        }]);
    })
    .clean();
    let shapes = scene.shapes();
    let look = &shapes[0].appearance;
    // Half of the perceived light is a fifth of the physical light.
    assert!((look.diffuse - Vector3::new(1.0, 0.5, 0.0)).norm() < 1e-4, "{}", look.diffuse);
    assert_eq!((look.specular, look.emissive), (look.diffuse, Vector3::z()));
    assert_eq!((look.transparency, look.specular_exponent), (0.75, 0.0));
    assert!(!shapes[0].geometry.triangles().solid);
}

fn textured(image: Value, extension: Value) -> Loaded {
    changed(|document| {
        document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(2);
        document["meshes"][0]["primitives"][0]["material"] = json!(0);
        let texture = json!({ "index": 0, "extensions": { "KHR_texture_transform": extension } });
        document["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": texture } }]);
        document["textures"] = json!([{ "source": 0, "sampler": 0 }]);
        document["samplers"] = json!([{ "wrapS": 33071 }]);
        document["images"] = json!([image]);
        document["extensionsRequired"] = json!(["KHR_texture_transform"]);
        document["extensionsUsed"] = json!(["KHR_texture_transform"]);
    })
}

#[test]
fn pictures_stay_encoded() {
    for image in [json!({ "bufferView": 3, "mimeType": "image/png" }), json!({ "bufferView": 3 })] {
        let scene = textured(image, json!({})).clean();
        let texture = scene.shapes()[0].appearance.texture.clone().unwrap();
        assert_eq!(texture.image, TextureImage::Encoded(buffer()[128..].into()));
        assert_eq!(texture.repeat, [false, true]);
    }
    let inside = textured(json!({ "uri": data_uri(b"png") }), json!({})).clean();
    let texture = inside.shapes()[0].appearance.texture.clone().unwrap();
    assert_eq!(texture.image, TextureImage::Encoded(b"png".as_slice().into()));
    for (image, code) in [
        (json!({}), "gltf-image"),
        (json!({ "uri": "data:image/png;base64,***" }), "gltf-image"),
        (json!({ "uri": "gone.png" }), "file-not-found"),
        (json!({ "uri": "/etc/passwd" }), "outside-roots"),
    ] {
        let scene = textured(image, json!({})).with(&[code]);
        assert!(scene.shapes()[0].appearance.texture.is_none());
    }
}

#[test]
fn texture_coordinates_go_up_and_may_be_transformed() {
    let points = |extension: Value| {
        let scene = textured(json!({ "uri": data_uri(b"png") }), extension).clean();
        scene.shapes()[0].geometry.triangles().texture_coordinates[0]
    };
    // The lower left corner of the square is that of the image.
    assert_eq!(points(json!({})), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]].map(Point2::from));
    let moved = points(json!({ "offset": [0.5, 0.25], "scale": [2, 3] }));
    assert_eq!(moved, [[0.5, -2.25], [2.5, -2.25], [2.5, 0.75]].map(Point2::from));
    // A quarter turn counter-clockwise about the upper left corner of the image.
    let turned = points(json!({ "rotation": FRAC_PI_2 }));
    let expected = [[1.0, 1.0], [1.0, 2.0], [0.0, 2.0]].map(Point2::from);
    assert!(turned.iter().zip(expected).all(|(found, expected)| (found - expected).norm() < 1e-6), "{turned:?}");
}

#[test]
fn the_scene_that_the_file_names_is_shown() {
    let nodes = json!([{ "name": "a", "mesh": 0 }, { "name": "b", "mesh": 0 }, { "name": "c", "children": [0, 1] }]);
    let top = |change: fn(&mut Value)| {
        let scene = changed(|document| {
            document["nodes"] = nodes.clone();
            document["scenes"] = json!([{ "nodes": [0] }, { "nodes": [1] }]);
            change(document);
        });
        scene.clean().nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(top(|document| document["scene"] = json!(1)), ["b"]);
    assert_eq!(top(|document| drop(document.as_object_mut().unwrap().remove("scene"))), ["a"]);
    let none = |document: &mut Value| {
        document.as_object_mut().unwrap().retain(|key, _| !key.starts_with("scene"));
    };
    assert_eq!(top(none), ["c"]);
}

#[test]
fn invalid_content_is_an_error() {
    let error = |change: fn(&mut Value)| changed(change).error().0;
    assert_eq!(error(|document| document["accessors"][0]["count"] = json!(5)), "gltf-buffer");
    assert_eq!(error(|document| document["accessors"][0]["count"] = json!(u64::MAX / 2)), "limit-numbers");
    assert_eq!(error(|document| document["accessors"][0]["byteOffset"] = json!(u64::MAX)), "gltf-buffer");
    assert_eq!(error(|document| document["accessors"][0]["byteOffset"] = json!(12)), "gltf-buffer");
    assert_eq!(error(|document| document["accessors"][0]["type"] = json!("VEC2")), "gltf-malformed");
    assert_eq!(error(|document| document["accessors"][3]["componentType"] = json!(5126)), "gltf-malformed");
    assert_eq!(error(|document| document["accessors"][3]["bufferView"] = json!(1)), "gltf-index");
    assert_eq!(error(|document| document["bufferViews"][0]["byteLength"] = json!(500)), "gltf-buffer");
    assert_eq!(error(|document| document["buffers"][0]["byteLength"] = json!(141)), "gltf-buffer");
    assert_eq!(error(|document| document["buffers"][0]["uri"] = json!("data:,x")), "gltf-buffer");
    assert_eq!(error(|document| document["buffers"][0]["uri"] = json!("gone.bin")), "file-not-found");
    assert_eq!(error(|document| document["buffers"][0]["uri"] = json!("/etc/passwd")), "outside-roots");
    assert_eq!(error(|document| document["buffers"][0] = json!({ "byteLength": 140 })), "gltf-buffer");
    assert_eq!(
        error(|document| document["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(9)),
        "gltf-malformed"
    );
    assert_eq!(error(|document| document["nodes"][0]["mesh"] = json!(9)), "gltf-malformed");
    assert_eq!(error(|document| document["extensionsRequired"] = json!(["KHR_draco"])), "gltf-malformed");
    assert_eq!(error(|document| document["nodes"][0]["rotation"] = json!([0, 0, 0, 0])), "not-finite");
    let mut infinite = buffer();
    infinite[0..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(load(&[("part.glb", &glb(square(""), &infinite))]).error(), ("not-finite", None));
    assert_eq!(load(&[("part.gltf", b"{\n\"asset\": 3 }")]).error(), ("gltf-malformed", Some(2)));
    assert_eq!(load(&[("part.glb", b"glTF\x02\0\0\0\0\0\0\0")]).error(), ("gltf-malformed", None));
    let whole = glb(square(""), &buffer());
    assert_eq!(load(&[("part.glb", &whole[..whole.len() - 9])]).error(), ("gltf-malformed", None));
}

#[test]
fn nodes_that_contain_themselves_are_refused() {
    let around = json!([{ "children": [1] }, { "children": [0], "mesh": 0 }]);
    assert_eq!(changed(|document| document["nodes"] = around).error().0, "limit-depth");
    // Each of forty nodes contains the one before it twice.
    let mut nodes: Vec<_> = (1..40).map(|below| json!({ "children": [below, below] })).collect();
    nodes.push(json!({ "mesh": 0 }));
    assert_eq!(changed(|document| document["nodes"] = json!(nodes)).error().0, "limit-nodes");
}

#[test]
fn mutated_files_do_not_panic() {
    let mut document = square(&data_uri(&buffer()));
    document["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 });
    document["meshes"][0]["primitives"][0]["material"] = json!(0);
    document["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    document["textures"] = json!([{ "source": 0 }]);
    document["images"] = json!([{ "bufferView": 3, "mimeType": "image/png" }]);
    document["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": 3, "componentType": 5123 },
        "values": { "bufferView": 1 },
    });
    read_mutations("part.gltf", &[("part.gltf", document.to_string().as_bytes())], 1000);
    read_mutations("part.glb", &[("part.glb", &glb(document, &buffer()))], 500);
}
