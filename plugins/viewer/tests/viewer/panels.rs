//! Panels without a window: clicks and keys give requests.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use bevy::prelude::Entity;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Key, Modifiers, Pos2, Rect, Ui, Vec2};
use bunraku_body::{Actuation, Body, BodyState, Drive, JointIndex, LinkIndex, LoadOptions};
use bunraku_document::{Reporter, Severity, SourceFile};
use bunraku_scene::HandAct;
use bunraku_viewer::camera::Orbit;
use bunraku_viewer::curves::{Channel, CurveLog, Quantity};
use bunraku_viewer::panels::{Desk, Handles, KEYS, Panel, Surroundings, show};
use bunraku_viewer::view::{
    Doing, FileUse, GalleryScene, Mark, Primitive, Problem, Request, Selection, Shown, ShownBody, ShownThrough, Side,
    Speed,
};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nalgebra::Isometry3;

/// The state of a window without its app.
pub struct Bench {
    pub shown: Shown,
    pub desk: Desk,
    orbit: Orbit,
    curves: CurveLog,
    view: Rect,
    labels: Vec<(Pos2, String)>,
    handles: Option<Handles>,
    pub requests: Vec<Request>,
}

impl Bench {
    pub fn new(bodies: Vec<ShownBody>) -> Self {
        let shown = Shown { time_step: 0.001, step: 500, last_step: 2000, time: 0.5, bodies, ..Shown::default() };
        Self {
            shown,
            desk: Desk::default(),
            orbit: Orbit::default(),
            curves: CurveLog::default(),
            view: Rect::NOTHING,
            labels: Vec::new(),
            handles: None,
            requests: Vec::new(),
        }
    }

    pub fn harness(self) -> Harness<'static, Self> {
        Harness::builder().with_size(Vec2::new(1400.0, 900.0)).build_ui_state(draw, self)
    }
}

fn draw(ui: &mut Ui, bench: &mut Bench) {
    let mut pictures = BTreeMap::new();
    let mut around = Surroundings {
        orbit: &mut bench.orbit,
        curves: &bench.curves,
        labels: bench.labels.clone(),
        handles: bench.handles.clone(),
        view: Rect::NOTHING,
        clicked: None,
        pull: None,
        pictures: &mut pictures,
    };
    let requests = show(ui, &bench.shown, &mut bench.desk, &mut around);
    bench.view = around.view;
    bench.requests.extend(requests);
}

/// A chain of this many links, fixed at its root.
fn chain(links: usize) -> Arc<Body> {
    let mut text = "format: ChoreonoidBody\nformat_version: 2.0\nname: CHAIN\nlinks:\n".to_owned();
    text.push_str("  - { name: L0, joint_type: fixed, mass: 1.0 }\n");
    for link in 1..links {
        let (parent, id) = (link - 1, link - 1);
        let _ = writeln!(
            text,
            "  - {{ name: L{link}, parent: L{parent}, joint_type: revolute, joint_axis: Y, joint_id: {id}, \
             joint_range: [ -90, 90 ], translation: [ 0, 0, 0.1 ], mass: 1.0 }}"
        );
    }
    let source = SourceFile::from_text("chain.body", text);
    let reporter = Reporter::new();
    let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter);
    Arc::new(body.unwrap_or_else(|| panic!("{:?}", reporter.diagnostics())))
}

pub fn body(links: usize, drive: Drive) -> ShownBody {
    let model = chain(links);
    let state = BodyState::initial(&model);
    let joints = model.num_joints();
    ShownBody {
        entity: Entity::from_bits(7),
        name: "Chain".to_owned(),
        state,
        drive,
        actuation: vec![Actuation::Displacement { stiffness: 10.0, damping: 1.0 }; joints],
        targets: vec![0.25; joints],
        efforts: Vec::new(),
        sensors: Vec::new(),
        model,
    }
}

fn press(harness: &mut Harness<'_, Bench>, key: Key) -> Vec<Request> {
    harness.key_press(key);
    harness.run_ok();
    std::mem::take(&mut harness.state_mut().requests)
}

