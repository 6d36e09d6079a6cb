//! `bunraku.Batch`: many worlds of a scene, on several threads.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bunraku::scene::{Scene, SharedFiles};
use numpy::{PyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Quantity;
use crate::body::{BodyView, quantity};
use crate::errors::{detached, error, unknown};
use crate::loading::{self, Roots, Source};
use crate::shared::Shared;
use crate::world::SimulatedScene;

/// Many worlds of a scene that are stepped together.
///
/// Arrays of its bodies have a first axis for the worlds. Every world computes the same bits as a `Simulation` of its
/// scene, with any number of threads. A world that fails does not stop the others; `failed` lists it until it is reset.
///
/// Parameters
/// ----------
/// scene, base, share, allow_outside, strict : as of `Simulation`
/// n : number of worlds
/// threads : number of threads; default: that of the processors
/// seeds : seed of the sensor noise of each world; default: that of the scene
/// per_world : a mapping of overrides for each world, beside those for all of them
#[pyclass(frozen, module = "bunraku")]
pub struct Batch {
    shared: Arc<Shared>,
    threads: usize,
    time_step: f64,
    failed: Mutex<BTreeMap<usize, String>>,
}

/// Runs `work` for each of `count` items on some threads, in no specified order, until `is_interrupted` is true. It is
/// asked by the calling thread alone. `work` gets a function that says whether to stop.
fn spread(
    threads: usize,
    count: usize,
    is_interrupted: impl Fn() -> bool,
    work: impl Fn(usize, &dyn Fn() -> bool) + Sync,
) {
    /// Signals are looked for at this interval.
    const INTERVAL: Duration = Duration::from_millis(50);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let others = AtomicUsize::new(threads.min(count).saturating_sub(1));
    let run = |stopped: &dyn Fn() -> bool| {
        while !stopped() {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= count {
                break;
            }
            work(item, stopped);
        }
    };
    let asked = Cell::new(Instant::now());
    let stopped = || {
        if asked.get().elapsed() >= INTERVAL {
            asked.set(Instant::now());
            stop.fetch_or(is_interrupted(), Ordering::Relaxed);
        }
        stop.load(Ordering::Relaxed)
    };
    let caller = std::thread::current();
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| {
                run(&|| stop.load(Ordering::Relaxed));
                others.fetch_sub(1, Ordering::Release);
                caller.unpark();
            });
        }
        run(&stopped);
        while others.load(Ordering::Acquire) > 0 {
            std::thread::park_timeout(INTERVAL);
            stopped();
        }
    });
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (scene, n, *, threads=None, seeds=None, per_world=None, base=None, share=None, allow_outside=false, strict=false, **overrides))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        n: usize,
        threads: Option<usize>,
        seeds: Option<Vec<u64>>,
        per_world: Option<Vec<Bound<'_, PyDict>>>,
        base: Option<PathBuf>,
        share: Option<PathBuf>,
        allow_outside: bool,
        strict: bool,
        overrides: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let lengths = [("seeds", seeds.as_ref().map(Vec::len)), ("per_world", per_world.as_ref().map(Vec::len))];
        if let Some((what, Some(length))) = lengths.into_iter().find(|(_, length)| length.is_some_and(|it| it != n)) {
            return Err(PyValueError::new_err(format!("`{what}` has {length} entries for {n} worlds")));
        }
        if n == 0 {
            return Err(PyValueError::new_err("a batch has at least one world"));
        }
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let roots = Roots { share, allow_outside, strict };
        let (source, common) = (Source::of(scene, base)?, loading::overrides(py, overrides)?);
        let shared = Some(SharedFiles::default());
        let (first, _) = loading::load(py, &source, common.clone(), &roots, shared.clone())?;
        let mut scenes = vec![first.clone(); n];
        for (scene, own) in scenes.iter_mut().zip(per_world.iter().flatten()) {
            let own = loading::overrides(py, Some(own))?;
            if !own.is_empty() {
                *scene = loading::load(py, &source, [common.clone(), own].concat(), &roots, shared.clone())?.0;
                scene.visual_models = first.visual_models.clone();
            }
        }
        for (scene, seed) in scenes.iter_mut().zip(seeds.iter().flatten()) {
            loading::seed(scene, Some(*seed));
        }
        if let Some(world) = scenes.iter().position(|scene| !is_alike(scene, &first)) {
            let message = format!("world {world} has other bodies, joints or time steps than the first");
            return Err(PyValueError::new_err(message));
        }
        let worlds = detached(py, || {
            let slots: Vec<Mutex<Option<Result<SimulatedScene, String>>>> =
                scenes.iter().map(|_| Mutex::default()).collect();
            spread(
                threads,
                n,
                || false,
                |world, _| {
                    let built = SimulatedScene::new(Arc::new(scenes[world].clone()), None);
                    *slots[world].lock().unwrap_or_else(PoisonError::into_inner) = Some(built);
                },
            );
            let built = slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
            built
                .map(|built| built.unwrap_or_else(|| Err("it was not built".to_owned())))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let worlds = worlds.map_err(|message| error(py, "SimulationError", message))?;
        let shared = Arc::new(Shared::new(worlds, &first, true));
        Ok(Self { shared, threads, time_step: first.time_step, failed: Mutex::default() })
    }

    /// Runs `n` time steps of all worlds that have not failed, or of those in `ids`.
    ///
    /// Raises `SimulationError` after these steps if a world fails in them; its `ids` are the worlds. After Ctrl-C some
    /// worlds have made fewer steps than others: see `time`.
    #[pyo3(signature = (n=1, ids=None))]
    fn step(&self, py: Python<'_>, n: u64, ids: Option<Vec<usize>>) -> PyResult<()> {
        let _busy = self.shared.begin(py)?;
        self.shared.command(py)?;
        let ids = self.chosen(ids)?;
        let failed =
            self.each_world(py, |id, world, stopped| if ids[id] { world.step_until(n, stopped) } else { Ok(()) });
        self.shared.refresh(py)?;
        self.raise(py, failed?)
    }

    /// Puts worlds back to their start; all of them without `ids`.
    #[pyo3(signature = (ids=None))]
    fn reset(&self, py: Python<'_>, ids: Option<Vec<usize>>) -> PyResult<()> {
        let _busy = self.shared.begin(py)?;
        let ids = self.chosen(ids)?;
        self.shared.command(py)?;
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).retain(|id, _| !ids[*id]);
        let failed = self.each_world(py, |id, world, _| if ids[id] { world.reset() } else { Ok(()) })?;
        self.shared.refresh(py)?;
        self.raise(py, failed)
    }

    /// Runs `nsteps` steps with given commands; returns what is recorded after each of them.
    ///
    /// Parameters
    /// ----------
    /// nsteps : number of steps
    /// body : the body that is commanded; default: the only one with joints that forces move
    /// efforts, targets : N·m or N; displacements of servos, rad or m; shape (nsteps, joints) for all worlds, or
    ///     (n, nsteps, joints)
    /// record : arrays of `BodyView`, as `"Rover.joint_displacements"`, or without the body for the commanded one
    ///
    /// Returns a dict of arrays of shape (n, nsteps, …). Rows after a failure are NaN; `failed` has the worlds.
    #[pyo3(signature = (nsteps, *, body=None, efforts=None, targets=None, record=Vec::new()))]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        nsteps: usize,
        body: Option<&str>,
        efforts: Option<PyReadonlyArrayDyn<'py, f64>>,
        targets: Option<PyReadonlyArrayDyn<'py, f64>>,
        record: Vec<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let _busy = self.shared.begin(py)?;
        self.shared.command(py)?;
        let body = self.commanded(py, body)?;
        let mut commands = Vec::new();
        for (what, quantity, values) in
            [("efforts", Quantity::Efforts, efforts), ("targets", Quantity::TargetDisplacements, targets)]
        {
            if let Some(values) = values {
                commands.push((quantity, self.sequence(what, &values, nsteps, body)?));
            }
        }
        let recorded = record.iter().map(|name| self.recorded(py, name, body)).collect::<PyResult<Vec<_>>>()?;
        for &(body, _) in recorded.iter().filter(|(_, quantity)| quantity.is_measured()) {
            for world in 0..self.shared.num_worlds() {
                self.shared.lock(py, world)?.world(py)?.measure_joints(body);
            }
        }
        let lengths: Vec<usize> = recorded
            .iter()
            .map(|(body, quantity)| quantity.shape(&self.shared.bodies[*body].model).iter().product())
            .collect();
        let joints = self.shared.bodies[body].model.num_joints();
        let rows: Vec<Mutex<Vec<Vec<f64>>>> = (0..self.shared.num_worlds())
            .map(|_| Mutex::new(lengths.iter().map(|length| vec![f64::NAN; length * nsteps]).collect()))
            .collect();
        let failed = self.each_world(py, |id, world, stopped| {
            let mut rows = rows[id].lock().unwrap_or_else(PoisonError::into_inner);
            for step in 0..nsteps {
                if stopped() {
                    break;
                }
                for (quantity, commands) in &commands {
                    let start = (if commands.is_for_each { id * nsteps } else { 0 } + step) * joints;
                    quantity.write(world, body, &commands.values[start..start + joints]);
                }
                world.step(1)?;
                for ((&(body, quantity), &length), rows) in recorded.iter().zip(&lengths).zip(rows.iter_mut()) {
                    quantity.read(world, body, &mut rows[step * length..][..length]);
                }
            }
            Ok(())
        })?;
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).extend(failed);
        self.shared.refresh(py)?;
        let rows: Vec<Vec<Vec<f64>>> =
            rows.into_iter().map(|rows| rows.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
        let results = PyDict::new(py);
        for (index, (name, &(body, quantity))) in record.iter().zip(&recorded).enumerate() {
            let values: Vec<f64> = rows.iter().flat_map(|rows| rows[index].iter().copied()).collect();
            let shape = [vec![rows.len(), nsteps], quantity.shape(&self.shared.bodies[body].model)].concat();
            results.set_item(name, PyArray1::from_vec(py, values).into_any().call_method1("reshape", (shape,))?)?;
        }
        Ok(results)
    }

    /// Worlds that have failed since they were reset, with the reasons: a dict of ids and messages.
    #[getter]
    fn failed(&self) -> BTreeMap<usize, String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Simulated time of each world, s, shape (n,).
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let time = |world| Ok(self.shared.lock(py, world)?.world(py)?.clock().time());
        Ok(PyArray1::from_vec(py, (0..self.shared.num_worlds()).map(time).collect::<PyResult<_>>()?))
    }

    /// Length of a step, s.
    #[getter]
    fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// Number of worlds.
    fn __len__(&self) -> usize {
        self.shared.num_worlds()
    }

    /// The body with a name, in all worlds.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<BodyView> {
        Ok(BodyView { shared: Arc::clone(&self.shared), index: self.body(py, name)? })
    }

    /// Names of the bodies, in the order of the scene.
    #[getter]
    fn body_names(&self) -> Vec<&str> {
        self.shared.bodies.iter().map(|body| body.name.as_str()).collect()
    }

    /// Ends all worlds; every further use is a `ClosedError`.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.close(py)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}

