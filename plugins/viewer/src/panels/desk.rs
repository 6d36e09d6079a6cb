use egui_tiles::{Container, Linear, LinearDir, Tile, Tiles, Tree};
use serde::{Deserialize, Serialize};

use super::plots::Plots;
use crate::view::Marks;

/// A panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Panel {
    /// The bodies themselves.
    View,
    /// Bodies, their links, their devices.
    Tree,
    /// All about what is selected.
    Inspector,
    /// Sliders of the joints of the selected body.
    Joints,
    /// What sensors measure.
    Sensors,
    /// Curves.
    Plots,
    /// What loading and running found.
    Problems,
    /// How long steps and pictures take.
    Performance,
    /// What is drawn.
    Show,
    /// Tasks of robots: their states and parameters.
    Task,
}

impl Panel {
    /// All.
    pub const ALL: [Self; 10] = [
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
    ];

    /// Its title.
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
        }
    }
}

/// What is kept between starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// Where the panels are.
    pub layout: Tree<Panel>,
    /// What is drawn.
    pub marks: Marks,
    /// Light letters on dark.
    pub dark: bool,
    /// Size of letters, 1 being the usual one.
    pub text_scale: f32,
    /// Whether there are panels beside the view.
    pub shows_panels: bool,
}

/// The state of the window that is no state of the simulation.
#[derive(Clone, Debug, Default)]
pub struct Desk {
    /// What is kept.
    pub kept: Kept,
    /// The curves.
    pub plots: Plots,
    /// Whether the list of keys is open.
    pub shows_keys: bool,
    /// Only names with this in them are listed in the tree.
    pub filter: String,
}

impl Default for Kept {
    fn default() -> Self {
        Self { layout: usual_layout(), marks: Marks::default(), dark: false, text_scale: 1.0, shows_panels: true }
    }
}

/// The tree and the inspector to the left, what one drives to the right, what one reads below.
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
    let right = [Panel::Joints, Panel::Sensors, Panel::Task].map(|panel| pane(&mut tiles, panel));
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
    /// Brings a panel that was closed or is behind others to the front.
    pub fn open(&mut self, panel: Panel) {
        let layout = &mut self.kept.layout;
        let is_it = |tile: &Tile<Panel>| matches!(tile, Tile::Pane(known) if *known == panel);
        let known = layout.tiles.iter().find(|(_, tile)| is_it(tile)).map(|(id, _)| *id);
        match (known, layout.root()) {
            (Some(id), _) => layout.set_visible(id, true),
            // A layout of a time before this panel.
            (None, Some(root)) => {
                let pane = layout.tiles.insert_pane(panel);
                let tabs = layout.tiles.insert_tab_tile(vec![pane]);
                layout.move_tile_to_container(tabs, root, usize::MAX, false);
            }
            (None, None) => {}
        }
        layout.make_active(|_, tile| is_it(tile));
    }

    /// Panels and letters as at the first start.
    pub fn reset(&mut self) {
        self.kept = Kept::default();
    }
}
