//! Mutated files: no panic, and each rejection has a place.

use bunraku_body::LoadOptions;
use bunraku_document::Severity;
use bunraku_test_support::Random;

use super::read_text;
use crate::mutation::mutate;

/// A model with every part that is read.
const WHOLE: &str = "<mujoco model=\"all\"><compiler angle=\"radian\" eulerseq=\"xyz\" boundmass=\"0.01\" settotalmass=\"4\"/>\
<option timestep=\"0.002\" gravity=\"0 0 -9.8\"><flag contact=\"enable\"/></option>\
<default><geom contype=\"1\" friction=\"1 0.1 0.1\"/><default class=\"leg\"><joint armature=\"0.1\" range=\"-1 1\"/></default></default>\
<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\" scale=\"0.1 0.1 0.1\"/>\
<material name=\"red\" rgba=\"1 0 0 1\"/></asset>\
<worldbody><light pos=\"0 0 3\" dir=\"0 0 -1\"/><geom type=\"plane\" size=\"1 1 1\"/><body name=\"A\" pos=\"0 0 1\" childclass=\"leg\">\
<freejoint name=\"root\"/><geom type=\"box\" size=\"0.1 0.2 0.3\" material=\"red\"/><site name=\"s\" euler=\"0 1 0\"/>\
<camera name=\"c\" fovy=\"60\" mode=\"fixed\" xyaxes=\"1 0 0 0 1 0\"/><body name=\"B\" pos=\"1 0 0\"><joint name=\"j\" axis=\"0 1 0\" ref=\"0.5\"/>\
<joint name=\"k\" type=\"slide\"/><replicate count=\"3\" offset=\"0 0 0.1\" euler=\"0 1 0\" sep=\"_\"><site name=\"r\"/></replicate><geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\"0.1\"/><frame quat=\"1 0 0 1\"><body name=\"C\">\
<joint name=\"b\" type=\"ball\"/><inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 0 0 0\"/><geom type=\"mesh\" mesh=\"m\"/></body></frame>\
</body></body></worldbody><contact><exclude body1=\"A\" body2=\"C\"/></contact>\
<tendon><fixed name=\"t\"><joint joint=\"j\" coef=\"2\"/></fixed></tendon><equality><joint joint1=\"k\" joint2=\"j\" polycoef=\"0 1 2\"/><connect body1=\"A\" body2=\"C\" anchor=\"0 0 0\"/></equality>\
<actuator><position tendon=\"t\" kp=\"3\" dampratio=\"1\"/><position joint=\"j\" kp=\"10\" forcerange=\"-1 1\"/><general joint=\"k\" gainprm=\"2\" biastype=\"affine\" biasprm=\"0 -2 -1\"/></actuator>\
<sensor><gyro site=\"s\"/><rangefinder site=\"s\" cutoff=\"3\"/></sensor>\
<keyframe><key name=\"home\" qpos=\"0 0 1 1 0 0 0 0.1 0.2 1 0 0 0\"/></keyframe></mujoco>";

#[test]
fn the_whole_is_read() {
    let (body, findings) = read_text(WHOLE, &LoadOptions::default());
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{findings:?}");
    let body = body.unwrap();
    assert_eq!((body.num_joints(), body.extra_joints.len(), body.joint_couplings().len()), (5, 1, 1));
    assert!((body.mass() - 4.0).abs() < 1e-12);
    assert_eq!(body.standard_pose.as_ref().map(Vec::len), Some(5));
}

/// Words that mean something in some place.
const WORDS: &[&str] = &[
    "",
    "-1",
    "0",
    "1e308",
    "nan",
    "1e-320",
    "99999999999999999999",
    "true",
    "auto",
    "free",
    "ball",
    "mesh",
    "A",
    "world",
    "0 0 0",
    "1 0 0 0",
    "leg",
    "main",
    "\u{fffd}é",
    "0 0 0 0 0 0 0",
];

#[test]
fn five_thousand_mutated_files_do_not_panic() {
    let mut random = Random::new(41);
    let mut below = |count: usize| usize::try_from(random.bits() % (count.max(1) as u64)).unwrap();
    let mut rejected = 0;
    for _ in 0..5000 {
        let mut text = WHOLE.to_owned();
        mutate(&mut text, WORDS, &mut below);
        let (body, findings) = read_text(&text, &LoadOptions { check_plausibility: true, ..LoadOptions::default() });
        if body.is_none() {
            rejected += 1;
            let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
            assert!(errors.iter().any(|error| error.position().is_some()), "no place: {errors:?}\n{text}");
        }
    }
    println!("{rejected} of 5000 rejected");
    assert!(rejected > 500);
}
