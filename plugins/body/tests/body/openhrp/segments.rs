//! `Segment` and `Surface` nodes.

use std::f64::consts::FRAC_PI_2;

use bunraku_body::MassProperties;
use bunraku_mesh::BoundingBox;
use bunraku_test_support::{assert_all_close, assert_close};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use super::{assert_finding, base, clean_base, load, one_finding};
use crate::common::link;

/// Mass properties of a link with these segments, read without findings.
#[track_caller]
fn mass(segments: &str) -> MassProperties {
    clean_base(&format!("children [ {segments} ]")).root().mass
}

#[test]
fn mass_centre_and_inertia_are_those_of_the_segment() {
    let mass =
        mass("DEF S Segment { mass 3 centerOfMass 0.1 0.2 0.3 momentsOfInertia [ 1 2 3 4 5 6 7 8 9 ] name \"x\" }");
    assert_close(mass.mass, 3.0);
    assert_all_close(&mass.center_of_mass.coords, [0.1, 0.2, 0.3]);
    // Row by row, about the centre of mass.
    assert_all_close(&mass.inertia, Matrix3::new(1., 2., 3., 4., 5., 6., 7., 8., 9.).iter().copied());
}

#[test]
fn a_link_without_segments_has_no_mass() {
    assert_eq!(mass(""), MassProperties::ZERO);
}

#[test]
fn a_segment_without_mass_keeps_its_inertia() {
    assert_eq!(
        mass("Segment { momentsOfInertia [ 1 0 0 0 2 0 0 0 3 ] }").inertia,
        Matrix3::from_diagonal(&Vector3::new(1., 2., 3.))
    );
}

#[test]
fn several_segments_are_one_rigid_body() {
    // Two point masses 2 m apart give m·1² each about the perpendicular axes.
    let point = |x: f64| format!("Segment {{ mass 2 centerOfMass {x} 0 0 }} ");
    let mass = mass(&(point(0.0) + &point(2.0)));
    assert_close(mass.mass, 4.0);
    assert_all_close(&mass.center_of_mass.coords, [1.0, 0.0, 0.0]);
    assert_all_close(&mass.inertia, Matrix3::from_diagonal(&Vector3::new(0.0, 4.0, 4.0)).iter().copied());
}

#[test]
fn a_transform_moves_and_turns_a_segment() {
    // The manual's example: a second segment in a `Transform`.
    let mass = mass(
        "DEF SEGMENT1 Segment { } Transform { translation 0 0 0.5 rotation 1 0 0 1.5707963267948966
          children DEF SEGMENT2 Segment { mass 1 centerOfMass 0 1 0 momentsOfInertia [ 1 0 0 0 2 0 0 0 3 ] } }",
    );
    let turn = Rotation3::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    assert_all_close(&mass.center_of_mass.coords, [0.0, 0.0, 1.5]);
    let expected = turn * Matrix3::from_diagonal(&Vector3::new(1., 2., 3.)) * turn.transpose();
    assert_all_close(&mass.inertia, expected.iter().copied());
}

#[test]
fn fewer_than_nine_moments_are_an_error_and_more_a_warning() {
    let text = |numbers: &str| base(&format!("children DEF S Segment {{ mass 1\nmomentsOfInertia [ {numbers} ] }}"));
    let (body, finding) = one_finding(&text("1 0 0 1 0 1"));
    assert!(body.is_none());
    assert_finding(&finding, "error[wrong-length]: ROBOT > BASE > S: ", (3, 1));
    let (body, finding) = one_finding(&text("1 0 0 0 1 0 0 0 1 5"));
    assert!(body.is_some());
    assert_finding(&finding, "warning[wrong-length]: ROBOT > BASE > S: ", (3, 1));
}

#[test]
fn a_negative_mass_is_an_error() {
    let (body, finding) = one_finding(&base("children DEF S Segment {\nmass -1 }"));
    assert!(body.is_none());
    assert_finding(&finding, "error[negative-mass]: ROBOT > BASE > S: ", (3, 1));
}

const BOX: &str = "Shape { geometry Box { size 2 4 6 } }";

fn bounds(shapes: &[bunraku_body::Shape]) -> BoundingBox {
    shapes.iter().filter_map(bunraku_body::Shape::bounding_box).reduce(BoundingBox::union).unwrap()
}

#[test]
fn the_children_of_a_segment_are_visual_and_collision_shapes() {
    let body = clean_base(&format!(
        "children Transform {{ translation 10 0 0 children Segment {{ children [ Transform {{ translation 0 0 3 children {BOX} }} ] }} }}"
    ));
    let link = body.root();
    assert_eq!((link.visual.len(), link.collision.len()), (1, 1));
    let bounds = bounds(&link.visual);
    assert_all_close(&bounds.min.coords, [9.0, -2.0, 0.0]);
    assert_all_close(&bounds.max.coords, [11.0, 2.0, 6.0]);
}

#[test]
fn shapes_belong_to_the_joint_they_are_attached_to() {
    let body = clean_base(&format!(
        "children [ DEF 肩から肘 Segment {{ children {BOX} }} DEF 肘 Joint {{ jointType \"rotate\" translation 0 0 1 children Segment {{ children [ {BOX} {BOX} ] }} }} ]"
    ));
    assert_eq!((body.root().visual.len(), link(&body, "肘").visual.len()), (1, 2));
    assert_all_close(&bounds(&link(&body, "肘").visual).min.coords, [-1.0, -2.0, -3.0]);
}

#[test]
fn a_shape_outside_a_segment_is_left_out_with_a_warning() {
    let (body, finding) = one_finding(&base("children DEF B\nShape { geometry Box { } }"));
    assert_finding(&finding, "warning[misplaced-node]: ROBOT > BASE > B: ", (3, 1));
    assert!(body.unwrap().root().visual.is_empty());
}

#[test]
fn a_surface_determines_visual_and_collision_shapes() {
    let body = clean_base(&format!(
        "children [ Segment {{ children {BOX} }} Transform {{ translation 0 0 5 children Segment {{ children [
           Surface {{ visual [ {BOX} {BOX} ] collision [ Shape {{ geometry Sphere {{ radius 1 }} }} ] }}
         ] }} }} ]"
    ));
    let link = body.root();
    // The whole link has no other collision shapes.
    assert_eq!((link.visual.len(), link.collision.len()), (3, 1));
    assert_all_close(&link.collision[0].transform.transform_point(&Point3::origin()).coords, [0.0, 0.0, 5.0]);
}

#[test]
fn a_surface_without_collision_has_no_collision_shapes() {
    let body = clean_base(&format!("children Segment {{ children Surface {{ visual {BOX} }} }}"));
    assert_eq!((body.root().visual.len(), body.root().collision.len()), (1, 0));
}

#[test]
fn nodes_of_the_model_in_wrong_places_are_errors() {
    for (inner, path) in [
        ("DEF S Segment { children\nDEF J Joint { jointType \"fixed\" } }", "ROBOT > BASE > S > J"),
        ("DEF S Segment { children\nDEF T Segment { } }", "ROBOT > BASE > S > T"),
        (
            "DEF S Segment { children Surface { visual\nDEF J Joint { jointType \"fixed\" } } }",
            "ROBOT > BASE > S > Surface > J",
        ),
        ("Group { children [\nDEF F Surface { } ] }", "ROBOT > BASE > F"),
        ("[\nDEF E ExtraJoint { } ]", "ROBOT > BASE > E"),
    ] {
        let (body, findings) = load(&base(&format!("children {inner}")));
        assert!(body.is_none());
        assert_finding(&findings[0], &format!("error[misplaced-node]: {path}: "), (3, 7));
    }
}
