//! Scenes of VRML files, as specified in `reference/openhrp-vrml.md` §§4, 5 and VRML97 §6.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Diagnostic, Limits, Reporter, SearchRoots};
use bunraku_mesh::vrml::{Converter, Document};
use bunraku_mesh::{
    Geometry, LoadContext, MeshScene, Normals, Primitive, SceneNode, Shape, TextureImage, TextureTransform,
    TriangleMesh, load_scene,
};
use nalgebra::{Point3, Vector3};

fn found(text: &str) -> (MeshScene, Vec<Diagnostic>) {
    let (limits, reporter, roots) = (Limits::default(), Reporter::new(), SearchRoots::default());
    let document = Document::parse(Path::new("model.wrl"), text, &limits, &reporter).unwrap();
    let context = LoadContext { roots: &roots, limits: &limits, reporter: &reporter };
    let scene = Converter::new(&document, context).scene().unwrap();
    (scene, reporter.into_diagnostics())
}

/// The scene of a valid text.
fn scene(text: &str) -> MeshScene {
    let (scene, findings) = found(text);
    assert!(findings.is_empty(), "{findings:?}");
    scene
}

/// The only shape of a scene.
fn shape(text: &str) -> Shape {
    let shapes = scene(text).shapes();
    assert_eq!(shapes.len(), 1);
    shapes[0].clone()
}

fn codes(text: &str) -> Vec<&'static str> {
    found(text).1.iter().map(|finding| finding.code).collect()
}

