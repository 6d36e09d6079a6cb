//! What panels are given and give back beside what they show.

use std::collections::BTreeMap;

use bevy::prelude::Entity;
use bevy_egui::egui::{self, Rect, TextureHandle};

use crate::camera::Orbit;
use crate::curves::CurveLog;

/// What panels need beside what they show.
pub struct Surroundings<'a> {
    /// The camera, which the mouse moves.
    pub orbit: &'a mut Orbit,
    /// What was noted for plots.
    pub curves: &'a CurveLog,
    /// Where the bodies are to be drawn, in points; written.
    pub view: Rect,
    /// Where the view was clicked, in points; written.
    pub clicked: Option<egui::Pos2>,
    /// A pull on a link by the hand: where the pointer is while it pulls, in points; written.
    pub pull: Option<Pull>,
    /// Pictures of sensors, with the time they show.
    pub pictures: &'a mut BTreeMap<Entity, (f64, TextureHandle)>,
}

/// A pull with the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Whether it has just begun.
    pub begins: bool,
    /// Where the pointer is, points of the window.
    pub pointer: egui::Pos2,
}
