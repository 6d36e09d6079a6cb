//! COLLADA files.

use bunraku_mesh::{MeshScene, Normals, TextureImage};
use nalgebra::{Point2, Point3, Vector3};

use crate::common::{Loaded, corners, load, read_mutations};

const SQUARE: &str = r##"
<geometry id="square" name="Square"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0  1 0 0  1 1 0  0 1 0</float_array>
    <technique_common><accessor source="#pa" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/>
    </accessor></technique_common></source>
  <source id="n"><float_array id="na" count="3">0 0 2</float_array>
    <technique_common><accessor source="#na" count="1" stride="3"><param name="X"/><param name="Y"/><param name="Z"/>
    </accessor></technique_common></source>
  <source id="t"><float_array id="ta" count="8">0 0 1 0 1 1 0 1</float_array>
    <technique_common><accessor source="#ta" count="4" stride="2"><param name="S"/><param name="T"/>
    </accessor></technique_common></source>
  <source id="u"><float_array id="ua" count="8">0 0 2 0 2 2 0 2</float_array>
    <technique_common><accessor source="#ua" count="4" stride="2"><param name="S"/><param name="T"/>
    </accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  FACES
</mesh></geometry>"##;

const TRIANGLES: &str = r##"<triangles material="skin" count="2"><input semantic="VERTEX" source="#v" offset="0"/>
  <p>0 1 2 0 2 3</p></triangles>"##;

/// A document of one square with these faces, libraries and scene nodes.
fn document(asset: &str, faces: &str, libraries: &str, nodes: &str) -> String {
    let geometry = SQUARE.replace("FACES", faces);
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset>
{libraries}
<library_geometries>{geometry}</library_geometries>
<library_visual_scenes>
  <visual_scene id="other"><node><instance_geometry url="#square"/><instance_geometry url="#square"/></node></visual_scene>
  <visual_scene id="scene">{nodes}</visual_scene>
</library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"##
    )
}

fn read(text: &str) -> Loaded {
    load(&[("part.dae", text.as_bytes())])
}

const NODE: &str = r##"<node id="one" name="One"><instance_geometry url="#square"/></node>"##;

/// The only shape of a file with these faces.
#[track_caller]
fn faces(faces: &str) -> bunraku_mesh::TriangleMesh {
    let mut shapes = read(&document("", faces, "", NODE)).clean().shapes();
    assert_eq!(shapes.len(), 1);
    shapes.remove(0).geometry.triangles().into_owned()
}

/// Transformed positions of the second corner of the square, (1, 0, 0), and the third, (1, 1, 0).
#[track_caller]
fn places(scene: &MeshScene) -> Vec<[Point3<f64>; 2]> {
    scene.shapes().iter().map(|shape| [corners(shape)[0][1], corners(shape)[0][2]]).collect()
}

fn assert_near(found: Point3<f64>, expected: [f64; 3]) {
    assert!((found - Point3::from(expected)).norm() < 1e-6, "{found} is not {expected:?}");
}

#[test]
fn the_scene_that_the_file_names_is_shown_in_metres() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let inches = document(r#"<unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis>"#, &plain, "", NODE);
    let scene = read(&inches).clean();
    assert_eq!((scene.nodes.len(), scene.nodes[0].name.as_str()), (1, "One"));
    assert_near(places(&scene)[0][1], [0.0254, 0.0254, 0.0]);
    let bad = document(r#"<unit meter="0"/>"#, &plain, "", NODE);
    assert_near(places(&read(&bad).with(&["collada-unit"]))[0][1], [1.0, 1.0, 0.0]);
}

#[test]
fn an_up_axis_is_only_noted_as_in_the_original() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let loaded = read(&document("<up_axis>Y_UP</up_axis>", &plain, "", NODE));
    assert_eq!(loaded.findings[0].severity, bunraku_document::Severity::Note);
    assert!(loaded.findings[0].help.as_ref().unwrap().contains("metadata: { upper_axis: Y }"));
    assert_near(places(&loaded.with(&["collada-up-axis"]))[0][1], [1.0, 1.0, 0.0]);
}