pub fn click(harness: &mut Harness<'_, Bench>, label: &str) -> Vec<Request> {
    harness.get_by_label(label).click();
    harness.run_ok();
    std::mem::take(&mut harness.state_mut().requests)
}

#[test]
fn every_panel_is_shown_with_no_body_one_link_and_sixty() {
    for bodies in [vec![], vec![body(1, Drive::Static)], vec![body(60, Drive::Physics)]] {
        let links = bodies.iter().map(|body| body.model.links().len()).sum::<usize>();
        let mut bench = Bench::new(bodies);
        if links > 0 {
            bench.shown.selection = Some(Selection::link(Entity::from_bits(7), LinkIndex(links - 1)));
        }
        let mut harness = bench.harness();
        harness.run_ok();
        for panel in Panel::ALL {
            harness.state_mut().desk.open(panel);
            harness.run_ok();
        }
        assert!(harness.state().requests.is_empty(), "{links} links");
        let view = harness.state().view;
        assert!(view.width() > 300.0 && view.height() > 200.0, "{links} links: {view}");
    }
}

#[test]
fn buttons_of_the_time_line_run_pause_step_and_go_back() {
    let mut harness = Bench::new(vec![]).harness();
    harness.run_ok();
    assert_eq!(click(&mut harness, "▶ Run"), [Request::Run]);
    assert_eq!(click(&mut harness, "⏭ Step"), [Request::Step]);
    assert_eq!(click(&mut harness, "⏮"), [Request::Restart]);
    harness.state_mut().shown.doing = Doing::Running;
    harness.run_ok();
    assert_eq!(click(&mut harness, "⏸ Pause"), [Request::Pause]);
    assert_eq!(click(&mut harness, "Picture"), [Request::TakePicture]);
    // Recording is not available here.
    assert_eq!(click(&mut harness, "Save"), []);
    harness.state_mut().shown.is_recording = true;
    harness.run_ok();
    assert_eq!(click(&mut harness, "Save"), [Request::Save]);
    harness.state_mut().shown.doing = Doing::Failed("the joint KNEE is torn off".to_owned());
    harness.run_ok();
    assert_eq!(click(&mut harness, "▶ Run"), []);
    assert!(harness.query_by_label("the joint KNEE is torn off").is_some());
}

#[test]
fn the_time_line_is_dragged_to_a_time() {
    let mut harness = Bench::new(vec![]).harness();
    harness.run_ok();
    let rect = harness.get_by_label("Time").rect();
    let point = rect.left_center() + Vec2::new(0.75 * rect.width(), 0.0);
    harness.drag_at(point);
    harness.run_ok();
    harness.drop_at(point);
    harness.run_ok();
    let requests = std::mem::take(&mut harness.state_mut().requests);
    let Some(Request::Seek(step)) = requests.first() else { panic!("{requests:?}") };
    assert!((1400..1600).contains(step), "{step}");
}

