//! External forces over time.

use bunraku_body::LinkIndex;
use bunraku_control::{ForceProfile, ForceProfiles};
use bunraku_motion::Sequence;
use bunraku_physics::{ExternalForces, ForceFrame};
use nalgebra::{Point3, Vector3};

use crate::common::Stage;

fn profile(force: [f64; 2], start: f64, end: f64) -> ForceProfile {
    let force = force.map(|along| Vector3::new(along, 0.0, 0.0)).to_vec();
    ForceProfile {
        link: LinkIndex(1),
        point: Some(Point3::new(0.0, 0.0, 0.3)),
        frame: ForceFrame::World,
        force: Some(Sequence::new(10.0, 1, force).unwrap()),
        torque: None,
        start,
        end,
    }
}

#[test]
fn forces_act_from_their_start_until_before_their_end() {
    let mut stage = Stage::new(ForceProfiles(vec![profile([4.0, 8.0], 0.1, 0.3), profile([1.0, 1.0], 0.0, 0.2)]));
    let mut acting = || {
        stage.step();
        let forces = &stage.app.world().get::<ExternalForces>(stage.body).unwrap().forces;
        forces.iter().map(|force| force.force.x).collect::<Vec<_>>()
    };
    // In the steps that begin at 0, 0.1, 0.2 and 0.3 s.
    assert_eq!(acting(), [1.0]);
    assert_eq!(acting(), [8.0, 1.0]);
    assert_eq!(acting(), [8.0]);
    assert_eq!(acting(), [0.0; 0]);
}

#[test]
fn link_point_and_axes_are_those_of_the_profile() {
    let mut stage = Stage::new(ForceProfiles(vec![profile([4.0, 8.0], 0.0, 1.0)]));
    stage.step();
    let force = &stage.app.world().get::<ExternalForces>(stage.body).unwrap().forces[0];
    assert_eq!((force.link, force.point), (LinkIndex(1), Some(Point3::new(0.0, 0.0, 0.3))));
    assert!(force.frame == ForceFrame::World && force.torque == Vector3::zeros());
}