#[test]
fn transformations_are_applied_from_the_last_to_the_first() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let node = r##"<node name="above"><translate>0 0 5</translate>
      <node id="below"><translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
        <instance_geometry url="#square"/></node>
      <node name="matrix"><matrix>0 -1 0 7  1 0 0 8  0 0 1 9  0 0 0 1</matrix><instance_geometry url="#square"/></node>
    </node>"##;
    let scene = read(&document("", &plain, "", node)).clean();
    assert_eq!(scene.nodes[0].children.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["below", "matrix"]);
    let found = places(&scene);
    assert_near(found[0][0], [1.0, 4.0, 8.0]);
    assert_near(found[0][1], [0.0, 4.0, 8.0]);
    assert_near(found[1][0], [7.0, 9.0, 14.0]);
}

#[test]
fn a_geometry_and_a_node_may_be_instanced_several_times() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let library = r##"<library_nodes><node id="pair"><instance_geometry url="#square"/>
      <node><translate>0 0 1</translate><instance_geometry url="#square"/></node></node></library_nodes>"##;
    let nodes = r##"<node><translate>10 0 0</translate><instance_node url="#pair"/></node>
      <node><translate>20 0 0</translate><instance_node url="#pair"/></node>"##;
    let scene = read(&document("", &plain, library, nodes)).clean();
    let found: Vec<_> = places(&scene).iter().map(|[place, _]| (place.x, place.z)).collect();
    assert_eq!(found, [(11.0, 0.0), (11.0, 1.0), (21.0, 0.0), (21.0, 1.0)]);
}

#[test]
fn a_mirroring_matrix_stays_in_the_transform() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let node = r##"<node><scale>-1 1 1</scale><instance_geometry url="#square"/></node>"##;
    let shapes = read(&document("", &plain, "", node)).clean().shapes();
    assert!(shapes[0].transform.matrix().determinant() < 0.0);
    assert_eq!(shapes[0].geometry.triangles().triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn every_kind_of_faces_covers_the_square() {
    let input = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    for list in [
        format!("<triangles count='2'>{input}<p>0 1 2 0 2 3</p></triangles>"),
        format!("<polylist count='1'>{input}<vcount>4</vcount><p>0 1 2 3</p></polylist>"),
        format!("<polylist count='2'>{input}<vcount>3 3</vcount><p>0 1 2 0 2 3</p></polylist>"),
        format!("<polygons count='1'>{input}<p>0 1 2 3</p></polygons>"),
        format!("<polygons count='2'>{input}<p>0 1 2</p><p>0 2 3</p></polygons>"),
        format!("<tristrips count='1'>{input}<p>1 2 0 3</p></tristrips>"),
        format!("<trifans count='1'>{input}<p>0 1 2 3</p></trifans>"),
    ] {
        let mesh = faces(&list);
        assert_eq!(mesh.triangles.len(), 2, "{list}");
        let normal = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|index| mesh.vertices[index as usize]);
            (b - a).cross(&(c - a))
        };
        assert!(mesh.triangles.iter().all(|triangle| normal(triangle) == Vector3::z()), "{list}: {:?}", mesh.triangles);
        assert!(matches!(mesh.normals, Normals::Crease(_)));
    }
    let concave = format!("<polygons count='1'>{input}<ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>");
    assert_eq!(read(&document("", &concave, "", NODE)).with(&["collada-holes"]).triangle_count(), 2);
    let lines = format!("<lines count='1'>{input}<p>0 1</p></lines>{TRIANGLES}").replace("material=\"skin\"", "");
    assert_eq!(read(&document("", &lines, "", NODE)).with(&["collada-lines"]).triangle_count(), 2);
}

