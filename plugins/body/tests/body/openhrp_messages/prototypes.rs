//! Mistakes in `PROTO`, `IS`, `DEF` and `USE`.

use crate::openhrp_messages::Mistake;

#[test]
fn interface_open_at_the_end() {
    Mistake::model("PROTO Arm [ field SFInt32 number 0\n").shows("interface_open_at_the_end");
}

#[test]
fn body_open_at_the_end() {
    Mistake::model("PROTO Arm [ ] {\n  Group { children [ ] }\n").shows("body_open_at_the_end");
}

#[test]
fn prototype_that_contains_itself() {
    Mistake::model("PROTO Arm [ ] { Group { children [\n  Arm { } ] } }\nDEF LEFT Arm { }\n")
        .shows("prototype_that_contains_itself");
}

#[test]
fn prototypes_that_contain_each_other() {
    Mistake::model(
        "PROTO Arm [ ] { Group { children DEF WRIST Hand { } } }\nPROTO Hand [ ] { Group { children DEF ELBOW Arm { } } }\nDEF LEFT Arm { }\n",
    )
    .shows("prototypes_that_contain_each_other");
}

#[test]
fn field_type_like_no_other() {
    Mistake::model("PROTO Arm [ field SFVector3 size 1 1 1 ] { }\n").shows("field_type_like_no_other");
}

#[test]
fn prototype_declared_twice() {
    Mistake::base("").shows_behind("PROTO Joint [ ] { }\n", "prototype_declared_twice");
}

#[test]
fn is_of_an_unknown_field() {
    Mistake::model(
        "PROTO Arm [ field SFVec3f size 1 1 1 ] { Shape { geometry Box { size IS sise } } }\nDEF LEFT Arm { }\n",
    )
    .shows("is_of_an_unknown_field");
}

#[test]
fn is_of_another_type() {
    Mistake::model(
        "PROTO Arm [ field SFFloat size 1 ] { Shape { geometry Box { size IS size } } }\nDEF LEFT Arm { }\n",
    )
    .shows("is_of_another_type");
}

#[test]
fn is_outside_a_prototype() {
    Mistake::elbow("translation IS translation").shows("is_outside_a_prototype");
}

#[test]
fn prototype_in_another_file() {
    Mistake::base("DEF CAMERA Eye { }").shows_behind("EXTERNPROTO Eye [ ] \"eye.wrl\"\n", "prototype_in_another_file");
}

#[test]
fn declaration_without_a_field() {
    Mistake::file(
        "PROTO Humanoid [ field MFNode humanoidBody [ ] ] { }\nPROTO Joint [ field MFNode children [ ] field SFString jointType \"\" ] { }\nDEF ARM Humanoid { humanoidBody DEF BASE Joint { jointType \"fixed\" } }\n",
    )
    .shows("declaration_without_a_field");
}

#[test]
fn declaration_of_another_type() {
    Mistake::file(
        "PROTO Humanoid [ field MFNode humanoidBody [ ] ] { }\nPROTO Segment [ field SFString mass \"\" field SFVec3f centerOfMass 0 0 0 field MFFloat momentsOfInertia [ 0 0 0 0 0 0 0 0 0 ] field MFNode children [ ] ] { }\nPROTO Joint [ field MFNode children [ ] field SFString jointType \"\" field SFInt32 jointId 0 field SFVec3f jointAxis 0 0 1 field SFVec3f translation 0 0 0 field SFRotation rotation 0 0 1 0 ] { }\nDEF ARM Humanoid { humanoidBody DEF BASE Joint { jointType \"fixed\" children Segment { mass \"1\" } } }\n",
    )
    .shows("declaration_of_another_type");
}

#[test]
fn use_before_def() {
    Mistake::base("DEF HAND Segment { children USE PALM }\nDEF PALM Shape { geometry Box { } }")
        .shows("use_before_def");
}

#[test]
fn use_of_a_misspelt_name() {
    Mistake::base("DEF HAND Segment { children DEF PALM Shape { geometry Box { } } }\nUSE HANT")
        .shows("use_of_a_misspelt_name");
}

#[test]
fn use_of_a_node_inside_itself() {
    Mistake::base("DEF HAND Segment { children DEF PALM Group {\nchildren USE PALM } }")
        .shows("use_of_a_node_inside_itself");
}

#[test]
fn name_of_two_nodes() {
    Mistake::base("DEF HAND Segment { children [ DEF PALM Group { } DEF PALM Group { }\nUSE PALM ] }")
        .shows("name_of_two_nodes");
}

#[test]
fn def_without_a_type() {
    Mistake::base("DEF Segment { mass 1 }").shows("def_without_a_type");
}
