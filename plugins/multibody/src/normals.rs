//! Normal impulses that are found together, so many at most.
//!
//! Rigid bodies do not determine how points share a load that more of them bear than would be needed. Of all solutions the one is taken that has
//! the least sum of squares, as points of equal stiffness share: each square in parts of the share of the surface for which the point stands.

/// Share of a contact's compliance by which it yields more than its neighbours if it carries more, while shares are found.
const YIELDING: f64 = 0.005;
/// Times that contacts are let go or taken back in one solve.
const MAX_CHANGES: usize = 12;
/// So many loops are unrolled.
const UNROLLED: usize = 4;

/// What a solve is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// How contacts that are new share what they carry: those that carry more than their neighbours yield.
    Share,
    /// How fast everything is. Nothing yields.
    Settle,
}

/// Contacts by contacts.
type Square<const N: usize> = [[f64; N]; N];

/// Contacts whose normal impulses depend on each other.
#[derive(Clone, Copy, Debug)]
pub struct Normals<const N: usize> {
    pub len: usize,
    /// What an impulse along one normal does to another.
    responses: Square<N>,
    /// [`Contact::share`](crate::Contact::share), by contact.
    shares: [f64; N],
    /// By contact: how fast it yields for each N·s that it carries, whatever the others do, 1/kg.
    yielding: [f64; N],
    /// How much faster one yields than its neighbours for each N·s that it carries more, m/s.
    softness: f64,
    /// The factor for [`Stage::Settle`], if all contacts act and none is let go: Cholesky's, with the reciprocals of its diagonal. Points on
    /// one surface are nearly dependent on each other: their inverse would not bring them to rest as exactly.
    factor: Square<N>,
}

impl<const N: usize> Normals<N> {
    /// Of none.
    pub const NONE: Self = Self {
        len: 0,
        responses: [[0.0; N]; N],
        shares: [1.0; N],
        yielding: [0.0; N],
        softness: 0.0,
        factor: [[0.0; N]; N],
    };

    /// Takes the contacts, of each its share and how much it yields, and what they do to each other, of which `response` tells one half: of a
    /// row, and a column no greater.
    pub fn set(&mut self, contacts: impl ExactSizeIterator<Item = (f64, f64)>, response: impl Fn(usize, usize) -> f64) {
        self.len = contacts.len();
        for (index, (share, yielding)) in contacts.enumerate() {
            self.shares[index] = share;
            self.yielding[index] = yielding;
        }
        for row in 0..self.len {
            for column in 0..=row {
                let value = response(row, column);
                self.responses[row][column] = value;
                self.responses[column][row] = value;
            }
        }
        let sum: f64 = (0..self.len).map(|index| self.responses[index][index]).sum();
        self.softness = YIELDING * sum / self.len as f64;
        // What is missing stands for itself and has nothing to do.
        for index in self.len..self.count() {
            for other in 0..self.count() {
                let own = if index == other { 1.0 } else { 0.0 };
                self.responses[index][other] = own;
                self.responses[other][index] = own;
            }
        }
        self.factor = self.factor_of(Stage::Settle, [true; N], [true; N]);
    }

    /// How many rows are looked at.
    #[inline]
    fn count(&self) -> usize {
        if N <= UNROLLED { N } else { self.len }
    }

    /// What impulses along the normals do.
    #[inline]
    pub fn reached(&self, impulses: &[f64; N]) -> [f64; N] {
        let mut sum = [0.0; N];
        let count = self.count();
        for (column, value) in self.responses[..count].iter().zip(impulses) {
            for row in 0..count {
                sum[row] += column[row] * value;
            }
        }
        sum
    }

    /// Response of a normal to another, with what evens them out. `all` is the sum of the shares.
    fn soft(&self, stage: Stage, row: usize, column: usize, all: f64) -> f64 {
        if stage == Stage::Settle || row.max(column) >= self.len {
            return self.responses[row][column];
        }
        let own = if row == column { self.shares[row].recip() } else { 0.0 };
        self.responses[row][column] + self.softness * (own - all.recip())
    }