#[test]
fn inputs_have_their_own_indices() {
    let mesh = faces(
        r##"<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#n" offset="1"/><input semantic="TEXCOORD" source="#u" offset="2" set="1"/>
        <input semantic="TEXCOORD" source="#t" offset="2" set="0"/><input semantic="COLOR" source="#p" offset="3"/>
        <vcount>3</vcount><p>1 0 2 0  2 0 3 1  3 0 0 2</p></polylist>"##,
    );
    assert_eq!(mesh.vertices.len(), 3);
    assert_eq!(mesh.normals, Normals::Given(vec![[Vector3::z(); 3]]));
    let texture = [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]].map(Point2::from);
    assert_eq!(mesh.texture_coordinates, [texture]);
    assert_eq!(mesh.colors, [[Vector3::zeros(), Vector3::x(), Vector3::new(1.0, 1.0, 0.0)]]);
}

const MATERIALS: &str = r##"<library_images><image id="wood"><init_from>wood%20grain.png</init_from></image></library_images>
<library_materials>
  <material id="red"><instance_effect url="#red-fx"/></material>
  <material id="glass"><instance_effect url="#glass-fx"/></material>
  <material id="wooden"><instance_effect url="#wooden-fx"/></material>
</library_materials>
<library_effects>
  <effect id="red-fx"><profile_COMMON><newparam sid="sharp"><float>12</float></newparam><technique><phong>
    <emission><color>0 0 0.5 1</color></emission><diffuse><color>1 0 0 1</color></diffuse>
    <specular><color>0.25 0.5 1 1</color></specular><shininess><param ref="sharp"/></shininess>
    <transparency><float>0</float></transparency></phong></technique></profile_COMMON></effect>
  <effect id="glass-fx"><profile_COMMON><technique><lambert><diffuse><color>0 1 0 1</color></diffuse>
    <transparent opaque="A_ONE"><color>0 0 0 0.5</color></transparent><transparency><float>0.5</float></transparency>
    </lambert></technique></profile_COMMON></effect>
  <effect id="wooden-fx"><profile_COMMON>
    <newparam sid="surface"><surface type="2D"><init_from>wood</init_from></surface></newparam>
    <newparam sid="sampler"><sampler2D><source>surface</source><wrap_t>CLAMP</wrap_t></sampler2D></newparam>
    <technique><lambert><diffuse><texture texture="sampler" texcoord="UV"/></diffuse></lambert></technique>
  </profile_COMMON></effect>
</library_effects>"##;

#[test]
fn a_geometry_may_have_several_materials_and_each_instance_its_own() {
    let list = |material: &str, p: &str| {
        format!(
            r##"<triangles material="{material}" count="1"><input semantic="VERTEX" source="#v" offset="0"/>
            <input semantic="TEXCOORD" source="#t" offset="0" set="0"/>
            <input semantic="TEXCOORD" source="#u" offset="0" set="3"/><p>{p}</p></triangles>"##
        )
    };
    let faces = list("a", "0 1 2") + &list("b", "0 2 3");
    let instance = |a: &str, b: &str| {
        format!(
            r##"<node><instance_geometry url="#square"><bind_material><technique_common>
            <instance_material symbol="a" target="#{a}"/>
            <instance_material symbol="b" target="#{b}"><bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="3"/>
            </instance_material></technique_common></bind_material></instance_geometry></node>"##
        )
    };
    let nodes = instance("red", "glass") + &instance("glass", "wooden");
    let text = document("", &faces, MATERIALS, &nodes);
    let shapes = load(&[("part.dae", text.as_bytes()), ("wood grain.png", b"")]).clean().shapes();
    let looks: Vec<_> = shapes.iter().map(|shape| &shape.appearance).collect();
    assert_eq!(looks.len(), 4);
    assert_eq!(looks[0].diffuse, Vector3::x());
    assert_eq!(looks[0].emissive, Vector3::z() * 0.5);
    assert_eq!(looks[0].specular, Vector3::new(0.25, 0.5, 1.0));
    assert_eq!((looks[0].specular_exponent, looks[0].transparency), (12.0, 0.0));
    assert_eq!((looks[1].diffuse, looks[1].transparency), (Vector3::y(), 0.75));
    assert_eq!(looks[1], looks[2]);
    let texture = looks[3].texture.as_ref().unwrap();
    assert_eq!((looks[3].diffuse, texture.repeat), (Vector3::repeat(1.0), [true, false]));
    let TextureImage::File(path) = &texture.image else { panic!("{texture:?}") };
    assert!(path.ends_with("wood grain.png"));
    // The set of texture coordinates that the instance binds.
    let coordinates = |shape: usize| shapes[shape].geometry.triangles().texture_coordinates[0][1];
    assert_eq!((coordinates(1), coordinates(3)), (Point2::new(1.0, 1.0), Point2::new(2.0, 2.0)));

    let scene = load(&[("part.dae", text.as_bytes())]).with(&["file-not-found"]);
    assert!(scene.shapes()[3].appearance.texture.is_none());
}

