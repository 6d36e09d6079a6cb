use serde::{Deserialize, Serialize};

/// An optional overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// Visual shapes of the links.
    Visual,
    /// Collision shapes, as lines.
    Collision,
    /// Grid on the ground, z = 0, and the axes of the world.
    Grid,
    /// Link frames.
    LinkAxes,
    /// Joint axes.
    JointAxes,
    /// Centre of mass of each body, its projection on the ground, support polygon and zero moment point.
    CenterOfMass,
    /// A box for each link with its mass and its moments of inertia.
    Inertia,
    /// Contact points.
    Contacts,
    /// Contact forces, along the world's axes.
    ContactForces,
    /// Wrench of the parent of each link through their joint, along the world's axes.
    JointForces,
    /// Frusta of cameras.
    Frusta,
    /// Measurements of range sensors.
    Rays,
    /// Paths of root links.
    Trails,
}

impl Mark {
    /// All overlays, in the order of the list.
    pub const ALL: [Self; 13] = [
        Self::Visual,
        Self::Collision,
        Self::Grid,
        Self::LinkAxes,
        Self::JointAxes,
        Self::CenterOfMass,
        Self::Inertia,
        Self::Contacts,
        Self::ContactForces,
        Self::JointForces,
        Self::Frusta,
        Self::Rays,
        Self::Trails,
    ];

    /// Name on the command line: `contact-forces`.
    pub fn word(self) -> String {
        self.label().to_lowercase().replace(' ', "-")
    }

    /// Name in the window.
    pub fn label(self) -> &'static str {
        match self {
            Self::Visual => "Visual shapes",
            Self::Collision => "Collision shapes",
            Self::Grid => "Grid and world axes",
            Self::LinkAxes => "Link axes",
            Self::JointAxes => "Joint axes",
            Self::CenterOfMass => "Centre of mass",
            Self::Inertia => "Inertia boxes",
            Self::Contacts => "Contact points",
            Self::ContactForces => "Contact forces",
            Self::JointForces => "Joint forces",
            Self::Frusta => "Camera frusta",
            Self::Rays => "Range rays",
            Self::Trails => "Trails",
        }
    }
}

/// Selected overlays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// Whether an overlay is selected.
    pub fn has(&self, mark: Mark) -> bool {
        self.0.contains(&mark)
    }

    /// Selects or deselects an overlay.
    pub fn set(&mut self, mark: Mark, shown: bool) {
        self.0.retain(|known| *known != mark);
        if shown {
            self.0.push(mark);
        }
    }

    /// Toggles an overlay.
    pub fn toggle(&mut self, mark: Mark) {
        self.set(mark, !self.has(mark));
    }
}

impl Default for Marks {
    /// Visual shapes and the grid.
    fn default() -> Self {
        Self(vec![Mark::Visual, Mark::Grid])
    }
}
