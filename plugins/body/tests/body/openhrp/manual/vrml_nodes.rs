//! Nodes of VRML97, and their effect in a model.

use bunraku_body::{Body, Shape};
use bunraku_mesh::{Geometry, Normals, Primitive, TextureImage, TriangleMesh};
use nalgebra::{Point3, Vector3};

use super::example::{all, codes};

use crate::common::list;
use crate::openhrp::{Files, PROTOS, base};

/// A node, a text with it in the only segment of a model, the codes of all findings, and a property of the body.
struct Example(&'static str, &'static str, &'static [&'static str], fn(&Body) -> bool);

/// The nodes of VRML97, chapter 6.
const STANDARD: &str = "Anchor Appearance AudioClip Background Billboard Box Collision Color ColorInterpolator Cone \
    Coordinate CoordinateInterpolator Cylinder CylinderSensor DirectionalLight ElevationGrid Extrusion Fog FontStyle \
    Group ImageTexture IndexedFaceSet IndexedLineSet Inline LOD Material MovieTexture NavigationInfo Normal \
    NormalInterpolator OrientationInterpolator PixelTexture PlaneSensor PointLight PointSet PositionInterpolator \
    ProximitySensor ScalarInterpolator Script Shape Sound Sphere SphereSensor SpotLight Switch Text TextureCoordinate \
    TextureTransform TimeSensor TouchSensor Transform Viewpoint VisibilitySensor WorldInfo";

pub fn names() -> impl Iterator<Item = &'static str> {
    STANDARD.split_whitespace()
}

fn only(body: &Body, holds: impl Fn(&Shape) -> bool) -> bool {
    matches!(body.root().visual.as_slice(), [shape] if holds(shape))
}

fn one(body: &Body) -> bool {
    only(body, |_| true)
}

fn two(body: &Body) -> bool {
    body.root().visual.len() == 2
}

fn nothing(body: &Body) -> bool {
    body.root().visual.is_empty()
}

fn primitive(body: &Body, wanted: Primitive) -> bool {
    only(body, |shape| matches!(shape.geometry, Geometry::Primitive { primitive, .. } if primitive == wanted))
}

fn mesh(body: &Body, holds: impl Fn(&TriangleMesh) -> bool) -> bool {
    only(body, |shape| matches!(&shape.geometry, Geometry::Mesh(mesh) if holds(mesh)))
}

fn place(body: &Body, point: [f64; 3]) -> bool {
    only(body, |shape| all((shape.transform * Point3::from([1.0, 0.0, 0.0])).coords, point))
}

fn groups() -> Vec<Example> {
    vec![
        Example("Group", "Group { children [ Shape { geometry Box { } } ] }", &[], one),
        Example(
            "Transform",
            "Transform { translation 0 0 3 rotation 0 0 1 1.5707963267948966 scale 2 2 2 center 1 0 0
               children Shape { geometry Box { } } }",
            &[],
            |body| place(body, [1.0, 0.0, 3.0]),
        ),
        Example("Anchor", "Anchor { url \"x\" children Shape { geometry Box { } } }", &[], one),
        Example("Billboard", "Billboard { children Shape { geometry Box { } } }", &[], one),
        Example("Collision", "Collision { collide FALSE children Shape { geometry Box { } } }", &[], |body| {
            one(body) && body.root().collision.len() == 1
        }),
        Example(
            "Switch",
            "Switch { whichChoice 0 choice [ Shape { geometry Box { } } Shape { geometry Cone { } } ] }",
            &["switch"],
            two,
        ),
        Example(
            "LOD",
            "LOD { range [ 5 ] level [ Shape { geometry Box { } } Shape { geometry Cone { } } ] }",
            &[],
            one,
        ),
        Example("Inline", "Inline { url [ \"part.wrl\" \"part.wrl\" ] }", &[], two),
    ]
}

