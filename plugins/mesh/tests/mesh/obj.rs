//! Wavefront OBJ files and their materials.

use bunraku_mesh::{BoundingBox, MeshScene, Normals, TextureImage, TriangleMesh};
use nalgebra::{Point2, Point3, Vector2, Vector3};

use crate::common;
use crate::common::{Loaded, load, read_mutations};

/// Two groups, negative indices, polygons, and materials.
const PLAIN: &str = "\
mtllib colors.mtl
o Box
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vn 0 0 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl red
f 1/1/1 2/2/1 3/3/1 4/4/1
g Roof top
v 0 0 1
v 2 0 1
v 2 3 1
v 1 4 1
v 0 3 1
usemtl green
f -5 -4 -3 -2 -1
usemtl red
f -5 -4 -3
o Box
usemtl green
f 1//1 2//1 3//1
";

const COLORS: &str = "\
newmtl red
Kd 1 0 0
Ks 0.5 0.5 0.5
Ns 40
illum 2
newmtl green
Kd 0 1 0
Ke 0.25
d 0.25
illum 1
Ks 1 1 1
";

fn read(text: &str) -> Loaded {
    load(&[("part.obj", text.as_bytes()), ("colors.mtl", COLORS.as_bytes())])
}

fn mesh(scene: &MeshScene) -> TriangleMesh {
    scene.shapes()[0].geometry.triangles().into_owned()
}

