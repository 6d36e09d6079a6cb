//! Contents of links: mass, shapes and devices.

use bunraku_body::{DeviceKind, Geometry, Link, LinkIndex, MassProperties, Property, Shape};
use bunraku_document::{Position, Severity};
use bunraku_mesh::Primitive;
use bunraku_test_support::{assert_all_close, assert_close, model_text, read_links, read_model};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::common::{link, read_clean, read_with_one_finding};

/// The only link of a model with these keys, indented by four.
#[track_caller]
fn only_link(keys: &str) -> Link {
    read_links(&format!("  - name: BASE\n{keys}")).root().clone()
}

#[track_caller]
fn mass_of(keys: &str) -> MassProperties {
    only_link(keys).mass
}

#[track_caller]
fn assert_mass(found: MassProperties, mass: f64, center: [f64; 3], inertia: Matrix3<f64>) {
    assert_close(found.mass, mass);
    assert_all_close(found.center_of_mass.iter(), center);
    assert_all_close(found.inertia.iter(), inertia.iter().copied());
}

#[track_caller]
fn assert_box_around(shape: &Shape, min: [f64; 3], max: [f64; 3]) {
    let found = shape.bounding_box().expect("a box around the shape");
    assert_all_close(found.min.iter().chain(found.max.iter()), min.into_iter().chain(max));
}

fn diagonal(x: f64, y: f64, z: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(x, y, z))
}

// --- mass

#[test]
fn a_link_without_keys_has_unit_mass_and_inertia() {
    assert_mass(mass_of(""), 1.0, [0.0; 3], Matrix3::identity());
    assert_mass(mass_of("    mass: 5\n"), 5.0, [0.0; 3], Matrix3::identity());
    assert_mass(mass_of("    centerOfMass: [ 1, 2, 3 ]\n"), 1.0, [1.0, 2.0, 3.0], Matrix3::identity());
}

#[test]
fn nine_values_of_inertia_are_rows_and_six_the_upper_triangle() {
    let nine = mass_of("    inertia: [ 1, 2, 3, 4, 5, 6, 7, 8, 9 ]\n").inertia;
    assert_eq!(nine, Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0));
    let six = mass_of("    inertia: [ 1, 2, 3, 4, 5, 6 ]\n").inertia;
    assert_eq!(six, Matrix3::new(1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0));
}

#[test]
fn zero_mass_wipes_centre_and_inertia() {
    let keys = "    mass: 0\n    center_of_mass: [ 1, 2, 3 ]\n    inertia: [ 1, 0, 0, 0, 1, 0, 0, 0, 1 ]\n";
    assert_eq!(mass_of(keys), MassProperties::ZERO);
    let part =
        "    elements:\n      - { type: RigidBody, center_of_mass: [ 1, 2, 3 ], inertia: [ 1, 0, 0, 1, 0, 1 ] }\n";
    assert_eq!(mass_of(part), MassProperties::ZERO);
}

#[test]
fn a_rigid_body_alone_is_all_the_mass_of_its_link() {
    let keys = "    elements:
      - { type: RigidBody, mass: 2, center_of_mass: [ 1, 0, 0 ], inertia: [ 1, 0, 0, 2, 0, 3 ] }
";
    assert_mass(mass_of(keys), 2.0, [1.0, 0.0, 0.0], diagonal(1.0, 2.0, 3.0));
}

#[test]
fn rigid_bodies_merge_about_the_common_centre() {
    // Two points of 1 kg, 2 m apart along x.
    let keys = "    elements:
      - { type: RigidBody, mass: 1, center_of_mass: [ 1, 0, 0 ] }
      - { type: RigidBody, mass: 1, center_of_mass: [ 3, 0, 0 ] }
";
    assert_mass(mass_of(keys), 2.0, [2.0, 0.0, 0.0], diagonal(0.0, 2.0, 2.0));
}

#[test]
fn the_keys_of_the_link_count_beside_its_rigid_bodies() {
    // 1 kg at the origin and 3 kg at x = 4: the centre is at 3, the moments are 1·9 + 3·1.
    let keys = "    mass: 1
    elements:
      - { type: RigidBody, mass: 3, center_of_mass: [ 4, 0, 0 ] }
";
    assert_mass(mass_of(keys), 4.0, [3.0, 0.0, 0.0], diagonal(0.0, 12.0, 12.0));
}

#[test]
fn transforms_move_and_turn_rigid_bodies() {
    let keys = "    elements:
      - type: Transform
        translation: [ 0, 0, 5 ]
        rotation: [ 0, 0, 1, 90 ]
        elements:
          - { type: RigidBody, mass: 2, center_of_mass: [ 1, 0, 0 ], inertia: [ 1, 0, 0, 2, 0, 3 ] }
";
    assert_mass(mass_of(keys), 2.0, [0.0, 1.0, 5.0], diagonal(2.0, 1.0, 3.0));
}

