//! Cholesky factorisation of a symmetric matrix in blocks, with no block stored that stays zero.
//!
//! Each block row is a tree; two trees have a block in common if something acts between them. Blocks are eliminated in the
//! order of the fewest neighbours ("minimum degree", see T. Davis, *Direct Methods for Sparse Linear Systems*, SIAM, 2006).

/// Smallest pivot. The matrix is at least the identity but for servos that have just saturated.
const LEAST_PIVOT: f64 = 1e-12;

/// The matrix, and after [`Self::factor`] its factor.
#[derive(Clone, Debug, Default)]
pub struct BlockCholesky {
    sizes: Vec<usize>,
    edges: Vec<(u32, u32)>,
    /// By block: first index in a vector.
    starts: Vec<usize>,
    /// By block: when it is eliminated; and the inverse.
    position: Vec<usize>,
    order: Vec<usize>,
    /// By position: positions of the blocks below the diagonal, ascending, and where each begins in `values`.
    below: Vec<Vec<(usize, usize)>>,
    /// By position: where the block on the diagonal begins in `values`.
    diagonal: Vec<usize>,
    /// Row-major blocks.
    values: Vec<f64>,
    /// Multiplications of a factorisation.
    work: f64,
    row: Vec<f64>,
    transposed: Vec<f64>,
}

