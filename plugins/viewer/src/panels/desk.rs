use std::path::PathBuf;

use egui_tiles::{Container, Linear, LinearDir, Tile, Tiles, Tree};
use serde::{Deserialize, Serialize};

use super::key_frames::KeyEditor;
use super::plots::Plots;
use crate::view::{AngleUnit, Marks};

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Panel {
    /// View of the bodies.
    View,
    /// Tree of bodies, links and devices.
    Tree,
    /// Details of the selection.
    Inspector,
    /// Sliders of the joints of the selected body.
    Joints,
    /// Measurements of sensors.
    Sensors,
    /// Plots of curves.
    Plots,
    /// Findings of loading and running.
    Problems,
    /// Times of steps and frames.
    Performance,
    /// Selection of overlays.
    Show,
    /// Tasks of robots: states and parameters.
    Task,
    /// Key frames of a body.
    KeyFrames,
}

impl Panel {
    /// All panels.
    pub const ALL: [Self; 11] = [
        Self::View,
        Self::Tree,
        Self::Inspector,
        Self::Joints,
        Self::Sensors,
        Self::Plots,
        Self::Problems,
        Self::Performance,
        Self::Show,
        Self::Task,
        Self::KeyFrames,
    ];

    /// Title.
    pub fn title(self) -> &'static str {
        match self {
            Self::View => "View",
            Self::Tree => "Scene",
            Self::Inspector => "Inspector",
            Self::Joints => "Joints",
            Self::Sensors => "Sensors",
            Self::Plots => "Plots",
            Self::Problems => "Problems",
            Self::Performance => "Performance",
            Self::Show => "Show",
            Self::Task => "Task",
            Self::KeyFrames => "Key frames",
        }
    }
}

/// Settings kept between starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// Layout of the panels.
    pub layout: Tree<Panel>,
    /// Selected overlays.
    pub marks: Marks,
    /// Whether the theme is dark.
    pub dark: bool,
    /// Units in which angles are shown.
    pub angles: AngleUnit,
    /// Scale of text; 1 by default.
    pub text_scale: f32,
    /// Whether panels are shown beside the view.
    pub shows_panels: bool,
    /// Files that were opened together, the last first.
    pub recent: Vec<Vec<PathBuf>>,
}

/// Number of remembered openings.
const MOST_RECENT: usize = 8;

impl Kept {
    /// Remembers files that were opened together.
    pub fn remember(&mut self, paths: &[PathBuf]) {
        // The next start may be in another directory.
        let paths: Vec<_> =
            paths.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect();
        if !paths.is_empty() {
            self.recent.retain(|known| *known != paths);
            self.recent.insert(0, paths);
            self.recent.truncate(MOST_RECENT);
        }
    }
}

/// A shape that can be added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewShape {
    /// Extent along each axis, m.
    pub size: f64,
    /// Mass, kg.
    pub mass: f64,
}

impl Default for NewShape {
    /// The size of a hand, and about the weight of wood.
    fn default() -> Self {
        Self { size: 0.1, mass: 0.5 }
    }
}

/// State of the window, apart from that of the simulation.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    /// Settings kept between starts.
    pub kept: Kept,
    /// Plotted curves.
    pub plots: Plots,
    /// Key frames of the bodies.
    pub keys: KeyEditor,
    /// Size and mass of the shape that is added next.
    pub shape: NewShape,
    /// Whether the list of keys is open.
    pub shows_keys: bool,
    /// Only names that contain this text are listed in the tree.
    pub filter: String,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            layout: usual_layout(),
            marks: Marks::default(),
            dark: false,
            angles: AngleUnit::default(),
            text_scale: 1.0,
            shows_panels: true,
            recent: Vec::new(),
        }
    }
}

/// Default layout: tree and inspector to the left, controls to the right, displays below.
fn usual_layout() -> Tree<Panel> {
    let mut tiles = Tiles::default();
    let pane = |tiles: &mut Tiles<Panel>, panel| tiles.insert_pane(panel);
    let tree = pane(&mut tiles, Panel::Tree);
    let inspector = pane(&mut tiles, Panel::Inspector);
    let inspector = tiles.insert_tab_tile(vec![inspector]);
    let show = pane(&mut tiles, Panel::Show);
    let tree = tiles.insert_tab_tile(vec![tree, show]);
    let left = split(&mut tiles, LinearDir::Vertical, &[(tree, 1.0), (inspector, 1.0)]);
    let view = pane(&mut tiles, Panel::View);
    let below = [Panel::Plots, Panel::Problems, Panel::Performance].map(|panel| pane(&mut tiles, panel));
    let below = tiles.insert_tab_tile(below.to_vec());
    let middle = split(&mut tiles, LinearDir::Vertical, &[(view, 2.6), (below, 1.0)]);
    let right = [Panel::Joints, Panel::Sensors, Panel::Task, Panel::KeyFrames].map(|panel| pane(&mut tiles, panel));
    let right = tiles.insert_tab_tile(right.to_vec());
    let root = split(&mut tiles, LinearDir::Horizontal, &[(left, 1.35), (middle, 2.9), (right, 1.2)]);
    Tree::new("panels", root, tiles)
}

fn split(tiles: &mut Tiles<Panel>, direction: LinearDir, parts: &[(egui_tiles::TileId, f32)]) -> egui_tiles::TileId {
    let mut linear = Linear::new(direction, parts.iter().map(|(tile, _)| *tile).collect());
    for (tile, share) in parts {
        linear.shares.set_share(*tile, *share);
    }
    tiles.insert_new(Tile::Container(Container::Linear(linear)))
}

impl Desk {
    /// Brings a closed or hidden panel to the front.
    pub fn open(&mut self, panel: Panel) {
        let layout = &mut self.kept.layout;
        let is_it = |tile: &Tile<Panel>| matches!(tile, Tile::Pane(known) if *known == panel);
        let known = layout.tiles.iter().find(|(_, tile)| is_it(tile)).map(|(id, _)| *id);
        match (known, layout.root()) {
            (Some(id), _) => layout.set_visible(id, true),
            // The layout was stored before this panel existed.
            (None, Some(root)) => {
                let pane = layout.tiles.insert_pane(panel);
                let tabs = layout.tiles.insert_tab_tile(vec![pane]);
                layout.move_tile_to_container(tabs, root, usize::MAX, false);
            }
            (None, None) => {}
        }
        layout.make_active(|_, tile| is_it(tile));
    }

    /// Resets panels and text to the defaults; opened files stay remembered.
    pub fn reset(&mut self) {
        let recent = std::mem::take(&mut self.kept.recent);
        self.kept = Kept { recent, ..Kept::default() };
    }
}