#[test]
fn materials_that_are_not_there_are_reported() {
    let scene = read(&document("", TRIANGLES, "", NODE)).with(&["collada-broken-link"]);
    assert_eq!(scene.shapes()[0].appearance, Default::default());
    let by_id = document("", &TRIANGLES.replace("skin", "red"), MATERIALS, NODE);
    assert_eq!(read(&by_id).clean().shapes()[0].appearance.diffuse, Vector3::x());
    let invisible = MATERIALS.replace("0 0 0 0.5", "0 0 0 0");
    let invisible = document("", &TRIANGLES.replace("skin", "glass"), &invisible, NODE);
    assert_eq!(read(&invisible).with(&["collada-invisible"]).shapes()[0].appearance.transparency, 0.0);
    let inverted = MATERIALS.replace("A_ONE", "RGB_ZERO").replace("0 0 0 0.5", "0.5 0.5 0.5 1");
    let inverted = document("", &TRIANGLES.replace("skin", "glass"), &inverted, NODE);
    let transparency = read(&inverted).clean().shapes()[0].appearance.transparency;
    assert!((transparency - 0.25).abs() < 1e-6, "{transparency}");
}

#[test]
fn a_skin_is_shown_in_its_bind_shape() {
    let library = r##"<library_controllers><controller id="c"><skin source="#square">
      <bind_shape_matrix>1 0 0 4 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>"##;
    let node = r##"<node><instance_controller url="#c"/></node>"##;
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    assert_near(places(&read(&document("", &plain, library, node)).clean())[0][0], [5.0, 0.0, 0.0]);
}

#[test]
fn a_file_without_a_scene_shows_its_geometries() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let text = document("", &plain, "", NODE);
    let (start, end) = (text.find("<library_visual").unwrap(), text.find("</COLLADA>").unwrap());
    let scene = read(&format!("{}{}", &text[..start], &text[end..])).with(&["collada-no-scene"]);
    assert_eq!((scene.nodes[0].name.as_str(), scene.triangle_count()), ("Square", 2));
}

