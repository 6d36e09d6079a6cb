//! Errors in the YAML text.

use crate::messages::Mistake;

const HEAD: &str = "format: ChoreonoidBody\nformat_version: 2.0\nname: Arm\n";

#[test]
fn empty_file() {
    Mistake::model("").shows("empty_file");
}

#[test]
fn tab_indentation() {
    Mistake::links("  - name: BASE\n\tmass: 1\n").shows("tab_indentation");
}

#[test]
fn tab_at_the_start_of_a_line() {
    Mistake::model(format!("{HEAD}links:\n\t- name: BASE\n")).shows("tab_at_the_start_of_a_line");
}

#[test]
fn unclosed_list() {
    Mistake::links("  - name: BASE\n    translation: [ 0, 0, 1\n    mass: 2\n").shows("unclosed_list");
}

#[test]
fn list_open_at_the_end() {
    Mistake::links("  - name: BASE\n    translation: [ 0,\n").shows("list_open_at_the_end");
}

#[test]
fn unclosed_quote() {
    Mistake::links("  - name: \"BASE\n    mass: 2\n").shows("unclosed_quote");
}

#[test]
fn wrong_indentation() {
    Mistake::links("  - name: BASE\n     mass: 2\n    translation: [ 0, 0, 1 ]\n").shows("wrong_indentation");
}

#[test]
fn missing_space_after_the_colon() {
    Mistake::links("  - name: BASE\n    mass:2\n").shows("missing_space_after_the_colon");
}

#[test]
fn list_as_key() {
    Mistake::links("  - name: BASE\n    [ mass, density ]: 2\n").shows("list_as_key");
}

#[test]
fn duplicate_key() {
    Mistake::links("  - name: BASE\n    mass: 1\n    translation: [ 0, 0, 1 ]\n    mass: 2\n").shows("duplicate_key");
}

#[test]
fn both_spellings_of_a_key() {
    Mistake::links("  - name: BASE\n    joint_id: 0\n    jointId: 1\n").shows("both_spellings_of_a_key");
}

#[test]
fn undefined_alias() {
    Mistake::links("  - name: BASE\n    elements:\n      - &Hull { type: Group }\n      - *Hul\n")
        .shows("undefined_alias");
}

#[test]
fn undefined_alias_like_no_other() {
    Mistake::links("  - name: BASE\n    elements: [ *Wheel ]\n").shows("undefined_alias_like_no_other");
}

#[test]
fn duplicate_anchor() {
    Mistake::links("  - name: BASE\n    elements:\n      - &Hull { type: Group }\n      - &Hull { type: Group }\n")
        .shows("duplicate_anchor");
}

#[test]
fn merge_of_a_number() {
    Mistake::links("  - <<: 5\n    name: BASE\n").shows("merge_of_a_number");
}

#[test]
fn random_bytes() {
    Mistake::model(bunraku_test_support::Random::new(1).bytes(4096)).shows("random_bytes");
}

#[test]
fn shift_jis_comment() {
    // 腕のモデル
    let comment = b"\x98\x72\x82\xcc\x83\x82\x83\x66\x83\x8b";
    let model = [HEAD.as_bytes(), b"# ", comment, b"\nlinks:\n  - name: BASE\n"].concat();
    Mistake::model(model).shows("shift_jis_comment");
}

#[test]
fn euc_jp_comment() {
    // 腕のモデル
    let comment = b"\xcf\xd3\xa4\xce\xa5\xe2\xa5\xc7\xa5\xeb";
    let model = [HEAD.as_bytes(), b"# ", comment, b"\nlinks:\n  - name: BASE\n"].concat();
    Mistake::model(model).shows("euc_jp_comment");
}

#[test]
fn not_a_model() {
    Mistake::model("format: ChoreonoidScene\nformat_version: 2.0\nlinks:\n  - name: BASE\n").shows("not_a_model");
}

#[test]
fn no_format() {
    Mistake::model("links:\n  - name: BASE\n").shows("no_format");
}

#[test]
fn a_list_instead_of_a_model() {
    Mistake::model("- name: BASE\n- name: ARM\n").shows("a_list_instead_of_a_model");
}

#[test]
fn format_version_of_the_future() {
    Mistake::model("format: ChoreonoidBody\nformat_version: 3.0\nlinks:\n  - name: BASE\n")
        .shows("format_version_of_the_future");
}

#[test]
fn radian_in_format_2() {
    Mistake::model("format: ChoreonoidBody\nformat_version: 2.0\nangle_unit: radian\nlinks:\n  - name: BASE\n")
        .shows("radian_in_format_2");
}

#[test]
fn misspelt_angle_unit() {
    Mistake::model("format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: degrees\nlinks:\n  - name: BASE\n")
        .shows("misspelt_angle_unit");
}

#[test]
fn no_links() {
    Mistake::model(format!("{HEAD}links: []\n")).shows("no_links");
}
