//! Values of the wrong type, and numbers in unusual notations.

use crate::openhrp_messages::Mistake;

#[test]
fn text_for_a_number() {
    Mistake::hand("mass \"5\"").shows("text_for_a_number");
}

#[test]
fn word_for_a_text() {
    Mistake::elbow("jointType rotate").shows("word_for_a_text");
}

#[test]
fn vector_of_two_numbers() {
    Mistake::elbow("translation 0 1\njointType \"rotate\"").shows("vector_of_two_numbers");
}

#[test]
fn vector_of_four_numbers() {
    Mistake::elbow("translation 0 1 2 3\njointType \"rotate\"").shows("vector_of_four_numbers");
}

#[test]
fn number_for_a_node() {
    Mistake::hand("children 1").shows("number_for_a_node");
}

#[test]
fn node_for_a_number() {
    Mistake::hand("mass Group { }").shows("node_for_a_number");
}

#[test]
fn fraction_for_an_integer() {
    Mistake::elbow("jointType \"rotate\" jointId 1.5").shows("fraction_for_an_integer");
}

#[test]
fn octal_and_odd_integers() {
    Mistake::base(
        "DEF ELBOW Joint { jointType \"rotate\" jointId 010 }\nDEF WRIST Joint { jointType \"rotate\" jointId 08 }\nDEF HIP Joint { jointType \"rotate\" jointId 7.0 }",
    )
    .shows("octal_and_odd_integers");
}

#[test]
fn broken_hexadecimal_number() {
    Mistake::elbow("jointType \"rotate\" jointId 0xG1").shows("broken_hexadecimal_number");
}

#[test]
fn hexadecimal_number_that_is_too_large() {
    Mistake::elbow("jointType \"rotate\" jointId 0x1FFFFFFFF").shows("hexadecimal_number_that_is_too_large");
}

#[test]
fn hexadecimal_joint_id_beyond_reason() {
    Mistake::elbow("jointType \"rotate\" jointId 0x7FFFFFFF").shows("hexadecimal_joint_id_beyond_reason");
}

#[test]
fn infinite_and_undefined_numbers() {
    Mistake::hand("mass nan centerOfMass 0 inf 0 momentsOfInertia [ 1 0 0 0 1e999 0 0 0 1 ]")
        .shows("infinite_and_undefined_numbers");
}

#[test]
fn inertia_of_six_numbers() {
    Mistake::hand("mass 1 momentsOfInertia [ 1 1 1 0 0 0 ]").shows("inertia_of_six_numbers");
}

#[test]
fn rotation_about_nothing() {
    Mistake::elbow("jointType \"rotate\" rotation 0 0 0 1.5").shows("rotation_about_nothing");
}

#[test]
fn numbers_that_are_too_large_together() {
    Mistake::base(
        "Transform { translation 1e308 0 0 children Transform { translation 1e308 0 0 children DEF ELBOW Joint { jointType \"fixed\" } } }\nDEF WRIST Joint { jointType \"fixed\" children [ DEF HAND Segment { mass 1e308 } DEF THUMB Segment { mass 1e308 } ] }",
    )
    .shows("numbers_that_are_too_large_together");
}

#[test]
fn shapes_beyond_all_numbers() {
    Mistake::hand(
        "children [ DEF PALM Shape { geometry Cylinder { height 1e308 } }\nDEF THUMB Transform { scale 1e200 1 1 children Transform { scale 1e200 1 1 children Shape { geometry Box { } } } } ]",
    )
    .shows("shapes_beyond_all_numbers");
}
