//! Unknown, misplaced or invalid nodes and fields.

use crate::openhrp_messages::Mistake;

#[test]
fn misspelt_node_type() {
    Mistake::base("DEF HAND Segmnt { }").shows("misspelt_node_type");
}

#[test]
fn node_type_like_no_other() {
    Mistake::base("DEF HAND Hyperdrive { }").shows("node_type_like_no_other");
}

#[test]
fn misspelt_field() {
    Mistake::hand("mas 1").shows("misspelt_field");
}

#[test]
fn field_like_no_other() {
    Mistake::hand("children Shape { geometry DEF PALM Box { hyperdrive 7 } }").shows("field_like_no_other");
}

#[test]
fn misspelt_joint_type() {
    Mistake::elbow("jointType \"rotat\"").shows("misspelt_joint_type");
}

#[test]
fn joint_without_a_type() {
    Mistake::elbow("").shows("joint_without_a_type");
}

#[test]
fn zero_axis() {
    Mistake::elbow("jointType \"rotate\" jointAxis 0 0 0").shows("zero_axis");
}

#[test]
fn two_joints_of_one_name() {
    Mistake::base(
        "DEF ELBOW Joint { jointType \"rotate\" jointId 0 }\nDEF ELBOW Joint { jointType \"rotate\" jointId 0 }",
    )
    .shows("two_joints_of_one_name");
}

#[test]
fn joint_in_a_segment() {
    Mistake::hand("children DEF THUMB Joint { jointType \"rotate\" }").shows("joint_in_a_segment");
}

#[test]
fn shape_outside_a_segment() {
    Mistake::base("DEF PALM Shape { geometry Box { } }").shows("shape_outside_a_segment");
}

#[test]
fn joints_without_a_humanoid() {
    Mistake::model("DEF BASE Joint { jointType \"fixed\" }\n").shows("joints_without_a_humanoid");
}

#[test]
fn humanoid_without_joints() {
    Mistake::model("DEF ARM Humanoid { humanoidBody [ ] }\n").shows("humanoid_without_joints");
}

#[test]
fn two_humanoids() {
    let humanoid =
        |name: &str| format!("DEF {name} Humanoid {{ humanoidBody DEF BASE Joint {{ jointType \"fixed\" }} }}\n");
    Mistake::model(humanoid("LEFT") + &humanoid("RIGHT")).shows("two_humanoids");
}

#[test]
fn faces_of_points_that_are_not_there() {
    Mistake::hand("children DEF PALM Shape { geometry IndexedFaceSet {\n  coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 3 -1, 0 1 2 -1, 0 1 -1 ] } }")
        .shows("faces_of_points_that_are_not_there");
}

#[test]
fn shapes_of_no_size() {
    Mistake::hand("children [ DEF PALM Shape { geometry Sphere { radius 0 } }\n  DEF THUMB Shape { geometry IndexedFaceSet { } } DEF NAIL Shape { geometry Material { } } DEF TEXT Shape { geometry Text { } } ]")
        .shows("shapes_of_no_size");
}

#[test]
fn script() {
    Mistake::base("DEF GRASP Script { url \"javascript: function grasp() { }\" }").shows("script");
}