#[test]
fn the_frame_of_a_rigid_body_applies_to_its_elements() {
    let link = only_link(
        "    elements:
      - type: RigidBody
        translation: [ 0, 0, 5 ]
        rotation: [ 1, 0, 0, 90 ]
        mass: 2
        center_of_mass: [ 0, 1, 0 ]
        inertia: [ 1, 0, 0, 2, 0, 3 ]
        elements:
          - { type: Shape, geometry: { type: Box, size: [ 2, 4, 6 ] } }
",
    );
    assert_mass(link.mass, 2.0, [0.0, 0.0, 6.0], diagonal(1.0, 3.0, 2.0));
    assert_box_around(&link.visual[0], [-1.0, -3.0, 3.0], [1.0, 3.0, 7.0]);
}

#[test]
fn rigid_bodies_under_transforms_merge_too() {
    let keys = "    elements:
      - { type: Transform, translation: [ 0, 1, 0 ], elements: { RigidBody: { mass: 1 } } }
      - { type: Transform, translation: [ 0, -1, 0 ], elements: { type: RigidBody, mass: 1 } }
";
    assert_mass(mass_of(keys), 2.0, [0.0; 3], diagonal(2.0, 0.0, 2.0));
}

// --- shapes

#[test]
fn shapes_are_visual_collision_or_both() {
    let link = only_link(
        "    elements:
      - { type: Visual, shape: { geometry: { type: Sphere, radius: 1 } } }
      - { type: Collision, elements: { Shape: { geometry: { type: Sphere, radius: 2 } } } }
      - { type: Shape, geometry: { type: Sphere, radius: 3 } }
",
    );
    let radii = |shapes: &[Shape]| -> Vec<f64> {
        let radius = |shape: &Shape| match shape.geometry {
            Geometry::Primitive { primitive: Primitive::Sphere { radius }, .. } => radius,
            _ => f64::NAN,
        };
        shapes.iter().map(radius).collect()
    };
    assert_eq!(radii(&link.visual), [1.0, 3.0]);
    assert_eq!(radii(&link.collision), [2.0, 3.0]);
}

#[test]
fn every_primitive_has_its_measures() {
    let geometry = |text: &str| {
        let link = only_link(&format!("    elements:\n      - {{ type: Shape, geometry: {{ {text} }} }}\n"));
        link.visual[0].geometry.clone()
    };
    for (text, primitive) in [
        ("type: Box, size: [ 1, 2, 3 ]", Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) }),
        ("type: Box", Primitive::Box { size: Vector3::repeat(1.0) }),
        ("type: Sphere, radius: 2", Primitive::Sphere { radius: 2.0 }),
        (
            "type: Cylinder, radius: 2, height: 3, top: false",
            Primitive::Cylinder { radius: 2.0, height: 3.0, top: false, bottom: true },
        ),
        ("type: Cone, radius: 2, height: 3", Primitive::Cone { radius: 2.0, height: 3.0, bottom: true }),
        ("type: Capsule, radius: 2, height: 3", Primitive::Capsule { radius: 2.0, height: 3.0 }),
    ] {
        assert_eq!(geometry(text), Geometry::primitive(primitive), "{text}");
    }
    let divided = geometry("type: Sphere, radius: 2, division_number: 40");
    assert_eq!(divided, Geometry::Primitive { primitive: Primitive::Sphere { radius: 2.0 }, divisions: 40 });
}

#[test]
fn a_list_a_mapping_and_a_single_element_are_equivalent() {
    let forms = [
        "    elements:\n      - type: Shape\n        geometry: { type: Box }\n",
        "    elements:\n      Shape: { geometry: { type: Box } }\n",
        "    elements: { type: Shape, geometry: { type: Box } }\n",
        "    elements:\n      Group: { elements: [ { type: Shape, geometry: { type: Box } } ] }\n",
    ];
    for keys in forms {
        let link = only_link(keys);
        assert_eq!(link.visual.len(), 1, "{keys}");
        assert_eq!(link.visual, only_link(forms[0]).visual, "{keys}");
        assert_eq!(link.collision, link.visual, "{keys}");
    }
}

#[test]
fn elements_in_a_mapping_are_read_in_the_order_of_the_alphabet() {
    let body =
        read_links("  - name: BASE\n    elements: { RateGyroSensor: { id: 0 }, AccelerationSensor: { id: 0 } }\n");
    let kinds: Vec<_> = body.devices.iter().map(|device| device.type_name()).collect();
    assert_eq!(kinds, ["AccelerationSensor", "RateGyroSensor"]);
}

