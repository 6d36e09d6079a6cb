//! Extensions of Gazebo.

use nalgebra::Vector3;

use super::{clean, heavy, read};

const BALL: &str = "<link name=\"A\"><visual><geometry><sphere radius=\"1\"/></geometry></visual></link>";

#[test]
fn colours_of_gazebo_count_where_there_is_no_material() {
    let body = clean(&format!("{BALL}<gazebo reference=\"A\"><material>Gazebo/Orange</material></gazebo>"));
    assert_eq!(body.root().visual[0].appearance.diffuse, Vector3::new(1.0, 0.509, 0.0));
}

#[test]
fn friction_and_sensors_are_noted() {
    let (body, findings) = read(&format!(
        "{}<gazebo reference=\"A\"><mu1>0.8</mu1><mu2>0.8</mu2><sensor name=\"eye\" type=\"camera\"/></gazebo>",
        heavy("A")
    ));
    assert!(body.is_some());
    let codes: Vec<_> = findings.iter().map(|finding| (finding.severity.as_str(), finding.code)).collect();
    assert_eq!(codes, [("note", "sensor"), ("note", "friction")]);
    assert!(findings[1].message.contains("0.8"), "{}", findings[1]);
}