/// Commands of a rollout.
struct Sequence {
    values: Vec<f64>,
    /// Whether each world has its own.
    is_for_each: bool,
}

impl Batch {
    fn body(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        let names = self.shared.bodies.iter().map(|body| body.name.as_str());
        let found = names.clone().position(|known| known == name);
        found.ok_or_else(|| unknown(py, "body", name, "the scene", names))
    }

    /// Whether each world is among `ids`; all are without them.
    fn chosen(&self, ids: Option<Vec<usize>>) -> PyResult<Vec<bool>> {
        let count = self.shared.num_worlds();
        let Some(ids) = ids else { return Ok(vec![true; count]) };
        let mut chosen = vec![false; count];
        for id in ids {
            let slot = chosen.get_mut(id);
            *slot.ok_or_else(|| PyIndexError::new_err(format!("there is no world {id}: there are {count}")))? = true;
        }
        Ok(chosen)
    }

    /// Index of the body that a rollout commands.
    fn commanded(&self, py: Python<'_>, name: Option<&str>) -> PyResult<usize> {
        if let Some(name) = name {
            return self.body(py, name);
        }
        let mut jointed = self.shared.bodies.iter().enumerate().filter(|(_, body)| body.model.num_joints() > 0);
        match (jointed.next(), jointed.next()) {
            (Some((only, _)), None) => Ok(only),
            _ => Err(PyValueError::new_err("several bodies, or none, have joints: pass `body`")),
        }
    }