impl BlockCholesky {
    /// Prepares for blocks of these sizes with these pairs of neighbours; the result is kept while nothing changes.
    pub fn analyse(&mut self, sizes: &[usize], edges: &[(u32, u32)]) {
        if self.sizes == sizes && self.edges == edges {
            return;
        }
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.starts.clear();
        let mut total = 0;
        for size in sizes {
            self.starts.push(total);
            total += size;
        }
        let count = sizes.len();
        let mut neighbours = vec![Vec::new(); count];
        for &(one, other) in edges {
            neighbours[one as usize].push(other as usize);
            neighbours[other as usize].push(one as usize);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        self.order.clear();
        self.position = vec![usize::MAX; count];
        let mut cliques: Vec<Vec<usize>> = Vec::with_capacity(count);
        for step in 0..count {
            let waiting = (0..count).filter(|&block| self.position[block] == usize::MAX);
            let Some(next) = waiting.min_by_key(|&block| neighbours[block].len()) else { break };
            self.position[next] = step;
            self.order.push(next);
            let clique = std::mem::take(&mut neighbours[next]);
            for &member in &clique {
                let list = &mut neighbours[member];
                list.extend(clique.iter().copied().filter(|&other| other != member));
                list.sort_unstable();
                list.dedup();
                list.retain(|&other| other != next);
            }
            cliques.push(clique);
        }
        self.below.clear();
        self.diagonal.clear();
        let mut end = 0;
        self.work = 0.0;
        for (step, clique) in cliques.into_iter().enumerate() {
            let width = sizes[self.order[step]];
            self.diagonal.push(end);
            end += width * width;
            let mut below: Vec<_> = clique.into_iter().map(|block| (self.position[block], 0)).collect();
            below.sort_unstable();
            for (position, start) in &mut below {
                *start = end;
                end += sizes[self.order[*position]] * width;
            }
            let height = below.iter().map(|(position, _)| sizes[self.order[*position]]).sum::<usize>() + width;
            self.work += 0.5 * (width * height * height) as f64;
            self.below.push(below);
        }
        self.values.clear();
        self.values.resize(end, 0.0);
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.sizes.iter().sum()
    }

    /// Multiplications of a factorisation, about.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// The identity.
    pub fn reset(&mut self) {
        self.values.fill(0.0);
        for (position, &start) in self.diagonal.iter().enumerate() {
            let size = self.sizes[self.order[position]];
            for index in 0..size {
                self.values[start + index * size + index] = 1.0;
            }
        }
    }

    /// The lower triangle of a block on the diagonal, row-major, and its width.
    pub fn own(&mut self, block: usize) -> (&mut [f64], usize) {
        let size = self.sizes[block];
        let start = self.diagonal[self.position[block]];
        (&mut self.values[start..start + size * size], size)
    }

    /// The block of two neighbours, row-major, its width, and whether its rows are those of the second.
    pub fn between(&mut self, one: usize, other: usize) -> (&mut [f64], usize, bool) {
        let (first, second) = (self.position[one], self.position[other]);
        let (column, row) = (first.min(second), first.max(second));
        let start = self.find(row, column);
        let (width, height) = (self.sizes[self.order[column]], self.sizes[self.order[row]]);
        (&mut self.values[start..start + width * height], width, row == second)
    }

    fn find(&self, row: usize, column: usize) -> usize {
        let below = &self.below[column];
        // Both are neighbours: the analysis has a block for them.
        below[below.partition_point(|(position, _)| *position < row)].1
    }

    /// Factors the matrix in place.
    pub fn factor(&mut self) {
        for column in 0..self.order.len() {
            let width = self.sizes[self.order[column]];
            let diagonal = self.diagonal[column];
            factor_dense(&mut self.values[diagonal..diagonal + width * width], width);
            let inverse = (width == 6).then(|| inverse_of_six(&self.values[diagonal..diagonal + 36]));
            for index in 0..self.below[column].len() {
                let (position, start) = self.below[column][index];
                let height = self.sizes[self.order[position]];
                // The diagonal block precedes all others of its column.
                let (before, rows) = self.values.split_at_mut(start);
                let lower = &before[diagonal..diagonal + width * width];
                let rows = &mut rows[..height * width];
                match inverse {
                    Some(inverse) => multiply_sixes(rows, &inverse),
                    None => rows.chunks_exact_mut(width).for_each(|row| forward(lower, width, row)),
                }
            }
            for index in 0..self.below[column].len() {
                let (position, start) = self.below[column][index];
                let height = self.sizes[self.order[position]];
                self.transposed.clear();
                let block = &self.values[start..start + height * width];
                self.transposed.extend((0..width).flat_map(|at| block[at..].iter().step_by(width)));
                // The blocks that change are some of those of another column, in the same order.
                let mut at = 0;
                for other in index..self.below[column].len() {
                    let (below, from) = self.below[column][other];
                    let rows = self.sizes[self.order[below]];
                    let into = if below == position {
                        self.diagonal[position]
                    } else {
                        while self.below[position][at].0 != below {
                            at += 1;
                        }
                        self.below[position][at].1
                    };
                    // A column changes only later ones.
                    let (known, later) = self.values.split_at_mut(into);
                    let (target, left) = (&mut later[..rows * height], &known[from..from + rows * width]);
                    if width == 6 && height == 6 {
                        subtract_sixes(target, left, &self.transposed);
                    } else {
                        subtract_product(target, left, &self.transposed, height, width);
                    }
                }
            }
        }
    }

    /// Solves for a right-hand side, in place.
    pub fn solve(&mut self, values: &mut [f64]) {
        let mut row = std::mem::take(&mut self.row);
        for (column, &block) in self.order.iter().enumerate() {
            let (width, first) = (self.sizes[block], self.starts[block]);
            let lower = &self.values[self.diagonal[column]..][..width * width];
            forward(lower, width, &mut values[first..first + width]);
            row.clear();
            row.extend_from_slice(&values[first..first + width]);
            for &(position, start) in &self.below[column] {
                let block = self.order[position];
                let rows = self.values[start..start + self.sizes[block] * width].chunks_exact(width);
                for (value, entries) in values[self.starts[block]..].iter_mut().zip(rows) {
                    *value -= dot(entries, &row);
                }
            }
        }
        for (column, &block) in self.order.iter().enumerate().rev() {
            let (width, first) = (self.sizes[block], self.starts[block]);
            row.clear();
            row.extend_from_slice(&values[first..first + width]);
            for &(position, start) in &self.below[column] {
                let block = self.order[position];
                let rows = self.values[start..start + self.sizes[block] * width].chunks_exact(width);
                for (value, entries) in values[self.starts[block]..].iter().zip(rows) {
                    row.iter_mut().zip(entries).for_each(|(sum, entry)| *sum -= entry * value);
                }
            }
            let lower = &self.values[self.diagonal[column]..][..width * width];
            for index in (0..width).rev() {
                row[index] *= lower[index * width + index];
                let value = row[index];
                for (sum, entry) in row[..index].iter_mut().zip(&lower[index * width..]) {
                    *sum -= entry * value;
                }
            }
            values[first..first + width].copy_from_slice(&row);
        }
        self.row = row;
    }
}

/// Factors a block; its diagonal gets the reciprocals of the factor's.
fn factor_dense(values: &mut [f64], size: usize) {
    // One free body, and a robot on two feet.
    match size {
        6 => return factor_sized::<6>(values),
        12 => return factor_sized::<12>(values),
        _ => {}
    }
    for row in 0..size {
        let (above, rest) = values.split_at_mut(row * size);
        let entries = &mut rest[..=row];
        for column in 0..row {
            let other = &above[column * size..][..=column];
            entries[column] = (entries[column] - dot(&entries[..column], &other[..column])) * other[column];
        }
        let pivot = entries[row] - dot(&entries[..row], &entries[..row]);
        entries[row] = pivot.max(LEAST_PIVOT).sqrt().recip();
    }
}

/// The same for a size that the compiler knows, column by column: no entry waits for a sum.
fn factor_sized<const N: usize>(values: &mut [f64]) {
    let (rows, _) = values.as_chunks_mut::<N>();
    for pivot in 0..N {
        let reciprocal = rows[pivot][pivot].max(LEAST_PIVOT).sqrt().recip();
        rows[pivot][pivot] = reciprocal;
        let mut column = [0.0; N];
        for row in pivot + 1..N {
            column[row] = rows[row][pivot] * reciprocal;
            rows[row][pivot] = column[row];
        }
        for row in pivot + 1..N {
            let entry = column[row];
            for index in pivot + 1..N {
                rows[row][index] -= entry * column[index];
            }
        }
    }
}

/// Forward substitution with a factor, in place.
fn forward(lower: &[f64], size: usize, values: &mut [f64]) {
    for index in 0..size {
        let entries = &lower[index * size..][..=index];
        values[index] = (values[index] - dot(&entries[..index], &values[..index])) * entries[index];
    }
}

/// Transpose of the inverse of a factor's block of six.
fn inverse_of_six(lower: &[f64]) -> [[f64; 6]; 6] {
    let mut inverse = [[0.0; 6]; 6];
    for (column, entries) in inverse.iter_mut().enumerate() {
        for row in column..6 {
            let unit = if row == column { 1.0 } else { 0.0 };
            let known: f64 = (column..row).map(|index| lower[row * 6 + index] * entries[index]).sum();
            entries[row] = (unit - known) * lower[row * 6 + row];
        }
    }
    inverse
}

/// Multiplies rows of six by a matrix, in place.
fn multiply_sixes(rows: &mut [f64], matrix: &[[f64; 6]; 6]) {
    let (rows, _) = rows.as_chunks_mut::<6>();
    for row in rows {
        let mut sum = [0.0; 6];
        for (entry, other) in row.iter().zip(matrix) {
            sum = std::array::from_fn(|index| sum[index] + entry * other[index]);
        }
        *row = sum;
    }
}

/// Subtracts rows times the transpose of other rows.
fn subtract_product(target: &mut [f64], left: &[f64], transposed: &[f64], height: usize, width: usize) {
    for (into, row) in target.chunks_exact_mut(height).zip(left.chunks_exact(width)) {
        for (entry, other) in row.iter().zip(transposed.chunks_exact(height)) {
            into.iter_mut().zip(other).for_each(|(value, other)| *value -= entry * other);
        }
    }
}

/// The same for six columns and six inner entries, as free bodies have them: in registers.
fn subtract_sixes(target: &mut [f64], left: &[f64], transposed: &[f64]) {
    let (targets, _) = target.as_chunks_mut::<6>();
    let (rows, _) = left.as_chunks::<6>();
    let (others, _) = transposed.as_chunks::<6>();
    for (into, row) in targets.iter_mut().zip(rows) {
        let mut sum = *into;
        for (entry, other) in row.iter().zip(others) {
            sum = std::array::from_fn(|index| sum[index] - entry * other[index]);
        }
        *into = sum;
    }
}

/// The sum of products.
#[inline]
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (ones, one_left) = one.as_chunks::<2>();
    let (others, other_left) = other.as_chunks::<2>();
    // Two sums side by side fill a register.
    let sums = ones
        .iter()
        .zip(others)
        .fold([0.0; 2], |sums, (one, other)| [sums[0] + one[0] * other[0], sums[1] + one[1] * other[1]]);
    sums[0] + sums[1] + one_left.iter().zip(other_left).map(|(one, other)| one * other).sum::<f64>()
}