fn mesh(shape: &Shape) -> &Arc<TriangleMesh> {
    match &shape.geometry {
        Geometry::Mesh(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

fn place(shape: &Shape, point: [f64; 3]) -> [f64; 3] {
    let place = shape.transform * Point3::from(point);
    [place.x, place.y, place.z].map(|coordinate| (coordinate * 1e9).round() / 1e9)
}

const BOX: &str = "Shape { geometry Box { } }";

#[test]
fn primitives_have_the_sizes_of_the_standard() {
    let primitive = |geometry: &str| match shape(&format!("Shape {{ geometry {geometry} }}")).geometry {
        Geometry::Primitive { primitive, divisions } => {
            assert_eq!(divisions, 20);
            primitive
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(primitive("Box { }"), Primitive::Box { size: Vector3::repeat(2.0) });
    assert_eq!(primitive("Box { size 1 2 0 }"), Primitive::Box { size: Vector3::new(1.0, 2.0, 0.0) });
    assert_eq!(primitive("Sphere { }"), Primitive::Sphere { radius: 1.0 });
    let cylinder = Primitive::Cylinder { radius: 1.0, height: 2.0, top: false, bottom: true };
    assert_eq!(primitive("Cylinder { top FALSE }"), cylinder);
    let cone = Primitive::Cone { radius: 3.0, height: 2.0, bottom: false };
    assert_eq!(primitive("Cone { bottomRadius 3 bottom FALSE }"), cone);
}

#[test]
fn round_shapes_may_have_no_side() {
    let caps = |geometry: &str| mesh(&shape(&format!("Shape {{ geometry {geometry} }}"))).triangles.len();
    assert_eq!(caps("Cylinder { side FALSE }"), 40);
    assert_eq!(caps("Cylinder { side FALSE top FALSE }"), 20);
    assert_eq!(caps("Cone { side FALSE }"), 20);
    assert!(found("Shape { geometry Cone { side FALSE bottom FALSE } }").0.nodes.is_empty());
}

#[test]
fn primitives_without_size_are_left_out_with_a_warning() {
    for geometry in
        ["Sphere { radius 0 }", "Box { size 1 -1 1 }", "Cylinder { height nan }", "Cone { bottomRadius inf }"]
    {
        assert_eq!(codes(&format!("{BOX} Shape {{ geometry {geometry} }}")), ["bad-size"], "{geometry}");
    }
}

#[test]
fn transforms_are_those_of_the_standard() {
    let moved = |fields: &str| shape(&format!("Transform {{ {fields} children {BOX} }}"));
    // Rotated about (1, 0, 0) by 90°: the origin moves to (1, −1, 0).
    let turned = moved(&format!("center 1 0 0 rotation 0 0 1 {FRAC_PI_2}"));
    assert_eq!(place(&turned, [0.0; 3]), [1.0, -1.0, 0.0]);
    // Scaled about its centre, which the original ignores.
    let scaled = moved("center 1 0 0 scale 2 2 2 translation 0 0 5");
    assert_eq!(place(&scaled, [1.0, 0.0, 0.0]), [1.0, 0.0, 5.0]);
    assert_eq!(place(&scaled, [0.0; 3]), [-1.0, 0.0, 5.0]);
    // Scaled along an axis rotated by 90°: x of the scale acts along y.
    let tilted = moved(&format!("scale 3 1 1 scaleOrientation 0 0 1 {FRAC_PI_2}"));
    assert_eq!(place(&tilted, [1.0, 1.0, 1.0]), [1.0, 3.0, 1.0]);
    // The scale is applied before the rotation.
    let both = moved(&format!("scale 3 1 1 rotation 0 0 1 {FRAC_PI_2}"));
    assert_eq!(place(&both, [1.0, 0.0, 0.0]), [0.0, 3.0, 0.0]);
    assert_eq!(codes(&format!("Transform {{ translation 1e999 0 0 children {BOX} }}")), ["not-finite"]);
}

#[test]
fn groups_of_all_kinds_show_their_children() {
    for group in [
        "Group { children [ X ] bboxSize 1 1 1 }",
        "Anchor { children [ X ] url \"a\" }",
        "Billboard { children [ X ] }",
        "Collision { children [ X ] collide FALSE proxy X }",
        "Switch { choice [ X ] whichChoice 0 }",
        "LOD { range [ 1 2 ] level [ X X X ] }",
    ] {
        assert_eq!(scene(&group.replace('X', BOX)).shapes().len(), 1, "{group}");
    }
    assert_eq!(codes("Group { children [ Group { } Sound { } Viewpoint { } ] }"), ["empty-scene"]);
}

#[test]
fn all_choices_of_a_switch_are_shown_with_a_note() {
    for switch in ["Switch { choice [ X ] whichChoice -1 }", "Switch { choice [ X X ] whichChoice 0 }"] {
        assert_eq!(codes(&format!("{switch} {switch}").replace('X', BOX)), ["switch"], "{switch}");
    }
}

#[test]
fn names_stay_and_mere_groups_of_shapes_have_no_further_nodes() {
    let nodes =
        scene(&format!("DEF A Group {{ children [ {BOX} {BOX} ] }} DEF B Group {{ children [ {BOX} DEF C {BOX} ] }}"))
            .nodes;
    assert_eq!((nodes[0].name.as_str(), nodes[0].shapes.len(), nodes[0].children.len()), ("A", 2, 0));
    let names: Vec<_> = nodes[1].children.iter().map(|child| child.name.as_str()).collect();
    assert_eq!((nodes[1].name.as_str(), names), ("B", vec!["", "C"]));
}

#[test]
fn instances_are_shown_through_their_actual_node_under_their_own_name() {
    let text = format!(
        "PROTO Segment [ field MFNode children [] field SFVec3f at 0 0 0 ] {{ Transform {{ translation IS at children IS children }} }}
         PROTO Named [ ] {{ DEF Inner {BOX} }}
         DEF ARM Segment {{ at 1 2 3 children {BOX} }} DEF Outer Named {{ }}"
    );
    let nodes = scene(&text).nodes;
    assert_eq!(nodes[0].name, "ARM");
    assert_eq!(place(&scene(&text).shapes()[0], [0.0; 3]), [1.0, 2.0, 3.0]);
    assert_eq!((nodes[1].name.as_str(), nodes[1].children[0].name.as_str()), ("Outer", "Inner"));
    let plane = "PROTO Plane [ field SFVec3f s 1 1 0 ] { Box { size IS s } } Shape { geometry Plane { } }";
    assert!(
        matches!(shape(plane).geometry, Geometry::Primitive { primitive: Primitive::Box { size }, .. } if size.z == 0.0)
    );
}

#[test]
fn a_converter_shows_any_part_of_a_file() {
    let text =
        format!("Transform {{ translation 0 0 1 children DEF Arm Transform {{ translation 1 0 0 children {BOX} }} }}");
    let (limits, reporter, roots) = (Limits::default(), Reporter::new(), SearchRoots::default());
    let document = Document::parse(Path::new("model.wrl"), text, &limits, &reporter).unwrap();
    let mut converter = Converter::new(&document, LoadContext { roots: &roots, limits: &limits, reporter: &reporter });
    let arm = document.definition("Arm").unwrap();
    let shapes = converter.shapes(arm).unwrap();
    assert_eq!(place(&shapes[0], [0.0; 3]), [1.0, 0.0, 0.0]);
    assert_eq!(converter.node(arm).unwrap().unwrap().name, "Arm");
    assert_eq!(converter.transform(arm) * Point3::origin(), Point3::new(1.0, 0.0, 0.0));
}

const TRIANGLE: &str = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 -1 ]";

#[test]
fn nodes_in_several_places_share_a_mesh() {
    let shapes = scene(&format!(
        "PROTO Wheel [ ] {{ Shape {{ geometry IndexedFaceSet {{ {TRIANGLE} }} }} }}
         DEF A Shape {{ geometry DEF G IndexedFaceSet {{ {TRIANGLE} }} }} USE A Shape {{ geometry USE G }} Wheel {{ }} Wheel {{ }}"
    ))
    .shapes();
    assert!(Arc::ptr_eq(mesh(&shapes[0]), mesh(&shapes[1])));
    assert!(Arc::ptr_eq(mesh(&shapes[0]), mesh(&shapes[2])));
    assert!(Arc::ptr_eq(mesh(&shapes[3]), mesh(&shapes[4])));
}

#[test]
fn face_sets_have_the_attributes_of_the_file() {
    let plain = shape(&format!("Shape {{ geometry IndexedFaceSet {{ {TRIANGLE} creaseAngle 0.5 }} }}"));
    let plain = mesh(&plain);
    assert_eq!(
        (plain.triangles.as_slice(), &plain.normals, plain.solid),
        (&[[0, 1, 2]][..], &Normals::Crease(0.5), true)
    );
    let full = shape(&format!(
        "Shape {{ geometry IndexedFaceSet {{ {TRIANGLE} ccw FALSE solid FALSE
           normal Normal {{ vector [ 0 0 1 ] }} normalPerVertex FALSE
           color Color {{ color [ 1 0 0, 0 1 0, 0 0 1 ] }} colorIndex [ 2 1 0 -1 ]
           texCoord TextureCoordinate {{ point [ 0 0, 1 0, 0 1 ] }} }} }}"
    ));
    let full = mesh(&full);
    let [corners] = full.triangles[..] else { panic!() };
    for (place, corner) in corners.into_iter().enumerate() {
        let color = full.colors[0][place];
        assert_eq!(color[2 - corner as usize], 1.0);
        let [s, t] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][corner as usize];
        assert_eq!(full.texture_coordinates[0][place], nalgebra::Point2::new(s, t));
    }
    // With reversed orientation.
    assert_eq!((corners[0] + 2) % 3, corners[1]);
    assert_eq!(full.normals, Normals::Given(vec![[Vector3::new(0.0, 0.0, 1.0); 3]]));
    assert!(!full.solid);
}

