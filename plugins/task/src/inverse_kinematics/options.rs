/// Tolerances and iteration limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Position tolerance, m.
    pub position: f64,
    /// Rotation tolerance, rad. Infinite if only the position matters: the rotation is then whatever it becomes.
    pub rotation: f64,
    /// Iteration limit for each start.
    pub iterations: usize,
    /// Number of further starts, spread over the joint ranges. With 0 only the solution near the seed is found.
    pub restarts: usize,
}

impl Default for Options {
    /// Starts near the seed, then up to 100 other starts.
    fn default() -> Self {
        Self { position: 1e-8, rotation: 1e-8, iterations: 60, restarts: 100 }
    }
}

impl Options {
    /// For poses along a path, where the joints must not jump to another solution.
    pub fn continuous() -> Self {
        Self { restarts: 0, ..Self::default() }
    }

    /// The same for positions of the tool, with any rotation.
    pub fn continuous_position() -> Self {
        Self { rotation: f64::INFINITY, ..Self::continuous() }
    }
}