fn geometries() -> Vec<Example> {
    vec![
        Example("Shape", "Shape { geometry Box { } } Shape { }", &[], one),
        Example("Box", "Shape { geometry Box { size 1 2 3 } }", &[], |body| {
            primitive(body, Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) })
        }),
        Example("Sphere", "Shape { geometry Sphere { } }", &[], |body| {
            primitive(body, Primitive::Sphere { radius: 1.0 })
        }),
        Example("Cylinder", "Shape { geometry Cylinder { radius 3 top FALSE } }", &[], |body| {
            primitive(body, Primitive::Cylinder { radius: 3.0, height: 2.0, top: false, bottom: true })
        }),
        Example("Cone", "Shape { geometry Cone { bottomRadius 3 bottom FALSE } }", &[], |body| {
            primitive(body, Primitive::Cone { radius: 3.0, height: 2.0, bottom: false })
        }),
        Example(
            "IndexedFaceSet",
            "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] }
               coordIndex [ 0 1 2 3 -1 ] solid FALSE creaseAngle 0.5 } }",
            &[],
            |body| mesh(body, |mesh| mesh.triangles.len() == 2 && !mesh.solid && mesh.normals == Normals::Crease(0.5)),
        ),
        Example(
            "ElevationGrid",
            "Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 0 0 0 7 ] } }",
            &[],
            |body| {
                mesh(body, |mesh| mesh.vertices.iter().any(|vertex| (vertex.x, vertex.y, vertex.z) == (1.0, 7.0, 1.0)))
            },
        ),
        Example("Extrusion", "Shape { geometry Extrusion { } }", &[], |body| {
            // The square of 2 m along 1 m of the Y axis.
            mesh(body, |mesh| mesh.vertices.iter().any(|vertex| (vertex.x, vertex.y, vertex.z) == (1.0, 1.0, 1.0)))
        }),
        Example(
            "IndexedLineSet",
            "Shape { geometry IndexedLineSet { coord Coordinate { point [ 0 0 0, 1 0 0 ] } coordIndex [ 0 1 -1 ] } }",
            &["unsupported-node"],
            nothing,
        ),
        Example(
            "PointSet",
            "Shape { geometry PointSet { coord Coordinate { point [ 0 0 0 ] } } }",
            &["unsupported-node"],
            nothing,
        ),
        Example("Text", "Shape { geometry Text { string \"x\" } }", &["unsupported-node"], nothing),
        Example(
            "FontStyle",
            "Shape { geometry Text { fontStyle FontStyle { size 2 } } }",
            &["unsupported-node"],
            nothing,
        ),
    ]
}

fn attributes() -> Vec<Example> {
    /// A triangle with one attribute.
    macro_rules! triangle {
        ($attribute:literal) => {
            concat!(
                "Shape { geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } \
                 coordIndex [ 0 1 2 -1 ] ",
                $attribute,
                " } }"
            )
        };
    }
    vec![
        Example("Coordinate", triangle!(""), &[], |body| mesh(body, |mesh| mesh.vertices.len() == 3)),
        Example("Color", triangle!("color Color { color [ 1 0 0, 0 1 0, 0 0 1 ] }"), &[], |body| {
            mesh(body, |mesh| mesh.colors.len() == 1)
        }),
        Example("Normal", triangle!("normal Normal { vector [ 0 0 1 ] } normalPerVertex FALSE"), &[], |body| {
            mesh(body, |mesh| matches!(mesh.normals, Normals::Given(_)))
        }),
        Example(
            "TextureCoordinate",
            triangle!("texCoord TextureCoordinate { point [ 0 0, 1 0, 0 1 ] }"),
            &[],
            |body| mesh(body, |mesh| mesh.texture_coordinates.len() == 1),
        ),
    ]
}

fn looks() -> Vec<Example> {
    /// A box with an appearance.
    macro_rules! box_with {
        ($appearance:literal) => {
            concat!("Shape { geometry Box { } appearance Appearance { ", $appearance, " } }")
        };
    }
    vec![
        Example("Appearance", box_with!(""), &[], |body| only(body, |shape| shape.appearance.texture.is_none())),
        Example("Material", box_with!("material Material { diffuseColor 1 0 0 transparency 0.5 shininess 1 }"), &[], {
            |body| {
                only(body, |shape| {
                    let look = &shape.appearance;
                    look.diffuse == Vector3::x() && look.transparency == 0.5 && look.specular_exponent == 128.0
                })
            }
        }),
        Example(
            "ImageTexture",
            box_with!("texture ImageTexture { url [ \"none.png\" \"picture.png\" ] repeatS FALSE }"),
            &[],
            |body| {
                only(body, |shape| {
                    shape.appearance.texture.as_ref().is_some_and(|texture| {
                        texture.repeat == [false, true]
                            && matches!(&texture.image, TextureImage::File(path) if path.ends_with("picture.png"))
                    })
                })
            },
        ),
        Example("PixelTexture", box_with!("texture PixelTexture { image 1 1 3 0xFF0000 }"), &[], |body| {
            only(body, |shape| {
                let texture = shape.appearance.texture.as_ref();
                texture.is_some_and(|texture| {
                    matches!(&texture.image, TextureImage::Pixels(pixels) if pixels.rgba == [[255, 0, 0, 255]])
                })
            })
        }),
        Example(
            "MovieTexture",
            box_with!("texture MovieTexture { url \"film.mpg\" }"),
            &["unsupported-node"],
            |body| only(body, |shape| shape.appearance.texture.is_none()),
        ),
        Example(
            "TextureTransform",
            box_with!("texture ImageTexture { url \"picture.png\" } textureTransform TextureTransform { rotation 2 }"),
            &[],
            |body| {
                only(body, |shape| {
                    shape.appearance.texture.as_ref().is_some_and(|texture| texture.transform.rotation == 2.0)
                })
            },
        ),
    ]
}