#[test]
fn flaws_of_face_sets_are_corrected_with_a_warning() {
    let set = |fields: &str| found(&format!("{BOX} Shape {{ geometry IndexedFaceSet {{ {fields} }} }}"));
    let points = "coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] }";
    for (fields, shapes, code) in [
        (format!("{points} coordIndex [ 0 1 2 ]"), 2, "unterminated-face"),
        (format!("{points} coordIndex [ 0 1 9 2 -1 ]"), 2, "unknown-vertex"),
        (format!("{points} coordIndex [ 0 1 2 -1 ] normal Normal {{ vector [ 0 0 1 ] }}"), 2, "bad-attribute"),
        (format!("{points} coordIndex [ 0 1 2 -1 ] color Group {{ }}"), 2, "misplaced-node"),
        (points.to_owned(), 1, "empty-mesh"),
        ("coordIndex [ 0 1 2 -1 ]".to_owned(), 1, "empty-mesh"),
        ("coord Coordinate { point [ 0 0 nan ] } coordIndex [ 0 0 0 -1 ]".to_owned(), 1, "bad-mesh"),
    ] {
        let (scene, findings) = set(&fields);
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!((scene.shapes().len(), codes), (shapes, vec![code]), "{fields}");
    }
}

#[test]
fn a_missing_point_is_reported_with_the_number_of_points() {
    let points = "0 0 0, 1 0 0, 0 1 0, ".repeat(1000);
    let form = format!("coord Coordinate {{ point [ {points} ] }} coordIndex [ 0 1 2 -1 0 1 2 3000 -1 ]");
    let (_, findings) = found(&format!("Shape {{ geometry IndexedFaceSet {{ {form} }} }}"));
    assert_eq!(findings[0].code, "unknown-vertex");
    assert_eq!(findings[0].help.as_deref(), Some("the 3000 points are numbered from 0"));
}

