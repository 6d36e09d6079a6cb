/// How exactly, and with how much effort, a pose is to be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Largest distance that is left, m.
    pub position: f64,
    /// Largest angle that is left, rad.
    pub rotation: f64,
    /// Iterations from one start.
    pub iterations: usize,
    /// New starts after the first, spread over the ranges of the joints; 0 keeps to the solution near the seed.
    pub restarts: usize,
}

impl Default for Options {
    /// Near the seed first, then from up to 100 other starts.
    fn default() -> Self {
        Self { position: 1e-8, rotation: 1e-8, iterations: 60, restarts: 100 }
    }
}

impl Options {
    /// For poses along a path, where the joints must not jump to another solution.
    pub fn continuous() -> Self {
        Self { restarts: 0, ..Self::default() }
    }
}