#[test]
fn keys_have_the_effects_of_their_list() {
    let mut harness = Bench::new(vec![]).harness();
    harness.run_ok();
    assert_eq!(press(&mut harness, Key::Space), [Request::Run]);
    harness.state_mut().shown.doing = Doing::Running;
    assert_eq!(press(&mut harness, Key::Space), [Request::Pause]);
    assert_eq!(press(&mut harness, Key::ArrowRight), [Request::Step]);
    assert_eq!(press(&mut harness, Key::ArrowLeft), [Request::Seek(499)]);
    assert_eq!(press(&mut harness, Key::Home), [Request::Restart]);
    assert_eq!(press(&mut harness, Key::End), [Request::Seek(2000)]);
    assert_eq!(press(&mut harness, Key::Period), [Request::SetSpeed(Speed::RealTime(2.0))]);
    assert_eq!(press(&mut harness, Key::Comma), [Request::SetSpeed(Speed::RealTime(0.5))]);
    assert_eq!(press(&mut harness, Key::F), [Request::Fit]);
    assert_eq!(press(&mut harness, Key::P), [Request::TakePicture]);
    for (key, side) in [Key::Num1, Key::Num2, Key::Num3, Key::Num4].into_iter().zip(Side::ALL) {
        assert_eq!(press(&mut harness, key), [Request::LookFrom(side)]);
    }
    for is in [false, true] {
        harness.state_mut().shown.is_orthographic = is;
        harness.state_mut().shown.is_following = is;
        assert_eq!(press(&mut harness, Key::O), [Request::SetOrthographic(!is)]);
        assert_eq!(press(&mut harness, Key::W), [Request::Follow(!is)]);
    }
    assert_eq!(press(&mut harness, Key::Num5), [], "no body has a camera");
    assert_eq!(press(&mut harness, Key::C), []);
    assert!(harness.state().desk.kept.marks.has(Mark::Collision));
    assert_eq!(press(&mut harness, Key::D), []);
    assert!(harness.state().desk.kept.dark);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::S);
    harness.run_ok();
    assert_eq!(std::mem::take(&mut harness.state_mut().requests), [Request::Save]);
    assert_eq!(press(&mut harness, Key::Questionmark), []);
    for (key, _) in KEYS {
        assert!(harness.query_all_by_label(key).next().is_some(), "{key}");
    }
}

#[test]
fn keys_never_land_on_a_widget_that_was_not_clicked() {
    let mut harness = Bench::new(vec![body(3, Drive::Static)]).harness();
    harness.run_ok();
    for shows_panels in [false, true, false] {
        assert_eq!(press(&mut harness, Key::Tab), []);
        assert_eq!(harness.state().desk.kept.shows_panels, shows_panels);
        assert_eq!(press(&mut harness, Key::Space), [Request::Run]);
        let has_forces = harness.state().desk.kept.marks.has(Mark::ContactForces);
        assert_eq!(press(&mut harness, Key::N), []);
        assert_ne!(harness.state().desk.kept.marks.has(Mark::ContactForces), has_forces);
    }
    // A button that was clicked does not keep the keyboard either.
    assert_eq!(click(&mut harness, "⏭ Step"), [Request::Step]);
    assert_eq!(press(&mut harness, Key::Space), [Request::Run]);
    assert_eq!(press(&mut harness, Key::ArrowRight), [Request::Step]);
    assert_eq!(press(&mut harness, Key::Space), [Request::Run]);
    // A text field has the keyboard, until Escape.
    assert_eq!(press(&mut harness, Key::Tab), []);
    harness.get_by_role(Role::TextInput).click();
    harness.run_ok();
    assert_eq!(press(&mut harness, Key::Space), []);
    assert_eq!(press(&mut harness, Key::Escape), []);
    assert_eq!(press(&mut harness, Key::Space), [Request::Run]);
}

#[test]
fn the_row_of_the_time_line_never_moves() {
    let doings = [Doing::Paused, Doing::Running, Doing::Finished, Doing::Failed("a long reason ".repeat(40))];
    for width in [1440.0, 1024.0, 800.0] {
        let mut rows = Vec::new();
        for (doing, time) in doings.iter().flat_map(|doing| [(doing, 0.0), (doing, 12_345.678)]) {
            let mut bench = Bench::new(vec![body(3, Drive::Physics)]);
            bench.shown.doing = doing.clone();
            bench.shown.time = time;
            bench.shown.real_time_factor = time;
            bench.shown.notice = (time > 0.0).then(|| "written: a file ".repeat(40));
            bench.shown.speed = if time > 0.0 { Speed::Unlimited } else { Speed::RealTime(1.0 / 16.0) };
            let mut harness = Harness::builder().with_size(Vec2::new(width, 600.0)).build_ui_state(draw, bench);
            harness.run_ok();
            let places = ["⏮", "Time", "Record", "Window", "?"].map(|label| harness.get_by_label(label).rect());
            let run = if *doing == Doing::Running { "⏸ Pause" } else { "▶ Run" };
            let places = [&places[..], &[harness.get_by_label(run).rect()]].concat();
            for rect in &places {
                assert!(rect.left() >= 0.0 && rect.right() <= width && rect.bottom() < 36.0, "{width}: {places:?}");
            }
            rows.push((places, harness.state().view));
            if width < 900.0 {
                assert!(harness.query_by_label("Picture").is_none());
                assert_eq!(click(&mut harness, "Window"), []);
                assert_eq!(click(&mut harness, "Picture"), [Request::TakePicture]);
            }
        }
        assert!(rows.iter().all(|row| *row == rows[0]), "{width}: {rows:?}");
    }
}