#[test]
fn grids_and_extrusions_have_the_defaults_of_the_standard() {
    let grid = shape("Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 0 0 0 0 ] } }");
    let bounds = grid.bounding_box().unwrap();
    assert_eq!((bounds.min, bounds.max), (Point3::origin(), Point3::new(1.0, 0.0, 1.0)));
    let extrusion = shape("Shape { geometry Extrusion { creaseAngle 1 } }");
    let bounds = extrusion.bounding_box().unwrap();
    assert_eq!((bounds.min, bounds.max), (Point3::new(-1.0, 0.0, -1.0), Point3::new(1.0, 1.0, 1.0)));
    assert_eq!(mesh(&extrusion).normals, Normals::Crease(1.0));
    assert_eq!(
        codes(&format!("{BOX} Shape {{ geometry ElevationGrid {{ xDimension 3 zDimension 2 height [ 1 ] }} }}")),
        ["bad-mesh"]
    );
}

#[test]
fn unsupported_nodes_are_reported_once() {
    let line = "Shape { geometry IndexedLineSet { coord Coordinate { point [ 0 0 0 1 0 0 ] } coordIndex [ 0 1 -1 ] } }";
    assert_eq!(codes(&format!("{BOX} {line} {line} Fog {{ }} SpotLight {{ }}")), ["unsupported-node"; 3]);
    assert_eq!(
        codes(&format!("{BOX} Shape {{ geometry Text {{ string \"x\" fontStyle FontStyle {{ }} }} }}")),
        ["unsupported-node"]
    );
    assert_eq!(codes(&format!("{BOX} Box {{ }} Shape {{ geometry Group {{ }} }}")), ["misplaced-node"; 2]);
}

fn appearance(fields: &str) -> bunraku_mesh::Appearance {
    shape(&format!("Shape {{ appearance Appearance {{ {fields} }} geometry Box {{ }} }}")).appearance
}

#[test]
fn materials_have_the_defaults_of_the_standard() {
    assert_eq!(appearance(""), bunraku_mesh::Appearance::default());
    assert_eq!(shape(BOX).appearance, bunraku_mesh::Appearance::default());
    let grey = appearance("material Material { }");
    assert_eq!((grey.diffuse, grey.ambient, grey.transparency), (Vector3::repeat(0.8), 0.2, 0.0));
    assert!((grey.specular_exponent - 26.4).abs() < 1e-12);
    let given = appearance(
        "material Material { diffuseColor 1 0 0 emissiveColor 0 1 0 specularColor 0 0 1 shininess 1 ambientIntensity 1 transparency 0.5 }",
    );
    assert_eq!((given.diffuse, given.emissive, given.specular), (Vector3::x(), Vector3::y(), Vector3::z()));
    assert_eq!((given.specular_exponent, given.ambient, given.transparency), (128.0, 1.0, 0.5));
}