#[test]
fn nested_transforms_are_composed() {
    let link = only_link(
        "    elements:
      - type: Transform
        translation: [ 1, 0, 0 ]
        rotation: [ 0, 0, 1, 90 ]
        elements:
          - type: Transform
            translation: [ 0, 3, 0 ]
            elements:
              - type: Shape
                translation: [ 0, 0, 1 ]
                geometry: { type: Box, size: [ 2, 4, 6 ] }
",
    );
    // (0, 3, 0) is rotated to (−3, 0, 0); the 4 m edge of the box is along x.
    assert_box_around(&link.visual[0], [-4.0, -1.0, -2.0], [0.0, 1.0, 4.0]);
}

#[test]
fn a_scale_applies_before_the_rotation_and_the_translation_beside_it() {
    let link = only_link(
        "    elements:
      - type: Transform
        scale: [ 2, 4, 6 ]
        rotation: [ 0, 0, 1, 90 ]
        translation: [ 10, 0, 0 ]
        elements: { Shape: { translation: [ 1, 0, 0 ], geometry: { type: Box } } }
",
    );
    // Scaled: 2 × 4 × 6 around (2, 0, 0); rotated: 4 × 2 × 6 around (0, 2, 0).
    assert_box_around(&link.collision[0], [8.0, 1.0, -3.0], [12.0, 3.0, 3.0]);
}

#[test]
fn visual_and_collision_nodes_have_frames_too() {
    let link = only_link(
        "    elements:
      - { type: Visual, translation: [ 1, 0, 0 ], shape: { geometry: { type: Box, size: [ 2, 2, 2 ] } } }
      - { type: Collision, translation: [ 0, 1, 0 ], elements: [ { type: Shape, geometry: { type: Box, size: [ 2, 2, 2 ] } } ] }
",
    );
    assert_box_around(&link.visual[0], [0.0, -1.0, -1.0], [2.0, 1.0, 1.0]);
    assert_box_around(&link.collision[0], [-1.0, 0.0, -1.0], [1.0, 2.0, 1.0]);
}

#[test]
fn an_alias_is_as_good_as_the_text_it_stands_for() {
    let body = read_links(
        "  - name: A
    elements:
      - type: Visual
        elements:
          - &PLATE
            type: Shape
            geometry: &BOX { type: Box, size: [ 2, 4, 6 ] }
            appearance: &RED { material: { diffuse: [ 1, 0, 0 ] } }
      - { type: Collision, elements: [ *PLATE ] }
  - name: B
    parent: A
    elements:
      - { type: Transform, translation: [ 0, 0, 1 ], elements: [ *PLATE ] }
      - { type: Shape, geometry: *BOX, appearance: *RED, translation: [ 0, 0, 1 ] }
",
    );
    let (a, b) = (link(&body, "A"), link(&body, "B"));
    assert_eq!((a.visual.len(), a.collision.len(), b.visual.len()), (1, 1, 2));
    assert_eq!(a.visual, a.collision);
    assert_eq!(b.visual[0], b.visual[1]);
    assert_eq!(b.visual[0].appearance.diffuse, Vector3::new(1.0, 0.0, 0.0));
    assert_box_around(&a.visual[0], [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]);
    assert_box_around(&b.visual[0], [-1.0, -2.0, -2.0], [1.0, 2.0, 4.0]);
}

#[test]
fn materials_have_colours_in_both_spellings() {
    let appearance = |material: &str| {
        let keys = format!(
            "    elements:\n      - {{ type: Shape, geometry: {{ type: Box }}, appearance: {{ material: {{ {material} }} }} }}\n"
        );
        only_link(&keys).visual[0].appearance.clone()
    };
    let new = appearance(
        "diffuse: [ 0.1, 0.2, 0.3 ], emissive: [ 0, 0, 1 ], specular: [ 0, 1, 0 ], ambient: 0.5, transparency: 0.25, specular_exponent: 64.5",
    );
    let old = appearance(
        "diffuseColor: [ 0.1, 0.2, 0.3 ], emissiveColor: [ 0, 0, 1 ], specularColor: [ 0, 1, 0 ], ambientIntensity: 0.5, transparency: 0.25, shininess: 0.5",
    );
    assert_eq!(new, old);
    assert_eq!((new.diffuse, new.transparency), (Vector3::new(0.1, 0.2, 0.3), 0.25));
    assert_eq!((new.specular_exponent, new.ambient), (64.5, 0.5));
}

