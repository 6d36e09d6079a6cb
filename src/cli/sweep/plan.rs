//! The runs of a sweep: all combinations of the varied values, each loaded once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bunraku::document::{Diagnostic, Reporter};
use bunraku::scene::{Scene, SceneOptions, SharedFiles};
use serde_json::json;

use super::super::common::{CommonArgs, Failure};
use super::super::messages;
use super::super::panics::caught;
use super::super::run::{of_file, of_inputs, overrides};
use super::manifest::{Row, Sweep, hash_of_run};
use super::vary::{MOST, Values, Vary};

/// The rows of all combinations; the last value varies fastest, and seeds faster than values. Their hashes are empty.
///
/// # Errors
/// If they are too many.
pub fn rows(vary: &[Vary], seeds: Option<u64>) -> Result<Vec<Row>, Failure> {
    let grid = vary.iter().try_fold(1_usize, |product, vary| product.checked_mul(vary.grid_len()));
    let runs = grid.and_then(|grid| grid.checked_mul(usize::try_from(seeds.unwrap_or(1)).ok()?));
    let Some(runs) = runs.filter(|runs| *runs <= MOST) else {
        return Err(Failure::Usage(format!("these are more than {MOST} runs")));
    };
    let row = |number: usize| {
        let (mut combination, seed) = match seeds.and_then(|seeds| usize::try_from(seeds).ok()) {
            Some(seeds) => (number / seeds, Some((number % seeds) as u64)),
            None => (number, None),
        };
        let mut values = Vec::new();
        for Vary { path, values: of_path, .. } in vary.iter().rev() {
            values.push(match of_path {
                Values::Grid(grid) => {
                    let value = grid.get(combination % grid.len()).cloned().unwrap_or_default();
                    combination /= grid.len();
                    value
                }
                Values::Drawn(distribution) => distribution.draw(seed.unwrap_or(0), path).to_string(),
            });
        }
        values.reverse();
        Row { number, seed, values, sha256: String::new() }
    };
    Ok((0..runs).map(row).collect())
}

/// Loads the scene of each run and fills in its hash.
///
/// # Errors
/// If no scene can be read, or if all runs with different seeds are the same. Scenes that cannot be read are reported.
pub fn fill_hashes(sweep: &mut Sweep, common: &CommonArgs, is_drawn: bool) -> Result<(), Failure> {
    let files = FileHashes::default();
    let options = SceneOptions {
        load: common.load_options(),
        needs_end: true,
        simulator: common.simulator.clone(),
        shared: Some(SharedFiles::default()),
        ..SceneOptions::default()
    };
    let load = |row: &Row| {
        let reporter = common.reporter([&sweep.common.scene]);
        let hash = load(sweep, row, &options, &reporter).map(|scene| {
            let has_sensors = scene.bodies.iter().any(|body| body.sensors.is_some());
            let inputs = of_inputs(&scene, &common.shares(), |file| files.of(file)).inputs;
            (hash_of_run(&scene.resolved, &json!(inputs)), has_sensors)
        });
        hash.ok_or_else(|| reporter.into_diagnostics())
    };
    let (first, others) = match sweep.rows.split_first() {
        Some((first, others)) => (load(first), spread(others, load)),
        None => return Ok(()),
    };
    let loaded: Vec<Result<(String, bool), Vec<Diagnostic>>> = [first].into_iter().chain(others).collect();
    let unreadable: Vec<(usize, &Vec<Diagnostic>)> =
        loaded.iter().enumerate().filter_map(|(number, loaded)| Some((number, loaded.as_ref().err()?))).collect();
    if let Some(&(number, findings)) = unreadable.first() {
        messages::diagnostics(findings, bunraku::document::Severity::Error);
        if unreadable.len() == loaded.len() {
            return Err(Failure::Reported);
        }
        let name = sweep.rows.get(number).map(|row| sweep.name_of(row)).unwrap_or_default();
        let count = messages::count(unreadable.len(), "run");
        messages::warning(&format!("the scenes of {count} cannot be read; this is of {name}"));
    }
    let has_sensors = loaded.iter().flatten().any(|(_, has_sensors)| *has_sensors);
    if sweep.common.seeds.is_some_and(|seeds| seeds > 1) && !is_drawn && !has_sensors {
        let message = "the runs of `--seeds` would all be the same: the scene records no sensors (`record: { sensors: true }`), \
                       and no value is drawn (`normal()`, `uniform()`)";
        return Err(Failure::Usage(message.to_owned()));
    }
    for (row, loaded) in sweep.rows.iter_mut().zip(loaded) {
        row.sha256 = loaded.map(|(hash, _)| hash).unwrap_or_default();
    }
    Ok(())
}

fn load(sweep: &Sweep, row: &Row, options: &SceneOptions, reporter: &Reporter) -> Option<Scene> {
    let overrides = overrides(&sweep.overrides(row), sweep.common.duration).ok()?;
    let options = SceneOptions { overrides, ..options.clone() };
    let path = &sweep.common.scene;
    caught(path, reporter, || Scene::load(path, &options, reporter))
}

/// Hashes of files, each computed once.
#[derive(Default)]
struct FileHashes(Mutex<BTreeMap<PathBuf, Option<String>>>);

impl FileHashes {
    fn of(&self, file: &Path) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(file.to_owned()).or_insert_with(|| of_file(file).ok()).clone()
    }
}

/// Results for all items in their order, computed on all processor cores.
fn spread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while let Some((index, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            done.push((index, work(item)));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        let others = handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.into_iter().chain(others).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_all_combinations() {
        let vary = ["a=1,2", "b=uniform(0,1)", "c=x,y,z"].map(|text| Vary::parse(text).unwrap());
        let rows = rows(&vary, Some(2)).ok().unwrap();
        assert_eq!(rows.len(), 12);
        let of = |number: usize| (rows[number].seed, &rows[number].values[0], &rows[number].values[2]);
        assert_eq!(of(0), (Some(0), &"1".to_owned(), &"x".to_owned()));
        assert_eq!(of(1), (Some(1), &"1".to_owned(), &"x".to_owned()));
        assert_eq!(of(2), (Some(0), &"1".to_owned(), &"y".to_owned()));
        assert_eq!(of(11), (Some(1), &"2".to_owned(), &"z".to_owned()));
        // The same seed has the same number in every combination.
        assert!(rows.iter().all(|row| row.values[1] == rows[row.number % 2].values[1]));
        assert_ne!(rows[0].values[1], rows[1].values[1]);
    }

    #[test]
    fn results_keep_the_order_of_items() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(spread(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }
}
