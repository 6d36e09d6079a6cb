use serde::{Deserialize, Serialize};

/// Something that is drawn on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// What is seen of the links.
    Visual,
    /// What touches, as lines.
    Collision,
    /// Lines on the ground, z = 0, and the axes of the world.
    Grid,
    /// The frame of each link.
    LinkAxes,
    /// The axis of each joint.
    JointAxes,
    /// The centre of mass of each body, and its point on the ground.
    CenterOfMass,
    /// A box for each link, of its mass and its moments of inertia.
    Inertia,
    /// Where links touch.
    Contacts,
    /// The forces there, along the world's axes.
    ContactForces,
    /// What the parent of each link does to it through the joint between them, along the world's axes.
    JointForces,
    /// What cameras see.
    Frusta,
    /// What range sensors measure.
    Rays,
    /// The way of each root link.
    Trails,
}

impl Mark {
    /// All, in the order in which they are listed.
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

    /// What it is called on a command line: `contact-forces`.
    pub fn word(self) -> String {
        self.label().to_lowercase().replace(' ', "-")
    }

    /// What it is called in the window.
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

/// What of it is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// Whether something is drawn.
    pub fn has(&self, mark: Mark) -> bool {
        self.0.contains(&mark)
    }

    /// Draws it, or no longer.
    pub fn set(&mut self, mark: Mark, shown: bool) {
        self.0.retain(|known| *known != mark);
        if shown {
            self.0.push(mark);
        }
    }

    /// The other way round.
    pub fn toggle(&mut self, mark: Mark) {
        self.set(mark, !self.has(mark));
    }
}

impl Default for Marks {
    /// The bodies on a grid.
    fn default() -> Self {
        Self(vec![Mark::Visual, Mark::Grid])
    }
}