#[test]
fn a_skipped_node_leaves_nothing() {
    let link = only_link("    elements:\n      - { type: Skip, geometry: { type: Box }, whatever: 1 }\n");
    assert!(link.visual.is_empty() && link.collision.is_empty());
    assert_eq!(link.mass.mass, 1.0);
}

// --- devices

#[test]
fn a_device_is_kept_with_its_frame_and_unknown_keys() {
    let (body, warning) = read_with_one_finding(&model_text(
        "  - { name: BASE }
  - name: HAND
    parent: BASE
    elements:
      - type: Transform
        translation: [ 1, 0, 0 ]
        rotation: [ 0, 0, 1, 90 ]
        elements:
          - type: ForceSensor
            name: Wrist
            id: 7
            on: false
            translation: [ 1, 0, 2 ]
            rotation: [ 0, 0, 1, 90 ]
            max_force: [ 100, 200, 300 ]
            filter: { kind: low pass, order: 2 }
",
    ));
    assert_eq!((warning.severity, warning.code), (Severity::Warning, "unknown-key"));
    assert_eq!(body.devices.len(), 1);
    let device = &body.devices[0];
    assert_eq!((device.type_name(), device.name.as_str()), ("ForceSensor", "Wrist"));
    assert_eq!((device.id, device.enabled, device.link), (Some(7), false, LinkIndex(1)));
    assert_all_close((device.transform * Point3::origin()).iter(), [1.0, 1.0, 2.0]);
    assert_all_close((device.transform * Vector3::x()).iter(), [-1.0, 0.0, 0.0]);
    let text = |text: &str| Property::Text(text.to_owned());
    let keys: Vec<_> = device.info.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["filter"]);
    let DeviceKind::ForceSensor(sensor) = &device.kind else { panic!("{:?}", device.kind) };
    assert_eq!(sensor.max_force, Some(Vector3::new(100.0, 200.0, 300.0)));
    let filter = vec![("kind".to_owned(), text("low pass")), ("order".to_owned(), text("2"))];
    assert_eq!(device.property("filter"), Some(&Property::Mapping(filter)));
    assert_eq!(device.property("id"), None);
}

#[test]
fn a_device_without_keys_is_on_and_has_no_number() {
    let body = read_links("  - name: BASE\n    elements: { ForceSensor: { id: -1 } }\n");
    let device = &body.devices[0];
    assert_eq!((device.id, device.enabled, device.name.as_str()), (None, true, ""));
    assert_eq!(device.link, LinkIndex::ROOT);
}

#[test]
fn both_spellings_of_an_imu_are_an_imu() {
    let body =
        read_links("  - name: BASE\n    elements:\n      - { type: IMU, id: 0 }\n      - { type: Imu, id: 1 }\n");
    let found: Vec<_> = body.devices.iter().map(|device| (device.type_name(), device.id)).collect();
    assert_eq!(found, [("Imu", Some(0)), ("Imu", Some(1))]);
}

#[test]
fn the_format_of_a_camera_says_which_kind_it_is() {
    for (word, kind) in [
        ("COLOR", "Camera"),
        ("DEPTH", "RangeCamera"),
        ("COLOR_DEPTH", "RangeCamera"),
        ("POINT_CLOUD", "RangeCamera"),
        ("COLOR_POINT_CLOUD", "RangeCamera"),
    ] {
        for name in ["Camera", "CameraDevice"] {
            let links = format!("  - name: BASE\n    elements: [ {{ type: {name}, format: {word} }} ]\n");
            assert_eq!(read_links(&links).devices[0].type_name(), kind, "{name} {word}");
        }
    }
}

#[test]
fn a_camera_without_format_is_a_warning_and_no_device() {
    let (body, warning) =
        read_with_one_finding(&model_text("  - name: BASE\n    elements: [ { type: Camera, id: 0 } ]\n"));
    assert!(body.devices.is_empty());
    assert_eq!((warning.severity, warning.code), (Severity::Warning, "camera-format"));
    assert_eq!(warning.position(), Some(Position { line: 5, column: 17 }));
}

#[test]
fn devices_go_by_link_and_within_a_link_by_file_order() {
    let text = model_text(
        "  - { name: BASE, elements: [ { type: RateGyroSensor, name: a }, { type: AccelerationSensor, name: b } ] }
  - { name: LEFT, parent: BASE }
  - { name: RIGHT, parent: BASE, elements: [ { type: ForceSensor, name: d } ] }
  - { name: HAND, parent: LEFT, elements: [ { type: ForceSensor, name: c } ] }
",
    );
    let body = read_clean(&text);
    let found: Vec<_> = body.devices.iter().map(|device| (device.name.as_str(), device.link.0)).collect();
    assert_eq!(found, [("a", 0), ("b", 0), ("c", 2), ("d", 3)]);
}