#[test]
fn a_link_is_selected_in_the_tree_and_inspected() {
    let mut harness = Bench::new(vec![body(3, Drive::Physics)]).harness();
    harness.run_ok();
    harness.get_by_role_and_label(Role::Button, "L1").click();
    harness.run_ok();
    let requests = std::mem::take(&mut harness.state_mut().requests);
    let selection = Selection::link(Entity::from_bits(7), LinkIndex(1));
    assert_eq!(requests, [Request::Select(Some(selection))]);
    harness.state_mut().shown.selection = Some(selection);
    harness.run_ok();
    for text in ["revolute", "-1.5708 … 1.5708 rad", "0.0000  0.0000  0.1000 m"] {
        assert!(harness.query_all_by_label(text).next().is_some(), "{text}");
    }
    assert_eq!(press(&mut harness, Key::Escape), [Request::Select(None)]);
}

#[test]
fn angles_are_shown_in_degrees_or_radians() {
    let mut bench = Bench::new(vec![body(3, Drive::Static)]);
    bench.shown.bodies[0].state.displacements[0] = 0.5;
    bench.shown.selection = Some(Selection::link(Entity::from_bits(7), LinkIndex(1)));
    let mut harness = bench.harness();
    harness.state_mut().desk.open(Panel::Joints);
    harness.run_ok();
    let has = |harness: &Harness<'_, Bench>, text: &str| harness.query_all_by_label(text).next().is_some();
    let slider = |harness: &Harness<'_, Bench>| {
        let root = harness.root();
        let values = root.children_recursive().filter_map(|node| node.accesskit_node().value());
        values.filter(|value| ["0.500 rad", "28.65 °"].contains(&value.as_str())).collect::<Vec<_>>()
    };
    assert!(has(&harness, "0.5 rad (28.65°)") && has(&harness, "-1.5708 … 1.5708 rad"));
    assert_eq!(slider(&harness), ["0.500 rad"]);
    assert_eq!(press(&mut harness, Key::A), []);
    assert!(has(&harness, "28.64789 °") && has(&harness, "-90 … 90 °"));
    assert_eq!(slider(&harness), ["28.65 °"]);
    // A slider in degrees sets radians.
    let at = harness.query_all_by_label("L2").find(|node| node.rect().width() > 60.0).expect("a slider").rect();
    let point = at.left_center() + Vec2::new(0.75 * 80.0, 0.0);
    harness.drag_at(point);
    harness.run_ok();
    harness.drop_at(point);
    harness.run_ok();
    let requests = std::mem::take(&mut harness.state_mut().requests);
    let Some(Request::MoveJoint { displacement, .. }) = requests.first() else { panic!("{requests:?}") };
    assert!((0.5..1.2).contains(displacement), "{displacement}");
    assert_eq!(press(&mut harness, Key::A), []);
    assert!(has(&harness, "0.5 rad") && has(&harness, "0.0000  -0.0000  0.0000 rad"));
}