#[test]
fn errors_name_the_line() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let error = |from: &str, to: &str| {
        let text = document("", &plain, "", NODE);
        assert!(text.contains(from), "{from}");
        read(&text.replace(from, to)).error()
    };
    assert_eq!(error("</mesh>", ""), ("collada-malformed", Some(22)));
    assert_eq!(error("0 1 0</float", "0 one 0</float"), ("collada-malformed", Some(7)));
    assert_eq!(error("0 1 0</float", "0 1\n\nx 0</float"), ("collada-malformed", Some(9)));
    assert_eq!(error("0 1 0</float", "0 NaN 0</float"), ("not-finite", Some(20)));
    assert_eq!(error("0 1 0</float", "0 1e60 0</float"), ("not-finite", Some(20)));
    assert_eq!(error("<p>0 1 2 0", "<p>0 1 2 9"), ("collada-index", Some(20)));
    assert_eq!(error("<p>0 1 2 0", "<p>0 1 2 -1"), ("collada-malformed", Some(21)));
    assert_eq!(error("<p>0 1 2 0", "<p>1 2 0"), ("collada-malformed", Some(20)));
    assert_eq!(
        error("count=\"4\" stride=\"3\"", "count=\"4\" stride=\"99999999999999999\""),
        ("collada-index", Some(20))
    );
    assert_eq!(error("source=\"#p\"", "source=\"#q\""), ("collada-malformed", Some(19)));
    assert_eq!(load(&[("part.dae", b"<x3d/>")]).error(), ("collada-malformed", Some(1)));
    assert_eq!(load(&[("part.dae", b"")]).error().0, "collada-malformed");
    let matrix = document("", &plain, "", "<node><matrix>1 0 0</matrix></node>");
    assert_eq!(read(&matrix).error().0, "collada-malformed");
    let infinite = document("", &plain, "", "<node><translate>inf 0 0</translate></node>");
    assert_eq!(read(&infinite).error().0, "not-finite");
    let links =
        document("", &plain, "", r##"<node><instance_geometry url="other.dae#x"/><instance_node url="#x"/></node>"##);
    assert_eq!(read(&links).with(&["collada-broken-link", "empty-mesh"]).triangle_count(), 0);
}

#[test]
fn entities_are_not_opened() {
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><COLLADA>&b;</COLLADA>"#;
    assert_eq!(read(bomb).error().0, "collada-malformed");
    let outside = r#"<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><COLLADA>&a;</COLLADA>"#;
    assert_eq!(read(outside).error().0, "collada-malformed");
}

#[test]
fn nodes_that_contain_themselves_are_refused() {
    let plain = TRIANGLES.replace("material=\"skin\"", "");
    let node = r##"<node id="loop"><instance_node url="#loop"/></node>"##;
    assert_eq!(read(&document("", &plain, "", node)).error().0, "limit-depth");
    // Each of forty nodes is instanced twice in the next one.
    let mut library = "<library_nodes><node id='n0'><instance_geometry url='#square'/></node>".to_owned();
    for level in 1..40 {
        let below = format!("<instance_node url='#n{}'/>", level - 1);
        library += &format!("<node id='n{level}'>{below}{below}</node>");
    }
    library += "</library_nodes>";
    let node = r##"<node><instance_node url="#n39"/></node>"##;
    assert_eq!(read(&document("", &plain, &library, node)).error().0, "limit-nodes");
    let deep = format!("{}{}", "<node>".repeat(100_000), "</node>".repeat(100_000));
    assert_eq!(read(&document("", &plain, "", &deep)).error().0, "limit-depth");
    // Many instances in many nodes.
    let many = "<instance_geometry url='#square'/>".repeat(2000);
    let library = format!("<library_nodes><node id='many'>{many}</node></library_nodes>");
    let nodes = "<node><instance_node url='#many'/></node>".repeat(2000);
    assert_eq!(read(&document("", &plain, &library, &nodes)).error().0, "limit-nodes");
}

#[test]
fn mutated_files_do_not_panic() {
    let nodes = r##"<node><rotate>1 0 0 20</rotate><skew>45 0 1 0 1 0 0</skew><lookat>1 2 3 4 5 6 0 0 1</lookat>
      <instance_geometry url="#square"><bind_material><technique_common><instance_material symbol="a" target="#wooden"/>
      </technique_common></bind_material></instance_geometry></node>"##;
    let faces = r##"<polylist material="a" count="1"><input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#n" offset="1"/><input semantic="TEXCOORD" source="#t" offset="0" set="0"/>
        <vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>"##;
    let text = document("<unit meter=\"1\"/>", faces, MATERIALS, nodes);
    read_mutations("part.dae", &[("part.dae", text.as_bytes())], 1000);
}