    /// The body and the quantity of a name in `record`.
    fn recorded(&self, py: Python<'_>, name: &str, commanded: usize) -> PyResult<(usize, Quantity)> {
        match name.rsplit_once('.') {
            Some((body, name)) => Ok((self.body(py, body)?, quantity(py, name)?)),
            None => Ok((commanded, quantity(py, name)?)),
        }
    }

    fn sequence(
        &self,
        what: &str,
        values: &PyReadonlyArrayDyn<'_, f64>,
        nsteps: usize,
        body: usize,
    ) -> PyResult<Sequence> {
        let (n, joints) = (self.shared.num_worlds(), self.shared.bodies[body].model.num_joints());
        let array = values.as_array();
        let is_for_each = array.shape() == [n, nsteps, joints];
        if !is_for_each && array.shape() != [nsteps, joints] {
            let message = format!(
                "`{what}` has the shape {:?} instead of ({n}, {nsteps}, {joints}) or ({nsteps}, {joints})",
                array.shape()
            );
            return Err(PyValueError::new_err(message));
        }
        let values: Vec<f64> = array.iter().copied().collect();
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(PyValueError::new_err(format!("`{what}` contains {value}"))),
            None => Ok(Sequence { values, is_for_each }),
        }
    }

    /// Runs `work` with each world that has not failed, without the GIL; returns the failures. `work` gets a function that
    /// says whether to stop.
    ///
    /// # Errors
    /// The exception of a signal handler, `KeyboardInterrupt` for Ctrl-C.
    fn each_world(
        &self,
        py: Python<'_>,
        work: impl Fn(usize, &mut SimulatedScene, &dyn Fn() -> bool) -> Result<(), String> + Sync + Send,
    ) -> PyResult<BTreeMap<usize, String>> {
        let skipped = self.failed();
        // A closed batch is an error before threads start.
        self.shared.lock(py, 0)?.world(py)?;
        let failed = Mutex::new(BTreeMap::new());
        let raised = Mutex::new(None);
        let slots = self.shared.slots();
        let is_interrupted = || {
            let signal = Python::attach(|py| py.check_signals()).err();
            let is_raised = signal.is_some();
            if is_raised {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = signal;
            }
            is_raised
        };
        detached(py, || {
            spread(self.threads, slots.len(), is_interrupted, |id, stopped| {
                if skipped.contains_key(&id) {
                    return;
                }
                let mut slot = slots[id].lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(Err(message)) = slot.as_mut().map(|world| work(id, world, stopped)) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).insert(id, message);
                }
            });
        })?;
        match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(signal) => Err(signal),
            None => Ok(failed.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Notes failures and raises them.
    fn raise(&self, py: Python<'_>, failed: BTreeMap<usize, String>) -> PyResult<()> {
        let Some((first, reason)) = failed.first_key_value() else { return Ok(()) };
        let message = match failed.len() {
            1 => format!("world {first} failed: {reason}"),
            count => format!("{count} worlds failed; world {first}: {reason}"),
        };
        let raised = error(py, "SimulationError", message);
        raised.value(py).setattr("ids", failed.keys().copied().collect::<Vec<_>>())?;
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).extend(failed);
        Err(raised)
    }
}

/// Whether two scenes have arrays of the same shapes and steps of the same length.
fn is_alike(scene: &Scene, other: &Scene) -> bool {
    let is_alike = |(one, other): (&bunraku::scene::SceneBody, &bunraku::scene::SceneBody)| {
        one.name == other.name
            && one.body.num_joints() == other.body.num_joints()
            && one.body.links().len() == other.body.links().len()
    };
    scene.time_step == other.time_step
        && scene.bodies.len() == other.bodies.len()
        && scene.bodies.iter().zip(&other.bodies).all(is_alike)
}
