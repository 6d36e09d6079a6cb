//! Messages about hostile files.

use crate::openhrp_messages::Mistake;

#[test]
fn hundred_thousand_groups() {
    Mistake::base("DEF G Group { children [ ".repeat(100_000)).shows("hundred_thousand_groups");
}

#[test]
fn hundred_thousand_brackets() {
    Mistake::hand(&format!("weight {}", "[".repeat(100_000))).shows("hundred_thousand_brackets");
}

#[test]
fn groups_doubled_by_use() {
    let mut text = "DEF G0 Group { }\n".to_owned();
    for level in 1..60 {
        text += &format!("DEF G{level} Group {{ children [ USE G{0} USE G{0} ] }}\n", level - 1);
    }
    Mistake::model(text).shows("groups_doubled_by_use");
}

#[test]
fn joints_doubled_by_use() {
    let mut joints = "DEF J0 Joint { jointType \"fixed\" }\n".to_owned();
    for level in 1..60 {
        joints += &format!("DEF J{level} Joint {{ jointType \"fixed\" children [ USE J{0} USE J{0} ] }}\n", level - 1);
    }
    Mistake::model(joints + "DEF ARM Humanoid { humanoidBody USE J59 }\n").shows_last("joints_doubled_by_use");
}

#[test]
fn prototypes_doubled_by_prototypes() {
    let mut text = "PROTO P0 [ field SFString s \"\" ] { WorldInfo { title IS s } }\n".to_owned();
    for level in 1..60 {
        let below = format!("P{} {{ s IS s }} ", level - 1).repeat(2);
        text += &format!("PROTO P{level} [ field SFString s \"\" ] {{ Group {{ children [ {below}] }} }}\n");
    }
    Mistake::model(text + "DEF BOMB P59 { }\n").shows("prototypes_doubled_by_prototypes");
}

#[test]
fn picture_larger_than_the_file() {
    Mistake::hand("children Shape { geometry Box { } appearance Appearance {\n  texture DEF SKIN PixelTexture { image 1000000 1000000 4 0 } } }")
        .shows("picture_larger_than_the_file");
}

#[test]
fn name_as_long_as_the_file() {
    Mistake::base(format!("DEF {} Joint {{ jointType \"rotat\" }}", "A".repeat(1 << 20)))
        .shows("name_as_long_as_the_file");
}

#[test]
fn thousands_of_mistakes() {
    Mistake::hand(&"mas 1 ".repeat(5000)).shows_last("thousands_of_mistakes");
}