#[test]
fn sliders_move_joints_that_may_be_moved() {
    for (drive, expected) in [(Drive::Static, 0.0), (Drive::Physics, 0.25)] {
        let mut harness = Bench::new(vec![body(3, drive)]).harness();
        harness.state_mut().desk.open(Panel::Joints);
        harness.run_ok();
        let slider = harness.query_all_by_label("L2").find(|node| node.rect().width() > 60.0);
        let rect = slider.expect("a slider").rect();
        let point = rect.left_center() + Vec2::new(0.5 * 80.0 + 15.0, 0.0);
        harness.drag_at(point);
        harness.run_ok();
        harness.drop_at(point);
        harness.run_ok();
        let requests = std::mem::take(&mut harness.state_mut().requests);
        let Some(Request::MoveJoint { joint, displacement, .. }) = requests.first() else { panic!("{requests:?}") };
        assert_eq!(*joint, JointIndex(1));
        assert!(displacement.abs() < 1.58 && (displacement - expected).abs() > 1e-6, "{drive:?} {displacement}");
    }
}

#[test]
fn a_curve_is_added_and_drawn() {
    let mut bench = Bench::new(vec![body(3, Drive::Physics)]);
    for step in 0..100 {
        bench.curves.push(Entity::from_bits(7), step, || vec![0.5; 14].into_boxed_slice());
    }
    let mut harness = bench.harness();
    harness.state_mut().desk.open(Panel::Plots);
    harness.run_ok();
    assert_eq!(click(&mut harness, "+ Velocity"), []);
    assert_eq!(click(&mut harness, "L1 velocity [rad/s]"), []);
    let bench = harness.state();
    let channel = Channel { of: Entity::from_bits(7), quantity: Quantity::Velocity(JointIndex(0)) };
    assert_eq!(bench.desk.plots.channels, [channel]);
    let curves = bench.desk.plots.curves(&bench.shown, &bench.curves, 1000);
    assert_eq!((curves[0].title().as_str(), curves[0].points.len()), ("L1 velocity [rad/s]", 100));
    assert_eq!(click(&mut harness, "Export CSV"), [Request::ExportPlots]);
    // Outside the chart there is a list, whose entries hide a curve.
    assert_eq!(click(&mut harness, "L1 velocity"), []);
    assert!(harness.query_by_label("L1 velocity").is_some());
}

/// A body with two cameras and a gyro between them.
fn with_cameras() -> ShownBody {
    let text = "{ format: ChoreonoidBody, format_version: 2.0, name: HEAD, links: [ { name: HEAD, joint_type: free, elements: [
        { type: Camera, name: LEFT, format: COLOR }, { type: RateGyroSensor, name: GYRO }, { type: Camera, name: RIGHT, format: COLOR } ] } ] }";
    let source = SourceFile::from_text("head.body", text);
    let model = Arc::new(bunraku_body::read(&source, &LoadOptions::default(), &Reporter::new()).unwrap());
    ShownBody { state: BodyState::initial(&model), model, ..body(2, Drive::Physics) }
}

#[test]
fn a_key_goes_through_the_cameras_of_sensors_and_esc_back() {
    let mut harness = Bench::new(vec![with_cameras()]).harness();
    harness.run_ok();
    let device = |index| Selection { body: Entity::from_bits(7), link: None, device: Some(index) };
    for expected in [Some(0), Some(2), None] {
        assert_eq!(press(&mut harness, Key::Num5), [Request::LookThrough(expected.map(device))]);
        harness.state_mut().shown.through = expected.map(|index| ShownThrough {
            device: device(index),
            label: "Chain / EYE".to_owned(),
            extent: [0.5, 0.4],
        });
    }
    harness.state_mut().shown.selection = Some(device(0));
    harness.state_mut().shown.through =
        Some(ShownThrough { device: device(2), label: "Chain / EYE".to_owned(), extent: [0.5, 0.4] });
    harness.run_ok();
    assert!(harness.query_by_label("Chain / EYE (Esc: back)").is_some());
    // The mouse does not turn what the sensor determines.
    let (before, center) = (harness.state().orbit, harness.state().view.center());
    harness.drag_at(center);
    harness.run_ok();
    harness.hover_at(center + Vec2::new(60.0, 0.0));
    harness.run_ok();
    harness.drop_at(center + Vec2::new(60.0, 0.0));
    harness.run_ok();
    assert_eq!(harness.state().orbit, before);
    harness.state_mut().requests.clear();
    assert_eq!(press(&mut harness, Key::Escape), [Request::LookThrough(None)]);
    harness.state_mut().shown.through = None;
    assert_eq!(press(&mut harness, Key::Escape), [Request::Select(None)]);
}