#[test]
fn material_values_out_of_range_are_clamped() {
    let material = "material Material { diffuseColor 2 0.5 -1 shininess 7 transparency -3 }";
    let (scene, findings) = found(&format!("Shape {{ geometry Box {{ }} appearance Appearance {{ {material} }} }}"));
    let cut = scene.shapes()[0].appearance.clone();
    assert_eq!((cut.diffuse, cut.specular_exponent), (Vector3::new(1.0, 0.5, 0.0), 128.0));
    assert_eq!(cut.transparency, 0.0);
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["out-of-range"; 3]);
}

#[test]
fn a_texture_transform_that_is_not_finite_has_no_effect() {
    let text = |transform: &str| {
        format!(
            "Shape {{ geometry Box {{ }} appearance Appearance {{ texture PixelTexture {{ image 1 1 1 0 }} textureTransform \
             TextureTransform {{ {transform} }} }} }}"
        )
    };
    for transform in ["rotation inf", "scale 1 nan", "center nan 0", "translation 0 -inf scale 2 2"] {
        let (scene, findings) = found(&text(transform));
        let texture = scene.shapes()[0].appearance.texture.clone().unwrap();
        assert_eq!(texture.transform, TextureTransform::default(), "{transform}");
        assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["not-finite"], "{transform}");
    }
}

#[test]
fn pixels_are_turned_upside_down() {
    let appearance = appearance(
        "texture PixelTexture { image 1 2 2 0x1080 0x20FF repeatS FALSE } textureTransform TextureTransform { scale 2 3 rotation 1 }",
    );
    let texture = appearance.texture.unwrap();
    let TextureImage::Pixels(pixels) = &texture.image else { panic!() };
    assert_eq!((pixels.width, pixels.height), (1, 2));
    assert_eq!(pixels.rgba, [[0x20, 0x20, 0x20, 0xff], [0x10, 0x10, 0x10, 0x80]]);
    assert_eq!((texture.repeat, texture.transform.scale.y, texture.transform.rotation), ([false, true], 3.0, 1.0));
}

#[test]
fn pictures_are_found_beside_the_file() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("tex")).unwrap();
    std::fs::write(directory.path().join("tex/a.png"), "").unwrap();
    let path = directory.path().join("model.wrl");
    let load = |url: &str| {
        let text =
            format!("Shape {{ appearance Appearance {{ texture ImageTexture {{ url {url} }} }} geometry Box {{ }} }}");
        std::fs::write(&path, text).unwrap();
        let (roots, limits, reporter) = (SearchRoots::default().around(&path), Limits::default(), Reporter::new());
        let scene = load_scene(&path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter }).unwrap();
        (scene.shapes()[0].appearance.texture.clone(), reporter.into_diagnostics())
    };
    for url in ["\"tex/a.png\"", "[ \"no.png\" \"tex/a.png\" ]", "\"tex\\a.png\"", "\"file:tex/a.png\""] {
        let (texture, findings) = load(url);
        assert!(matches!(texture.unwrap().image, TextureImage::File(path) if path.ends_with("tex/a.png")), "{url}");
        assert!(findings.is_empty());
    }
    let (texture, findings) = load("\"no.png\"");
    assert!(texture.is_none());
    assert_eq!(findings[0].code, "file-not-found");
    assert_eq!(findings[0].position().unwrap().line, 1);
}

/// The first node with this name.
fn named<'a>(nodes: &'a [SceneNode], name: &str) -> Option<&'a SceneNode> {
    nodes.iter().find_map(|node| if node.name == name { Some(node) } else { named(&node.children, name) })
}

#[test]
fn the_tank_has_the_parts_that_its_body_file_picks_by_name() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let path = corpus.join("share/model/Tank/resource/tank.wrl");
    let (roots, limits, reporter) = (SearchRoots::default().around(&path), Limits::default(), Reporter::new());
    let scene = load_scene(&path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter }).unwrap();
    for name in ["CHASSIS", "TURRET_Y", "TURRET_P"] {
        let node = named(&scene.nodes, name).unwrap();
        let mut shapes = Vec::new();
        node.collect(&nalgebra::Affine3::identity(), &mut shapes);
        assert!(!shapes.is_empty(), "{name}");
    }
    let codes: Vec<_> = reporter.diagnostics().iter().map(|finding| finding.code).collect();
    assert!(codes.contains(&"missing-node-type"), "{codes:?}");
}
