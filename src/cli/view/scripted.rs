//! Scripted actions from the options of a window.

use bevy::prelude::*;
use bunraku::body::{BodyModel, JointIndex, JointKind};
use bunraku::simulation::SimulationClock;
use bunraku::viewer::curves::{Channel, Quantity};
use bunraku::viewer::panels::Panel;
use bunraku::viewer::view::{Mark, Request, Selection, Side};
use bunraku::viewer::window::{Act, Script};

use super::super::common::Failure;
use super::args::WindowArgs;

/// Frames of the window until its layout, its shaders and its contents are ready.
const SETTLING: u32 = 12;

/// Schedules the actions of the options, to be done once the bodies are spawned.
///
/// # Errors
/// If an option names something that does not exist.
pub fn script(arguments: &WindowArgs, world: &mut World) -> Result<Script, Failure> {
    let mut acts = vec![];
    if arguments.dark {
        acts.push(Act::Dark(true));
    }
    for word in &arguments.show {
        let Some(mark) = Mark::ALL.into_iter().find(|mark| mark.word() == *word) else {
            let words: Vec<_> = Mark::ALL.into_iter().map(Mark::word).collect();
            return Err(Failure::Usage(format!("`--show {word}` is unknown; known are {}", words.join(", "))));
        };
        acts.push(Act::Show(mark, true));
    }
    for title in &arguments.panel {
        let Some(panel) = Panel::ALL.into_iter().find(|panel| panel.title().eq_ignore_ascii_case(title)) else {
            let titles: Vec<_> = Panel::ALL.into_iter().map(Panel::title).collect();
            return Err(Failure::Usage(format!("`--panel {title}` is unknown; known are {}", titles.join(", "))));
        };
        acts.push(Act::Open(panel));
    }
    if let Some(name) = &arguments.select {
        acts.push(Act::Ask(Request::Select(Some(selection(name, world)?))));
    }
    for text in &arguments.joint {
        acts.extend([Act::Frames(1), Act::Ask(joint(text, world)?)]);
    }
    for name in &arguments.plot {
        acts.push(Act::Plot(channel(name, world)?));
    }
    acts.extend(arguments.over.iter().map(|path| Act::Ask(Request::LayOver(path.clone()))));
    if arguments.targets {
        acts.push(Act::Targets(true));
    }
    if let [a, b, c, d, e, f] = arguments.camera[..] {
        acts.extend([Act::Frames(2), Act::Look([Vec3::new(a, b, c), Vec3::new(d, e, f)])]);
    }
    if let Some(word) = &arguments.from {
        let Some(side) = Side::ALL.into_iter().find(|side| side.word() == word) else {
            let words = Side::ALL.map(Side::word).join(", ");
            return Err(Failure::Usage(format!("`--from {word}` is unknown; known are {words}")));
        };
        acts.extend([Act::Frames(2), Act::Ask(Request::LookFrom(side)), Act::Ask(Request::Fit)]);
    }
    if arguments.orthographic {
        acts.extend([Act::Frames(2), Act::Ask(Request::SetOrthographic(true))]);
    }
    if let Some(name) = &arguments.follow {
        acts.push(Act::Follow(selection(name, world)?));
    }
    if let Some(name) = &arguments.through {
        acts.push(Act::Ask(Request::LookThrough(Some(camera(name, world)?))));
    }
    if let Some(path) = &arguments.picture {
        let at = arguments.at.unwrap_or(0.0);
        if !(at >= 0.0 && at.is_finite()) {
            return Err(Failure::Usage(format!("`--at {at}` is no time of the run")));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let step = (at / world.resource::<SimulationClock>().time_step()).round() as u64;
        acts.extend([Act::Frames(2), Act::UntilStep(step), Act::Frames(SETTLING)]);
        // Some more frames, so that the picture is written.
        acts.extend([Act::Picture(path.clone()), Act::Frames(SETTLING), Act::Ask(Request::Quit)]);
    }
    Ok(Script(acts.into()))
}

fn selection(name: &str, world: &mut World) -> Result<Selection, Failure> {
    let (body, rest) = name.split_once('/').map_or((name, None), |(body, link)| (body, Some(link)));
    let (entity, model) = find(body, world)?;
    let Some(link) = rest else { return Ok(Selection::body(entity)) };
    let unknown = || Failure::Usage(format!("`{body}` has no link `{link}`"));
    model.0.find_link(link).map(|link| Selection::link(entity, link)).ok_or_else(unknown)
}

fn camera(name: &str, world: &mut World) -> Result<Selection, Failure> {
    let usage = || Failure::Usage(format!("`--through {name}` is not of the form BODY/CAMERA"));
    let (body, camera) = name.split_once('/').ok_or_else(usage)?;
    let (entity, BodyModel(model)) = find(body, world)?;
    let device = model.devices.iter().position(|device| device.name == camera);
    let device = device.ok_or_else(|| Failure::Usage(format!("`{body}` has no camera `{camera}`")))?;
    Ok(Selection { body: entity, link: None, device: Some(device) })
}

fn channel(name: &str, world: &mut World) -> Result<Channel, Failure> {
    let usage = || Failure::Usage(format!("`--plot {name}` is not of the form BODY/JOINT"));
    let (body, joint) = name.split_once('/').ok_or_else(usage)?;
    let (of, model) = find(body, world)?;
    let of_whole = (0..Quantity::OF_ROOT).map(Quantity::Root).chain((0..3).map(Quantity::Zmp));
    if let Some(quantity) = of_whole.into_iter().find(|quantity| quantity.recorded(&model.0).as_deref() == Some(joint))
    {
        return Ok(Channel { of, quantity });
    }
    type OfJoint = fn(JointIndex) -> Quantity;
    let kinds: [(&str, OfJoint); 4] = [
        (".velocity", Quantity::Velocity),
        (".effort", Quantity::Effort),
        (".target", Quantity::Target),
        ("", Quantity::Displacement),
    ];
    let found = kinds.into_iter().find_map(|(ending, quantity)| {
        let joint = model.0.find_joint(joint.strip_suffix(ending)?)?;
        Some(Channel { of, quantity: quantity(joint) })
    });
    found.ok_or_else(|| Failure::Usage(format!("`{body}` has no joint `{joint}`")))
}

/// The request to move a joint.
fn joint(text: &str, world: &mut World) -> Result<Request, Failure> {
    let usage = || Failure::Usage(format!("`--joint {text}` is not of the form BODY/JOINT=X"));
    let (name, value) = text.split_once('=').ok_or_else(usage)?;
    let (body, joint) = name.split_once('/').ok_or_else(usage)?;
    let value: f64 = value.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(usage)?;
    let (entity, BodyModel(model)) = find(body, world)?;
    let index = model.find_joint(joint);
    let index = index.ok_or_else(|| Failure::Usage(format!("`{body}` has no joint `{joint}`")))?;
    let slides = model.joint(index).is_some_and(|joint| joint.kind == JointKind::Prismatic);
    let displacement = if slides { value } else { value.to_radians() };
    Ok(Request::MoveJoint { body: entity, joint: index, displacement })
}

fn find(name: &str, world: &mut World) -> Result<(Entity, BodyModel), Failure> {
    let mut bodies = world.query::<(Entity, &Name, &BodyModel)>();
    let found = bodies.iter(world).find(|(_, known, _)| known.as_str() == name);
    let found = found.map(|(entity, _, model)| (entity, model.clone()));
    found.ok_or_else(|| Failure::Usage(format!("there is no body `{name}`")))
}