#[test]
fn objects_and_groups_are_nodes_with_a_shape_for_each_material() {
    let scene = read(PLAIN).clean();
    let parts: Vec<_> = scene
        .nodes
        .iter()
        .map(|node| {
            let counts = node
                .shapes
                .iter()
                .map(|shape| (shape.appearance.diffuse.x, shape.geometry.triangles().triangles.len()));
            (node.name.as_str(), counts.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(parts, [("Box", vec![(1.0, 2), (0.0, 1)]), ("Roof top", vec![(0.0, 3), (1.0, 1)])]);
    let bounds = scene.bounding_box().unwrap();
    assert_eq!(bounds, BoundingBox { min: Point3::origin(), max: Point3::new(2.0, 4.0, 1.0) });
}

#[test]
fn triangles_agree_with_another_reader() {
    let tricky = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ng a\nf 1 2 3\ng b\nf 1/ 3/ 4/\ng\nf -4 -3 \\\n -2\n# end";
    for text in [PLAIN, tricky, "v 1 2 3 1 0 0\nv 2 2 3 0 1 0\nv 1 3 3 0 0 1\nf 1 2 3"] {
        let scene = read(text).clean();
        let area = |a: Point3<f64>, b: Point3<f64>, c: Point3<f64>| (b - a).cross(&(c - a)).norm() / 2.0;
        let found: f64 = scene.shapes().iter().flat_map(common::corners).map(|[a, b, c]| area(a, b, c)).sum();

        let joined = text.replace("\\\n", "").replace("1/ 3/ 4/", "1 3 4");
        let options = tobj::LoadOptions { triangulate: true, single_index: true, ..Default::default() };
        let materials = |_: &std::path::Path| tobj::load_mtl_buf(&mut "newmtl red\nnewmtl green".as_bytes());
        let (models, _) = tobj::load_obj_buf(&mut joined.as_bytes(), &options, materials).unwrap();
        let corner = |model: &tobj::Model, index: u32| {
            Point3::from_slice(&model.mesh.positions[3 * index as usize..][..3]).cast::<f64>()
        };
        let triangles = models.iter().flat_map(|model| {
            model
                .mesh
                .indices
                .chunks(3)
                .map(|ids| area(corner(model, ids[0]), corner(model, ids[1]), corner(model, ids[2])))
        });
        let (count, expected) = triangles.fold((0, 0.0), |(count, sum), area| (count + 1, sum + area));
        assert_eq!(scene.triangle_count(), count, "{text}");
        assert!((found - expected).abs() < 1e-6, "{text}: {found} {expected}");

        let other = mesh_loader::obj::from_slice(joined.as_bytes(), None, |_| Ok(Vec::new())).unwrap();
        assert_eq!(scene.triangle_count(), other.meshes.iter().map(|mesh| mesh.faces.len()).sum::<usize>(), "{text}");
    }
}

#[test]
fn concave_faces_are_cut_up_faithfully() {
    // An arrow head; a fan from its first corner would cover too much.
    let text = "v 2 1 0\nv 0 2 0\nv 1 1 0\nv 0 0 0\nf 4 1 2 3\nf 3 4 1 2";
    let area: f64 = read(text)
        .clean()
        .shapes()
        .iter()
        .flat_map(common::corners)
        .map(|[a, b, c]| (b - a).cross(&(c - a)).z / 2.0)
        .sum();
    assert!((area - 2.0).abs() < 1e-6, "{area}");
}

#[test]
fn corners_have_normals_texture_coordinates_and_colors() {
    let text = "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0 0 0 1\nvt 0.5\nvt 0.25 0.75 0\nvn 0 0 3\nvn 1 0 0\n";
    let whole = mesh(&read(&format!("{text}f 1/1/1 2/2/2 3/-1/-2")).clean());
    assert_eq!(whole.normals, Normals::Given(vec![[Vector3::z(), Vector3::x(), Vector3::z()]]));
    let (first, second) = (Point2::new(0.5, 0.0), Point2::new(0.25, 0.75));
    assert_eq!(whole.texture_coordinates, [[first, second, second]]);
    assert_eq!(whole.colors, [[Vector3::x(), Vector3::repeat(1.0), Vector3::z()]]);
    let mixed = mesh(&read(&format!("{text}f 1/1 2 3//2\nf 1 2 3")).clean());
    assert_eq!(mixed.normals, Normals::Given(vec![[Vector3::z(), Vector3::z(), Vector3::x()], [Vector3::z(); 3]]));
    let bare = mesh(&read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").clean());
    assert!(matches!(bare.normals, Normals::Crease(angle) if angle > 0.0));
    let broken = read(&format!("{text}f 1/9/9 2/1/1 3/1/0")).with(&["obj-index"]);
    assert_eq!(broken.triangle_count(), 1);
}

#[test]
fn materials_are_read() {
    let shapes = read(PLAIN).clean().shapes();
    let (red, green) = (&shapes[0].appearance, &shapes[1].appearance);
    assert_eq!((red.specular, red.specular_exponent, red.transparency), (Vector3::repeat(0.5), 40.0, 0.0));
    assert_eq!((green.diffuse, green.emissive), (Vector3::y(), Vector3::repeat(0.25)));
    assert_eq!((green.specular, green.transparency), (Vector3::zeros(), 0.75));

    let library =
        "newmtl a b\nKd 0.5\nmap_Kd -clamp on -s 2 3 -o 0.5 0 0 -bm 1 my picture.png\nTr 0.5\nmap_Bump b.png\n";
    let text = "mtllib my lib.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a b\nf 1 2 3";
    let files: [(&str, &[u8]); 3] =
        [("part.obj", text.as_bytes()), ("my lib.mtl", library.as_bytes()), ("my picture.png", b"")];
    let shapes = load(&files).with(&["mtl-maps"]).shapes();
    let appearance = &shapes[0].appearance;
    assert_eq!((appearance.diffuse, appearance.transparency), (Vector3::repeat(0.5), 0.5));
    let texture = appearance.texture.as_ref().unwrap();
    assert_eq!((texture.repeat, texture.transform.scale), ([false; 2], Vector2::new(2.0, 3.0)));
    assert_eq!(texture.transform.translation, Vector2::new(0.5, 0.0));
    let TextureImage::File(path) = &texture.image else { panic!("{texture:?}") };
    assert!(path.ends_with("my picture.png"));
    assert_eq!(load(&files[..2]).with(&["file-not-found", "mtl-maps"]).triangle_count(), 1);
}

#[test]
fn missing_parts_are_reported() {
    let alone = load(&[("part.obj", PLAIN.as_bytes())]);
    assert_eq!(alone.findings[0].severity, bunraku_document::Severity::Warning);
    let scene = alone.with(&["file-not-found", "obj-no-material", "obj-no-material"]);
    assert_eq!(scene.triangle_count(), 7);
    let several = PLAIN.replace("mtllib colors.mtl", "mtllib colors.mtl gone.mtl");
    assert_eq!(read(&several).with(&["file-not-found"]).triangle_count(), 7);
    let outside = PLAIN.replace("mtllib colors.mtl", "mtllib /etc/passwd");
    assert!(read(&outside).codes().contains(&"outside-roots"));
    let odd = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2\nl 1 2\np 1\nsurf 1 2\nbogus";
    assert_eq!(read(odd).with(&["degenerate-face", "obj-unsupported", "obj-lines"]).triangle_count(), 1);
    assert_eq!(read("# nothing").with(&["empty-mesh"]).triangle_count(), 0);
    let library =
        [("part.obj", PLAIN.as_bytes()), ("colors.mtl", b"Kd 1 0 0\nnewmtl red\nKd x\nnewmtl green".as_slice())];
    assert_eq!(load(&library).with(&["mtl-malformed"]).triangle_count(), 7);
}

#[test]
fn errors_name_the_line() {
    let error = |line: &str| read(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{line}")).error();
    assert_eq!(error("v 1 2"), ("obj-malformed", Some(4)));
    assert_eq!(error("v 1 2 z"), ("obj-malformed", Some(4)));
    assert_eq!(error("v 1 2 nan"), ("not-finite", Some(4)));
    assert_eq!(error("vn 1 2 1e99"), ("not-finite", Some(4)));
    assert_eq!(error("f 1 2 4"), ("obj-index", Some(4)));
    assert_eq!(error("f 1 2 0"), ("obj-index", Some(4)));
    assert_eq!(error("f 1 2 -4"), ("obj-index", Some(4)));
    assert_eq!(error("f 1 2 -9223372036854775808"), ("obj-index", Some(4)));
    assert_eq!(error("f 1 2 three"), ("obj-malformed", Some(4)));
    assert_eq!(error("\nf 1 \\\n 2 \\\n 9"), ("obj-index", Some(5)));
}

#[test]
fn names_need_not_be_utf_8() {
    let mut text = b"o \x8c\xa8\n".to_vec();
    text.extend(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(load(&[("part.obj", &text)]).with(&["not-utf8"]).triangle_count(), 1);
}

#[test]
fn mutated_files_do_not_panic() {
    let files: [(&str, &[u8]); 2] = [("part.obj", PLAIN.as_bytes()), ("colors.mtl", COLORS.as_bytes())];
    read_mutations("part.obj", &files, 600);
    read_mutations("colors.mtl", &files, 300);
}
