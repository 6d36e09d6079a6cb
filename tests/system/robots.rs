//! Bodies of an app: spawned by components, read and commanded by names, with messages of contacts.

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use bunraku::physics::{ContactBegan, ContactEnded, ReportContacts};
use bunraku::prelude::*;
use nalgebra::Vector3;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, SandboxPlugins));
    app
}

fn model(name: &str) -> BodyModel {
    BodyModel::open(format!("{}/assets/models/{name}.body", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn a_model_and_a_transform_are_a_body() {
    let mut app = app();
    let place = Transform::from_xyz(1.0, 2.0, 10.0).with_rotation(Quat::from_rotation_z(0.5));
    let rover = app.world_mut().spawn((model("rover"), place)).id();
    let links: Vec<Entity> = app.world().get::<BodyLinks>(rover).unwrap().iter().collect();
    let names: Vec<&str> = links.iter().map(|&link| app.world().get::<Name>(link).unwrap().as_str()).collect();
    assert_eq!(names, model("rover").0.links().iter().map(|link| link.name.as_str()).collect::<Vec<_>>());
    assert_eq!(app.world().get::<Name>(rover).unwrap().as_str(), "Rover");
    assert_eq!(app.world().get::<Drive>(rover), Some(&Drive::Physics));
    assert_eq!(app.world().get::<Transform>(links[0]).unwrap().translation, place.translation);

    app.run_steps(500);
    app.insert_resource(Pace::Paused).update();
    let fallen = app.world().get::<Transform>(rover).unwrap();
    let expected = 10.0 - 0.5 * 9.80665 * 0.25;
    assert!((fallen.translation - Vec3::new(1.0, 2.0, expected)).length() < 0.01, "{fallen:?}");
    assert!(fallen.rotation.angle_between(place.rotation) < 1e-5);
    assert_eq!(fallen.translation, app.world().get::<Transform>(links[0]).unwrap().translation);
}

#[test]
fn a_state_takes_precedence_over_the_transform() {
    let mut app = app();
    let model = model("pendulum");
    let state = BodyState::at_rest(&model.0, &model.0.root().offset, vec![0.25, 0.5]);
    let place = Transform::from_xyz(5.0, 0.0, 0.0);
    let body = app.world_mut().spawn((model.clone(), state.clone(), place, Drive::Static)).id();
    assert_eq!(app.world().get::<BodyState>(body), Some(&state));
    assert_eq!(app.world().get::<JointTargets>(body).unwrap().displacements, [0.25, 0.5]);
    assert_eq!(app.world().get::<Drive>(body), Some(&Drive::Static));
    app.run_steps(1);
    app.insert_resource(Pace::Paused).update();
    let root = model.0.root().offset.to_bevy();
    assert_eq!(app.world().get::<Transform>(body).unwrap().translation, root.translation);
}

#[test]
fn an_observer_sees_a_complete_body() {
    #[derive(Resource)]
    struct Seen(usize);
    let mut app = app();
    app.insert_resource(Seen(0)).add_observer(
        |spawned: On<BodySpawned>, bodies: Query<(&BodyState, &BodyLinks, &JointEfforts)>, mut seen: ResMut<Seen>| {
            let (state, links, efforts) = bodies.get(spawned.entity).unwrap();
            assert_eq!(state.link_poses.len(), links.iter().count());
            assert_eq!(efforts.0.len(), state.displacements.len());
            seen.0 += 1;
        },
    );
    app.world_mut().spawn(model("arm"));
    assert_eq!(app.world().resource::<Seen>().0, 1);
}

#[test]
fn joints_are_read_and_commanded_by_name() {
    fn follow(mut robots: Query<Robot>) -> Result {
        for mut robot in &mut robots {
            let (shoulder, elbow) = (robot.joint("SHOULDER")?, robot.joint("ELBOW")?);
            robot.set_actuation(shoulder, Actuation::Displacement { stiffness: 1e4, damping: 100.0 });
            robot.set_target(shoulder, 0.3);
            robot.set_actuation(elbow, Actuation::Effort);
            let effort = -20.0 * robot.displacement(elbow) - 2.0 * robot.velocity(elbow);
            robot.set_effort(elbow, effort);
        }
        Ok(())
    }
    let mut app = app();
    app.add_systems(SimulationStep, follow.in_set(SimulationSystems::Control));
    let pendulum = app.world_mut().spawn(model("pendulum")).id();
    app.run_steps(4000);
    let mut robots = app.world_mut().query::<RobotReadOnly>();
    let robot = robots.get(app.world(), pendulum).unwrap();
    let shoulder = robot.joint("SHOULDER").unwrap();
    assert!((robot.displacement(shoulder) - 0.3).abs() < 0.01, "{}", robot.displacement(shoulder));
    let tip = robot.link_pose(robot.link("LOWER").unwrap());
    assert!(tip.translation.vector.z < robot.link_pose(LinkIndex::ROOT).translation.vector.z);
    let error = robot.joint("ELBO").unwrap_err().to_string();
    assert_eq!(error, "`Pendulum` has no joint `ELBO`; did you mean `ELBOW`?");
    let error = robot.joint("wrist").unwrap_err().to_string();
    assert_eq!(error, "`Pendulum` has no joint `wrist`; it has `SHOULDER`, `ELBOW`");
}

#[test]
fn contacts_begin_and_end_with_messages() {
    let mut app = app();
    let floor = app.world_mut().spawn((model("floor"), Drive::Static)).id();
    let silent = app.world_mut().spawn((model("box"), Transform::from_xyz(2.0, 0.0, 0.06))).id();
    let falling = (model("box"), ReportContacts, Transform::from_xyz(0.0, 0.0, 0.1));
    let falling = app.world_mut().spawn(falling).id();
    let (mut began, mut ended) = (MessageCursor::<ContactBegan>::default(), MessageCursor::<ContactEnded>::default());
    let mut read = |app: &App| {
        let began: Vec<_> = began.read(app.world().resource()).map(|message| message.links).collect();
        let ended: Vec<_> = ended.read(app.world().resource()).map(|message| message.links).collect();
        (began, ended)
    };
    app.run_steps(50);
    assert_eq!(read(&app), (vec![], vec![]), "it falls");
    app.run_steps(450);
    let mut pair = [(floor, LinkIndex::ROOT), (falling, LinkIndex::ROOT)];
    pair.sort_by_key(|(body, _)| body.to_bits());
    assert_eq!(read(&app), (vec![pair], vec![]), "it lies on the floor; {silent} does not report");
    let lifted = model("box").0.root().offset * nalgebra::Translation3::from(Vector3::z());
    let teleport = Teleport::to_root(&model("box").0, &lifted);
    app.world_mut().entity_mut(falling).insert(teleport);
    app.run_steps(2);
    assert_eq!(read(&app), (vec![], vec![pair]), "it is in the air");
}