#[test]
fn a_drag_on_a_handle_moves_the_body_and_not_the_camera() {
    let mut harness = Bench::new(vec![body(3, Drive::Static)]).harness();
    harness.run_ok();
    let (before, center) = (harness.state().orbit, harness.state().view.center());
    let right = |length: f32| center + Vec2::new(length, 0.0);
    harness.state_mut().handles = Some(Handles {
        body: Entity::from_bits(7),
        pose: Isometry3::translation(1.0, 2.0, 3.0),
        length: 0.5,
        center,
        tips: [right(100.0), center - Vec2::new(0.0, 100.0), center],
        rings: [vec![], vec![], vec![]],
        facing: [1.0; 3],
    });
    harness.run_ok();
    harness.drag_at(right(80.0));
    harness.run_ok();
    for length in [100.0, 120.0] {
        harness.hover_at(right(length));
        harness.run_ok();
    }
    harness.drop_at(right(120.0));
    harness.run_ok();
    assert_eq!(harness.state().orbit, before);
    let requests = std::mem::take(&mut harness.state_mut().requests);
    // The pose of the bench stays: each request is a movement from there.
    let moved = requests.iter().map(|request| match request {
        Request::Hand { act: HandAct::Place { translation, .. }, .. } => {
            assert_eq!(translation[1..], [2.0, 3.0]);
            translation[0] - 1.0
        }
        other => panic!("{other:?}"),
    });
    assert!((moved.sum::<f64>() - 0.2).abs() < 1e-6, "{requests:?}");
    // Beside it the drag turns the camera.
    harness.drag_at(center + Vec2::new(80.0, 90.0));
    harness.run_ok();
    harness.hover_at(center + Vec2::new(140.0, 90.0));
    harness.run_ok();
    harness.drop_at(center + Vec2::new(140.0, 90.0));
    harness.run_ok();
    assert!(harness.state().requests.is_empty() && harness.state().orbit != before);
}

#[test]
fn shapes_are_added_and_the_scene_is_saved() {
    let mut bench = Bench::new(vec![body(3, Drive::Physics)]);
    bench.shown.can_open = true;
    let mut harness = bench.harness();
    harness.run_ok();
    assert_eq!(click(&mut harness, "Add…"), []);
    let expected = Request::BringShape { shape: Primitive::Cylinder, size: 0.1, mass: 0.5 };
    assert_eq!(click(&mut harness, "Cylinder"), [expected]);
    assert_eq!(click(&mut harness, "Window"), []);
    assert_eq!(click(&mut harness, "Save scene as…"), [Request::Choose(FileUse::SaveScene)]);
}

#[test]
fn key_frames_are_added_applied_and_removed() {
    let mut harness = Bench::new(vec![body(3, Drive::Static)]).harness();
    harness.state_mut().desk.open(Panel::KeyFrames);
    harness.run_ok();
    for angle in [0.5, 0.9] {
        harness.state_mut().shown.bodies[0].state.displacements[0] = angle;
        assert_eq!(click(&mut harness, "Add pose"), []);
    }
    let keys = |harness: &Harness<'_, Bench>| harness.state().desk.keys.of("Chain").cloned().unwrap();
    let found: Vec<_> = keys(&harness).as_slice().iter().map(|frame| (frame.time, frame.displacements[0])).collect();
    assert_eq!(found, [(0.0, 0.5), (1.0, 0.9)]);
    harness.get_all_by_label("Apply").next().unwrap().click();
    harness.run_ok();
    let requests = std::mem::take(&mut harness.state_mut().requests);
    let [Request::Pose { displacements, .. }] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(displacements, &[0.5, 0.0]);
    let requests = click(&mut harness, "Save as .seq");
    assert_eq!(requests, [Request::SaveKeyFrames { body: Entity::from_bits(7), keys: keys(&harness) }]);
    harness.get_all_by_label("Remove").next().unwrap().click();
    harness.run_ok();
    assert_eq!(keys(&harness).as_slice().len(), 1);
    assert_eq!(keys(&harness).as_slice()[0].time, 1.0);
}