fn others() -> Vec<Example> {
    vec![
        Example("PointLight", "PointLight { }", &["unsupported-node"], nothing),
        Example("SpotLight", "SpotLight { }", &["unsupported-node"], nothing),
        Example("DirectionalLight", "DirectionalLight { }", &["unsupported-node"], nothing),
        Example("Fog", "Fog { }", &["unsupported-node"], nothing),
        Example("Background", "Background { skyColor [ 0 0 1 ] }", &[], nothing),
        Example("NavigationInfo", "NavigationInfo { type \"EXAMINE\" }", &[], nothing),
        Example("Viewpoint", "Viewpoint { position 0 0 5 }", &[], nothing),
        Example("WorldInfo", "WorldInfo { title \"x\" }", &[], nothing),
        Example("Sound", "Sound { source AudioClip { url \"x.wav\" } }", &[], nothing),
        Example("AudioClip", "AudioClip { url \"x.wav\" }", &[], nothing),
        Example("Script", "Script { url \"javascript: function a() { }\" field SFInt32 b 1 }", &["script"], nothing),
        Example("CylinderSensor", "CylinderSensor { }", &[], nothing),
        Example("PlaneSensor", "PlaneSensor { }", &[], nothing),
        Example("ProximitySensor", "ProximitySensor { size 1 1 1 }", &[], nothing),
        Example("SphereSensor", "SphereSensor { }", &[], nothing),
        Example("TimeSensor", "DEF T TimeSensor { } DEF P PlaneSensor { } ROUTE T.time TO P.enabled", &[], nothing),
        Example("TouchSensor", "TouchSensor { }", &[], nothing),
        Example("VisibilitySensor", "VisibilitySensor { }", &[], nothing),
        Example("ColorInterpolator", "ColorInterpolator { key [ 0 1 ] }", &[], nothing),
        Example("CoordinateInterpolator", "CoordinateInterpolator { }", &[], nothing),
        Example("NormalInterpolator", "NormalInterpolator { }", &[], nothing),
        Example("OrientationInterpolator", "OrientationInterpolator { }", &[], nothing),
        Example("PositionInterpolator", "PositionInterpolator { }", &[], nothing),
        Example("ScalarInterpolator", "ScalarInterpolator { }", &[], nothing),
    ]
}

#[test]
fn every_standard_node_has_its_documented_effect() {
    let files = Files::new();
    files.write("part.wrl", "#VRML V2.0 utf8\nShape { geometry Box { } }\n").write("picture.png", "not looked into");
    let examples: Vec<Example> =
        [groups(), geometries(), attributes(), looks(), others()].into_iter().flatten().collect();
    let mut failures = Vec::new();
    for Example(node, text, findings, holds) in &examples {
        let model = format!("{PROTOS}{}", base(&format!("children DEF PART Segment {{ children [ {text} ] }}")));
        let (body, found) = files.write("model.wrl", &model).load("model.wrl");
        if codes(&found) != *findings {
            failures.push(format!("{node}: {}", list(&found)));
        }
        if !body.is_some_and(|body| holds(&body)) {
            failures.push(format!("{node}: not what it should be\n    {text}"));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    for node in names() {
        assert!(examples.iter().any(|example| example.0 == node), "no example has a `{node}`");
    }
}