#[test]
fn shapes_inside_a_device_belong_to_its_link() {
    let link = only_link(
        "    elements:
      - type: ForceSensor
        translation: [ 0, 0, 1 ]
        elements: [ { type: Shape, geometry: { type: Box, size: [ 2, 2, 2 ] } } ]
",
    );
    assert_box_around(&link.visual[0], [-1.0, -1.0, 0.0], [1.0, 1.0, 2.0]);
}

/// Mass properties of a link whose inertia is computed from these elements.
fn from_shapes(weight: &str, elements: &str) -> MassProperties {
    let body = read_links(&format!(
        "  - {{ name: A, joint_type: free, {weight}, inertia: from_shapes, elements: [ {elements} ] }}\n"
    ));
    body.root().mass
}

#[test]
fn an_inertia_comes_from_the_shapes_if_asked_for() {
    let solid = |geometry: &str| from_shapes("mass: 3", &format!("{{ type: Shape, geometry: {{ {geometry} }} }}"));
    let cases = [
        ("type: Box, size: [ 1, 2, 3 ]", [13.0 / 4.0, 10.0 / 4.0, 5.0 / 4.0]),
        ("type: Sphere, radius: 2", [4.8; 3]),
        // m(3r² + h²)/12 across and m·r²/2 along the axis, which is Y.
        ("type: Cylinder, radius: 2, height: 4", [7.0, 6.0, 7.0]),
    ];
    for (geometry, moments) in cases {
        let mass = solid(geometry);
        assert_close(mass.mass, 3.0);
        assert_all_close(mass.inertia.diagonal().as_slice(), moments);
    }
    // The same box as a mesh; moved, rotated and scaled from a cube.
    let corners = "0,0,0, 1,0,0, 1,1,0, 0,1,0, 0,0,1, 1,0,1, 1,1,1, 0,1,1";
    let faces = "0,3,2,1,-1, 4,5,6,7,-1, 0,1,5,4,-1, 1,2,6,5,-1, 2,3,7,6,-1, 3,0,4,7,-1";
    let cube = format!("geometry: {{ type: IndexedFaceSet, vertices: [ {corners} ], faces: [ {faces} ] }}");
    let mesh = from_shapes(
        "density: 0.5",
        &format!(
            "{{ type: Transform, translation: [ 5, 0, 0 ], rotation: [ 0, 0, 1, 90 ], scale: [ 1, 2, 3 ], elements: {{ type: Shape, {cube} }} }}"
        ),
    );
    assert_close(mesh.mass, 3.0);
    assert_all_close(mesh.center_of_mass.coords.as_slice(), [4.0, 0.5, 1.5]);
    assert_all_close(mesh.inertia.diagonal().as_slice(), [10.0 / 4.0, 13.0 / 4.0, 5.0 / 4.0]);
    // A capsule is a cylinder and two half spheres; a thin one is a rod, m·l²/12.
    let rod = from_shapes("mass: 3", "{ type: Shape, geometry: { type: Capsule, radius: 0.001, height: 2 } }");
    assert!((rod.inertia[(0, 0)] - 1.0).abs() < 0.005, "{}", rod.inertia);
    // A cone has most of its mass near its base.
    let cone = from_shapes("mass: 3", "{ type: Shape, geometry: { type: Cone, radius: 1, height: 4 } }");
    assert_all_close(cone.center_of_mass.coords.as_slice(), [0.0, -1.0, 0.0]);
    assert_all_close(cone.inertia.diagonal().as_slice(), [0.45 + 1.8, 0.9, 0.45 + 1.8]);
}

#[test]
fn an_inertia_from_shapes_needs_shapes_and_a_weight() {
    for (link, code) in [
        ("{ name: A, mass: 1, inertia: from_shapes }", "no-volume"),
        ("{ name: A, inertia: from_shapes, elements: { type: Shape, geometry: { type: Box } } }", "missing-key"),
        (
            "{ name: A, mass: 0, inertia: from_shapes, elements: { type: Shape, geometry: { type: Box } } }",
            "not-positive",
        ),
        (
            "{ name: A, mass: 1, center_of_mass: [ 0, 0, 1 ], inertia: from_shapes, elements: { type: Shape, geometry: { type: Box } } }",
            "idle-center-of-mass",
        ),
    ] {
        let (_, findings) = read_model(&model_text(&format!("  - {link}\n")));
        assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [code], "{link}");
    }
}