#[test]
fn problems_are_listed_with_their_locations() {
    let mut bench = Bench::new(vec![]);
    bench.shown.problems.push(Problem {
        severity: Severity::Error,
        code: "unknown-joint".to_owned(),
        message: "`Arm` has no joint `ELBOW`".to_owned(),
        place: "arm.scene.yaml:7:3".to_owned(),
        help: Some("did you mean `ELBOW_Y`?".to_owned()),
    });
    let mut harness = bench.harness();
    harness.state_mut().desk.open(Panel::Problems);
    harness.run_ok();
    for text in ["`Arm` has no joint `ELBOW` [unknown-joint]", "arm.scene.yaml:7:3", "did you mean `ELBOW_Y`?"] {
        assert!(harness.query_by_label(text).is_some(), "{text}");
    }
}

#[test]
fn the_mouse_turns_and_zooms_the_view_and_nothing_else() {
    let mut harness = Bench::new(vec![body(3, Drive::Physics)]).harness();
    harness.run_ok();
    let (before, center) = (harness.state().orbit, harness.state().view.center());
    harness.drag_at(center);
    harness.run_ok();
    harness.hover_at(center + Vec2::new(60.0, 0.0));
    harness.run_ok();
    harness.drop_at(center + Vec2::new(60.0, 0.0));
    harness.run_ok();
    let after = harness.state().orbit;
    assert!(after.azimuth < before.azimuth && (after.distance - before.distance).abs() < 1e-6);
    assert!(harness.state().requests.is_empty());
}

#[test]
fn an_empty_window_offers_scenes() {
    let scene = |title: &str| GalleryScene {
        title: title.to_owned(),
        about: "It moves.".to_owned(),
        file: format!("{title}.scene.yaml").into(),
        picture: "nowhere.png".into(),
    };
    let mut bench = Bench::new(vec![]);
    bench.shown.gallery = Arc::new(vec![scene("Rover"), scene("Arm")]);
    bench.shown.recent = vec![vec!["/far/SR1.body".into(), "/far/walk.seq".into()]];
    let mut harness = bench.harness();
    harness.run_ok();
    let opened = vec!["/far/SR1.body".into(), "/far/walk.seq".into()];
    assert_eq!(click(&mut harness, "SR1.body, walk.seq"), [Request::Open(opened)]);
    assert_eq!(click(&mut harness, "Arm"), [Request::Open(vec!["Arm.scene.yaml".into()])]);
    harness.state_mut().shown.bodies = vec![body(2, Drive::Physics)];
    harness.run_ok();
    assert!(harness.query_by_label("Arm").is_none());
}

#[test]
fn a_run_that_waits_to_begin_says_so() {
    for (drive, step, is_shown) in [(Drive::Physics, 0, true), (Drive::Static, 0, false), (Drive::Physics, 1, false)] {
        let mut bench = Bench::new(vec![body(3, drive)]);
        (bench.shown.step, bench.shown.last_step) = (step, step);
        let mut harness = bench.harness();
        harness.run_ok();
        assert_eq!(harness.query_by_label("Press Space to run").is_some(), is_shown, "{drive:?} {step}");
    }
}

#[test]
fn labels_are_written_into_the_view_only() {
    let mut bench = Bench::new(vec![body(3, Drive::Physics)]);
    let (within, outside) = (Pos2::new(700.0, 300.0), Pos2::new(20.0, 300.0));
    bench.labels = vec![(within, "12.3 N".to_owned()), (outside, "4.5 N".to_owned())];
    let mut harness = bench.harness();
    harness.run_ok();
    let rect = harness.get_by_label("12.3 N").rect();
    assert!((rect.center() - within).length() < 2.0, "{rect}");
    assert!(harness.query_by_label("4.5 N").is_none());
}
