//! Inputs and outputs of panels besides the displayed data.

use std::collections::BTreeMap;

use bevy::prelude::Entity;
use bevy_egui::egui::{self, Rect, TextureHandle};

use super::handle::Handles;
use crate::camera::Orbit;
use crate::curves::CurveLog;

/// Inputs and outputs of panels besides the displayed data.
pub struct Surroundings<'a> {
    /// Camera, which the mouse moves.
    pub orbit: &'a mut Orbit,
    /// Logged quantities for plots.
    pub curves: &'a CurveLog,
    /// Texts in the view, each centred at a point of the window.
    pub labels: Vec<(egui::Pos2, String)>,
    /// Handles that move the selected body, if it can be moved now.
    pub handles: Option<Handles>,
    /// Output: rectangle of the view of the bodies, points.
    pub view: Rect,
    /// Output: clicked position in the view, points.
    pub clicked: Option<egui::Pos2>,
    /// Output: pointer of a pull on a link, points.
    pub pull: Option<Pull>,
    /// Textures of sensor images, with the time of the image.
    pub pictures: &'a mut BTreeMap<Entity, (f64, TextureHandle)>,
}

/// A pull with the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Whether it has just begun.
    pub begins: bool,
    /// Position of the pointer, points of the window.
    pub pointer: egui::Pos2,
}
