//! SR1 as a URDF file compared with SR1 as a `.body`.

use bunraku_body::dynamics::Configuration;
use bunraku_body::{Body, JointIndex, LoadOptions};
use bunraku_document::{Reporter, SearchRoots};

use crate::common::list;

#[test]
fn sr1_has_the_joints_and_the_mass_matrix_of_its_other_model() {
    let Some(corpus) = bunraku_test_support::corpus() else { return };
    let options = LoadOptions { roots: SearchRoots::new(Some(corpus.join("share"))), ..LoadOptions::default() };
    let load = |name: &str| -> Body {
        let reporter = Reporter::new();
        let body = bunraku_body::load(&corpus.join("share/model/SR1").join(name), &options, &reporter);
        body.unwrap_or_else(|| panic!("{}", list(&reporter.into_diagnostics())))
    };
    let (urdf, other) = (load("SR1.urdf"), load("SR1.body"));
    assert_eq!(urdf.num_joints(), 29);
    // The same entries in joint vectors, so that motions can be exchanged.
    for joint in (0..29).map(JointIndex) {
        assert_eq!(urdf.joint_name(joint), other.joint_name(joint));
        assert_eq!(urdf.joint(joint).unwrap().axis, other.joint(joint).unwrap().axis);
    }
    let displacements: Vec<f64> = (0..29).map(|joint| 0.5 * (f64::from(joint) * 1.3).sin()).collect();
    let matrix = |body: &Body| Configuration::new(body, &body.root().offset, &displacements).mass_matrix();
    let (urdf, other) = (matrix(&urdf), matrix(&other));
    let difference = (&urdf - &other).abs().max();
    assert!(difference < 1e-9 * other.abs().max(), "{difference}");
}
