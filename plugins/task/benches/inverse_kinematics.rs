//! Solution times of poses: the median over random reachable poses, from a seed unrelated to them.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

#[path = "../tests/task/arms.rs"]
mod arms;

use std::time::Instant;

use bunraku_task::inverse_kinematics::Solver;

fn main() {
    println!("{:>4}  {:>9} {:>9} {:>9}   {:>10} {:>8}", "arm", "median", "90 %", "99 %", "iterations", "success");
    for (name, chain) in arms::all() {
        let mut solver = Solver::new(chain, arms::options());
        let poses = arms::poses(solver.chain(), 2000);
        let mut displacements = vec![0.0; solver.chain().joints().len()];
        let (mut times, mut iterations, mut reached) = (Vec::new(), Vec::new(), 0);
        for pose in &poses {
            arms::seed(solver.chain(), &mut displacements);
            let start = Instant::now();
            let found = solver.solve(pose, &mut displacements);
            times.push(start.elapsed().as_secs_f64() * 1e6);
            reached += usize::from(found.is_ok());
            iterations.push(found.map_or_else(|unreached| unreached.iterations, |solution| solution.iterations));
        }
        times.sort_by(f64::total_cmp);
        iterations.sort_unstable();
        let part = |share: usize| times[times.len() * share / 100];
        println!(
            "{name:>4}  {:>6.1} µs {:>6.1} µs {:>6.1} µs   {:>10} {:>6.2} %",
            part(50),
            part(90),
            part(99),
            iterations[iterations.len() / 2],
            100.0 * reached as f64 / poses.len() as f64
        );
    }
}
