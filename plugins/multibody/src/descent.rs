//! Sweeps until nothing changes any more, each leading on from the one before.
//!
//! What a sweep changes is taken for a gradient, and the impulses go on along conjugate directions (Silcowitz-Hansen, Niebe and
//! Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive contact force problems", 2010). Lengths are measured
//! by kinetic energy, which the factor's coordinates make a sum of squares. A tower in which light boxes bear a heavy one takes half
//! of the sweeps, and is solved to the end in more of its steps; where contacts go in circles, as many balls that roll on each other do, it is no help, and sweeps end when
//! they lead nowhere.

use super::constraints::Constraints;
use super::normals::Stage;
use super::parameters::Parameters;
use super::patch::{MANY_PATCHES, Passes};

/// Every so many sweeps what is wrong must have become so much less.
const PROGRESS_SWEEPS: usize = 8;
const PROGRESS: f64 = 0.6;
/// The sweeps that lead nowhere end with one that is no worse than the best by more than this.
const NEAR_BEST: f64 = 2.0;
/// In islands of no more patches, contacts that hold are found at once: a robot on its feet. Where parts lean on each other in more places, what is right for
/// one patch is not for its neighbours, and a rag doll that lies in seven of them crept on.
const FEW_PATCHES: usize = 2;

/// Where sweeps have come from and where they go.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    /// Of the trees that are moved.
    coordinates: Vec<u32>,
    /// With which the solve has begun.
    start: Values,
    before: Values,
    direction: Values,
    /// Square of what the sweep before changed; `None` at the beginning.
    last: Option<f64>,
}

/// A motion in the factor's coordinates and the impulses that make it.
#[derive(Clone, Debug, Default)]
struct Values {
    motion: Vec<f64>,
    impulses: Vec<f64>,
}

/// Whether sweeps lead anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    sweeps: usize,
    pub best: f64,
    best_before: f64,
    leads_on: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self { sweeps: 0, best: f64::INFINITY, best_before: f64::INFINITY, leads_on: true }
    }
}

impl Progress {
    /// After a sweep that has left so much.
    pub fn leads_on(&mut self, residual: f64) -> bool {
        self.sweeps += 1;
        self.best = self.best.min(residual);
        if self.sweeps.is_multiple_of(PROGRESS_SWEEPS) {
            self.leads_on &= self.best <= PROGRESS * self.best_before;
            self.best_before = self.best;
        }
        self.leads_on
    }
}

/// What sweeps have come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    pub sweeps: usize,
    /// How much the last one changed a velocity, m/s or rad/s.
    pub residual: f64,
}

impl Descent {
    /// Begins with an island.
    pub fn begin(&mut self, coordinates: impl Iterator<Item = usize>) {
        self.coordinates.clear();
        // Fewer than four thousand million coordinates.
        #[allow(clippy::cast_possible_truncation)]
        self.coordinates.extend(coordinates.map(|coordinate| coordinate as u32));
    }

    /// Finds how contacts that are new share what they carry. Gives the number of sweeps.
    pub fn share(&mut self, constraints: &mut Constraints, motion: &mut [f64], parameters: &Parameters) -> usize {
        self.run(constraints, Stage::Share, motion, parameters).sweeps
    }

    /// Solves the contacts of the island together, if they are, and by pairs where that leads nowhere: where friction wedges something in, it may
    /// lead away.
    pub fn settle(&mut self, constraints: &mut Constraints, motion: &mut [f64], parameters: &Parameters) -> Found {
        if constraints.together.is_used() {
            self.remember(constraints, motion);
            self.start.motion.clone_from(&self.before.motion);
            self.start.impulses.clone_from(&self.before.impulses);
            let found = self.run(constraints, Stage::Settle, motion, parameters);
            if found.residual <= parameters.tolerance {
                return found;
            }
            constraints.together.part();
            for (&index, value) in self.coordinates.iter().zip(&self.start.motion) {
                motion[index as usize] = *value;
            }
            constraints.impulses_mut().zip(&self.start.impulses).for_each(|(impulse, start)| *impulse = *start);
        }
        self.run(constraints, Stage::Settle, motion, parameters)
    }

    /// Sweeps over all constraints of the island.
    fn run(
        &mut self,
        constraints: &mut Constraints,
        stage: Stage,
        motion: &mut [f64],
        parameters: &Parameters,
    ) -> Found {
        self.last = None;
        let most = parameters.max_sweeps.max(1);
        let mut found = Found::default();
        let mut progress = Progress::default();
        for sweep in 1..=most {
            self.remember(constraints, motion);
            let passes = if sweep == 1 || constraints.patches.len() < MANY_PATCHES {
                Passes::whole(parameters.tolerance)
            } else {
                Passes::in_passing(parameters.tolerance)
            };
            let passes = Passes {
                refines: constraints.are_loose,
                holds: !constraints.are_loose && constraints.patches.len() <= FEW_PATCHES,
                ..passes
            };
            let residual = constraints.sweep(stage, passes, motion);
            found = Found { sweeps: sweep, residual };
            let is_lost = !progress.leads_on(residual) && residual <= NEAR_BEST * progress.best;
            let is_done = residual <= parameters.tolerance || is_lost;
            // The last one leaves every impulse within its bounds.
            if is_done || sweep == most {
                break;
            }
            self.go_on(constraints, motion);
        }
        found
    }

    /// Before each sweep.
    fn remember(&mut self, constraints: &Constraints, motion: &[f64]) {
        self.before.motion.clear();
        self.before.motion.extend(self.coordinates.iter().map(|&index| motion[index as usize]));
        self.before.impulses.clear();
        self.before.impulses.extend(constraints.impulses());
    }

    /// After each sweep that is not the last.
    fn go_on(&mut self, constraints: &mut Constraints, motion: &mut [f64]) {
        let Self { coordinates, before, direction, last, .. } = self;
        let changes = coordinates.iter().zip(&before.motion).map(|(&index, before)| motion[index as usize] - before);
        let size = changes.map(|change| change * change).sum();
        let share = match last.replace(size) {
            Some(last) if size < last => size / last,
            _ => {
                direction.motion.clear();
                direction.motion.resize(before.motion.len(), 0.0);
                direction.impulses.clear();
                direction.impulses.resize(before.impulses.len(), 0.0);
                0.0
            }
        };
        let step = |now: &mut f64, before: &f64, direction: &mut f64| {
            let along = share * *direction;
            *direction = *now - before + along;
            *now += along;
        };
        for ((&index, before), direction) in coordinates.iter().zip(&before.motion).zip(&mut direction.motion) {
            step(&mut motion[index as usize], before, direction);
        }
        for ((now, before), direction) in constraints.impulses_mut().zip(&before.impulses).zip(&mut direction.impulses)
        {
            step(now, before, direction);
        }
    }
}