    /// Sum of the shares of what acts.
    fn all(&self, acts: [bool; N]) -> f64 {
        (0..self.len).filter(|&index| acts[index]).map(|index| self.shares[index]).sum()
    }

    /// Factor of the normals that are in a set; others stand alone.
    fn factor_of(&self, stage: Stage, acts: [bool; N], set: [bool; N]) -> Square<N> {
        let all = self.all(acts);
        let mut factor = [[0.0; N]; N];
        let count = self.count();
        for column in 0..count {
            for row in column..count {
                let known = (0..column).fold(0.0, |known, index| known + factor[row][index] * factor[column][index]);
                factor[row][column] = match (row == column, set[row] && set[column]) {
                    (true, true) => (self.soft(stage, row, row, all) + self.yielding[row] - known)
                        .max(f64::MIN_POSITIVE)
                        .sqrt()
                        .recip(),
                    (true, false) => 1.0,
                    (false, true) => (self.soft(stage, row, column, all) - known) * factor[column][column],
                    (false, false) => 0.0,
                };
            }
        }
        factor
    }

    /// Normal impulses that bring what acts to its targets, or more where the impulse is none. `wanted` is what they change.
    pub fn solve(&self, stage: Stage, acts: [bool; N], wanted: &[f64; N]) -> [f64; N] {
        if wanted.iter().take(self.len).all(|wanted| *wanted <= 0.0) {
            return [0.0; N];
        }
        let all = self.all(acts);
        let mut set = acts;
        let mut impulses = [0.0; N];
        for _ in 0..MAX_CHANGES {
            if stage == Stage::Settle && set == [true; N] {
                impulses = *wanted;
                self.divide(&self.factor, &mut impulses);
                if impulses.iter().all(|impulse| *impulse >= 0.0) {
                    return impulses;
                }
            } else {
                impulses = std::array::from_fn(|index| if set[index] { wanted[index] } else { 0.0 });
                self.divide(&self.factor_of(stage, acts, set), &mut impulses);
            }
            let pulls = (0..self.len).filter(|&index| set[index] && impulses[index] < 0.0);
            if let Some(worst) = pulls.min_by(|&one, &other| impulses[one].total_cmp(&impulses[other])) {
                set[worst] = false;
                continue;
            }
            let missing = |index: usize| {
                let reached: f64 =
                    (0..self.len).map(|other| self.soft(stage, index, other, all) * impulses[other]).sum();
                wanted[index] - reached
            };
            let lets_go = (0..self.len).filter(|&index| acts[index] && !set[index]);
            let short = lets_go.map(|index| (index, missing(index)));
            // Of a point that the others hold exactly nothing but rounding is left.
            let short = short.filter(|&(index, missing)| missing > 1e-9 * wanted[index].abs());
            match short.max_by(|one, other| one.1.total_cmp(&other.1)) {
                Some((worst, _)) => set[worst] = true,
                None => break,
            }
        }
        impulses.map(|impulse| impulse.max(0.0))
    }

    /// Takes out what regularisation has left, if all contacts bear something: what rests would creep by that.
    pub fn refine(&self, impulses: &mut [f64; N], wanted: &[f64; N]) {
        if impulses[..self.len].contains(&0.0) {
            return;
        }
        let reached = self.reached(impulses);
        let mut missing = std::array::from_fn(|index| wanted[index] - reached[index]);
        self.divide(&self.factor, &mut missing);
        for (impulse, missing) in impulses.iter_mut().zip(missing) {
            *impulse = (*impulse + missing).max(0.0);
        }
    }

    /// Solves by a factor.
    #[inline]
    fn divide(&self, factor: &Square<N>, values: &mut [f64; N]) {
        let count = self.count();
        for row in 0..count {
            for index in 0..row {
                values[row] -= factor[row][index] * values[index];
            }
            values[row] *= factor[row][row];
        }
        for row in (0..count).rev() {
            for index in row + 1..count {
                values[row] -= factor[index][row] * values[index];
            }
            values[row] *= factor[row][row];
        }
    }
}
