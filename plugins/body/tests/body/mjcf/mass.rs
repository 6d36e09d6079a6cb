//! Masses of geoms, and what the compiler does with them.

use bunraku_body::MassProperties;
use nalgebra::Vector3;

use super::{clean, read};
use crate::common::link;

/// Mass properties of a body with these elements.
fn mass(compiler: &str, elements: &str) -> MassProperties {
    let body = clean(&format!("<compiler {compiler}/><worldbody><body name=\"A\">{elements}</body></worldbody>"));
    link(&body, "A").mass
}

#[track_caller]
fn assert_mass(found: &MassProperties, mass: f64, moments: [f64; 3]) {
    assert!((found.mass - mass).abs() < 1e-12 * mass, "{} kg instead of {mass}", found.mass);
    let off = found.inertia.diagonal() - Vector3::from(moments);
    assert!(off.amax() < 1e-9 * found.inertia.amax(), "{} instead of {moments:?}", found.inertia);
}

#[test]
fn geoms_weigh_their_volume_in_water_or_what_they_say() {
    // Figures of MuJoCo 3.17.
    assert_mass(&mass("", "<geom type=\"box\" size=\"0.1 0.2 0.3\"/>"), 48.0, [2.08, 1.6, 0.8]);
    let pi = std::f64::consts::PI;
    let ball = mass("", "<geom size=\"0.1\" density=\"500\"/>");
    assert_mass(&ball, 500.0 * 4.0 / 3.0 * pi * 1e-3, [0.4 * 500.0 * 4.0 / 3.0 * pi * 1e-5; 3]);
    assert_mass(
        &mass("", "<geom type=\"cylinder\" size=\"0.1 0.2\" mass=\"3\"/>"),
        3.0,
        [3.0 * (3.0 * 0.01 + 0.16) / 12.0, 3.0 * (3.0 * 0.01 + 0.16) / 12.0, 0.015],
    );
    let ellipsoid = mass("", "<geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\" mass=\"5\"/>");
    assert_mass(&ellipsoid, 5.0, [0.13, 0.1, 0.05]);
}

#[test]
fn a_capsule_between_two_points_lies_along_them() {
    let found = mass("", "<geom type=\"capsule\" fromto=\"0 0 0 1 0 0\" size=\"0.1\" mass=\"2\"/>");
    assert!((found.center_of_mass.coords - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-12);
    assert!(found.inertia.m11 < 0.02 && (found.inertia.m22 - found.inertia.m33).abs() < 1e-12, "{}", found.inertia);
}

#[test]
fn an_inertial_replaces_geoms_unless_the_compiler_says_otherwise() {
    let elements =
        "<inertial pos=\"0 0 1\" mass=\"7\" fullinertia=\"1 2 2.5 0.1 0 0\"/><geom type=\"box\" size=\"0.1 0.2 0.3\"/>";
    let own = mass("", elements);
    assert_eq!((own.mass, own.center_of_mass.z, own.inertia.m12), (7.0, 1.0, 0.1));
    assert!((mass("inertiafromgeom=\"true\"", elements).mass - 48.0).abs() < 1e-12);
    assert_eq!(mass("inertiafromgeom=\"false\"", "<geom type=\"box\" size=\"1 1 1\"/>").mass, 0.0);
    // Only geoms of some groups count.
    let groups = "<geom size=\"0.1\" mass=\"1\" group=\"1\"/><geom size=\"0.1\" mass=\"10\" group=\"3\"/>";
    assert_eq!(mass("inertiagrouprange=\"2 4\"", groups).mass, 10.0);
}

#[test]
fn the_compiler_bounds_balances_and_scales() {
    let light = "<inertial pos=\"0 0 0\" mass=\"0.1\" diaginertia=\"0.1 0.1 0.5\"/>";
    let bounded = mass("boundmass=\"2\" boundinertia=\"0.2\"", light);
    assert_mass(&bounded, 2.0, [0.2, 0.2, 0.5]);
    let balanced = mass("balanceinertia=\"true\"", light);
    assert_mass(&balanced, 0.1, [0.7 / 3.0; 3]);
    let scaled = mass("settotalmass=\"1\"", light);
    assert_mass(&scaled, 1.0, [1.0, 1.0, 5.0]);
}

#[test]
fn a_mesh_weighs_its_volume() {
    // A cube of 0.2 m with its corner at the origin, twice as high; and the same with a pit, whose faces enclose less than all pyramids on them.
    let cube = "vertex=\"0 0 0 0.2 0 0 0 0.2 0 0.2 0.2 0 0 0 0.2 0.2 0 0.2 0 0.2 0.2 0.2 0.2 0.2\" \
                face=\"0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5\"";
    let body = clean(&format!(
        "<asset><mesh name=\"m\" {cube} scale=\"1 1 2\"/></asset>\
         <worldbody><body name=\"A\"><geom type=\"mesh\" mesh=\"m\"/></body></worldbody>"
    ));
    let found = link(&body, "A").mass;
    assert!((found.mass - 16.0).abs() < 1e-5 && (found.center_of_mass.z - 0.2).abs() < 1e-7, "{found:?}");
    assert_eq!(link(&body, "A").visual.len(), 1);
    let (_, findings) = read(
        "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 7\"/></asset><worldbody><body name=\"A\"><geom type=\"mesh\" mesh=\"m\"/></body></worldbody>",
    );
    assert!(findings.iter().any(|finding| finding.code == "face-index"), "{findings:?}");
}
