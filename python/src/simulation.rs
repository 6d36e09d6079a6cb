//! `bunraku.Simulation`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bunraku::document::Diagnostic;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict};

use crate::body::BodyView;
use crate::errors::{detached, diagnostics, error, unknown};
use crate::loading::{self, Roots, Source};
use crate::shared::Shared;
use crate::world::{SimulatedScene, Taken};

/// Steps between two looks for Ctrl-C. At a millisecond a step, it ends a run within a thirtieth of a second.
const STEPS_AT_ONCE: u64 = 32;

/// A simulation of a scene.
///
/// `scene` is the path of a scene file or of a Choreonoid project, the YAML text of a scene, or a mapping with its
/// content. Keyword arguments change values of the scene, as `--set` of the program: `duration=2`, `time_step=0.002`,
/// or `**{"bodies.Rover.controller.kp": 80}`.
///
/// Parameters
/// ----------
/// scene : str, os.PathLike or mapping
/// base : directory for relative paths in a text or mapping; default: the current directory
/// share : directory for `${SHARE}`; default: the environment variable `BUNRAKU_SHARE`
/// out : directory for recordings as of `bunraku run`; default: nothing is recorded
/// seed : seed of the noise of all sensors, instead of that of the scene
/// allow_outside : whether models may name files anywhere on the disk
/// strict : whether warnings in files are errors
///
/// Raises
/// ------
/// LoadError
///     If the scene cannot be read; `diagnostics` has the locations.
#[pyclass(frozen, module = "bunraku")]
pub struct Simulation {
    shared: Arc<Shared>,
    controllers: Mutex<Vec<Py<PyAny>>>,
    findings: Vec<Diagnostic>,
    duration: Option<f64>,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, *, base=None, share=None, out=None, seed=None, allow_outside=false, strict=false, **overrides))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        base: Option<PathBuf>,
        share: Option<PathBuf>,
        out: Option<PathBuf>,
        seed: Option<u64>,
        allow_outside: bool,
        strict: bool,
        overrides: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let roots = Roots { share, allow_outside, strict };
        let overrides = loading::overrides(py, overrides)?;
        let (mut scene, findings) = loading::load(py, &Source::of(scene, base)?, overrides, &roots, None)?;
        loading::seed(&mut scene, seed);
        let (duration, scene) = (scene.duration, Arc::new(scene));
        let world = detached(py, || SimulatedScene::new(Arc::clone(&scene), out))?;
        let world = world.map_err(|message| error(py, "SimulationError", message))?;
        let shared = Arc::new(Shared::new(vec![world], &scene, false));
        Ok(Self { shared, controllers: Mutex::default(), findings, duration })
    }

    /// Runs `n` time steps. Controllers are called before each of them.
    ///
    /// Raises
    /// ------
    /// SimulationError
    ///     If the simulation fails, for example because it diverges.
    /// ValueError
    ///     If a command is NaN or infinite; no step is run then.
    #[pyo3(signature = (n=1))]
    fn step(slf: &Bound<'_, Self>, n: u64) -> PyResult<()> {
        let this = slf.get();
        let py = slf.py();
        let _busy = this.shared.begin(py)?;
        this.run_steps(slf, n, None)
    }

    /// Runs `duration` seconds, or up to the end that the scene gives.
    ///
    /// `controller(simulation)` is called before each step. Ctrl-C ends the run after the current step.
    #[pyo3(signature = (duration=None, controller=None))]
    fn run(slf: &Bound<'_, Self>, duration: Option<f64>, controller: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let this = slf.get();
        let py = slf.py();
        let _busy = this.shared.begin(py)?;
        let clock = this.shared.lock(py, 0)?.world(py)?.clock();
        let seconds = match (duration, this.duration) {
            (Some(duration), _) => duration,
            (None, Some(end)) => (end - clock.time()).max(0.0),
            (None, None) => {
                return Err(PyValueError::new_err("the scene has no end: pass a duration, `run(2.0)` for two seconds"));
            }
        };
        let steps = (seconds / clock.time_step()).round();
        if !(0.0..1e15).contains(&steps) {
            return Err(PyValueError::new_err(format!("a duration of {seconds} s cannot be run")));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        this.run_steps(slf, steps as u64, controller.as_ref())
    }

    /// Has `controller(simulation)` called before each step; returns it, so that it can be used as a decorator.
    fn add_controller<'py>(&self, controller: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !controller.is_callable() {
            return Err(PyTypeError::new_err("a controller is a function of the simulation"));
        }
        let py = controller.py();
        self.controllers.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).push(controller.clone().unbind());
        Ok(controller)
    }

    /// Back to the start of the run: the same state as that of a new simulation. Recordings begin anew.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let _busy = self.shared.begin(py)?;
        self.with_world(py, SimulatedScene::reset)?.map_err(|message| error(py, "SimulationError", message))?;
        self.shared.refresh(py)
    }

    /// The whole state of the simulation, for `restore`.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        let _busy = self.shared.begin(py)?;
        self.shared.command(py)?;
        let taken = self.with_world(py, SimulatedScene::snapshot)?;
        let snapshot = taken.map_err(|message| error(py, "SimulationError", message))?;
        Ok(Snapshot { snapshot, shared: Arc::clone(&self.shared) })
    }

    /// Back to a snapshot, or to the bytes of one of a simulation of the same scene. After a `teleport` it takes snapshots
    /// from after it, and those from before the first one of the simulation, unless they are bytes.
    fn restore(&self, py: Python<'_>, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        let _busy = self.shared.begin(py)?;
        let restored = match snapshot.cast::<Snapshot>() {
            Ok(own) if Arc::ptr_eq(&own.get().shared, &self.shared) => {
                let snapshot = &own.get().snapshot;
                self.with_world(py, |world| world.restore(snapshot))?
            }
            other => {
                let bytes = match other {
                    Ok(foreign) => foreign.get().bytes(py)?,
                    Err(_) => snapshot.extract()?,
                };
                self.with_world(py, |world| {
                    let snapshot = world.snapshot_of(&bytes)?;
                    world.restore(&snapshot)
                })?
            }
        };
        restored.map_err(PyValueError::new_err)?;
        self.shared.refresh(py)
    }

    /// Finishes the recordings; returns the paths of the files.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        let _busy = self.shared.begin(py)?;
        let Some(files) = self.with_world(py, SimulatedScene::finish)? else { return Ok(Vec::new()) };
        match files.failed.first() {
            None => Ok(files.finished.into_iter().chain(files.cut).collect()),
            Some((path, reason)) => {
                let message = format!("{} is not finished: {reason}", path.display());
                Err(PyRuntimeError::new_err(message))
            }
        }
    }

    /// Finishes recordings and ends the simulation; every further use is a `ClosedError`.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let is_open = self.shared.lock(py, 0)?.world(py).is_ok();
        if is_open {
            self.finish(py)?;
        }
        self.shared.close(py)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    /// The body with a name.
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<BodyView> {
        let names = self.shared.bodies.iter().map(|body| body.name.as_str());
        match names.clone().position(|known| known == name) {
            Some(index) => Ok(BodyView { shared: Arc::clone(&self.shared), index }),
            None => Err(unknown(py, "body", name, "the scene", names)),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.shared.bodies.iter().any(|body| body.name == name)
    }

    fn __len__(&self) -> usize {
        self.shared.bodies.len()
    }

    /// Names of the bodies, in the order of the scene.
    #[getter]
    fn body_names(&self) -> Vec<&str> {
        self.shared.bodies.iter().map(|body| body.name.as_str()).collect()
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.shared.lock(py, 0)?.world(py)?.clock().time())
    }

    /// Number of steps so far.
    #[getter]
    fn step_count(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.shared.lock(py, 0)?.world(py)?.clock().step())
    }

    /// Length of a step, s.
    #[getter]
    fn time_step(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.shared.lock(py, 0)?.world(py)?.clock().time_step())
    }

    /// Length of the run that the scene gives, s, or None.
    #[getter]
    fn duration(&self) -> Option<f64> {
        self.duration
    }

    /// Warnings and notes on the files, as a list of `Diagnostic`.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        diagnostics(py, &self.findings)
    }

    /// Warnings of the running simulation.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.shared.lock(py, 0)?.world(py)?.warnings())
    }

    fn __repr__(&self) -> String {
        format!("<bunraku.Simulation of {}>", self.body_names().join(", "))
    }
}

impl Simulation {
    fn with_world<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut SimulatedScene) -> T + Send) -> PyResult<T> {
        let mut locked = self.shared.lock(py, 0)?;
        let world = locked.world(py)?;
        detached(py, || work(world))
    }

    fn run_steps(&self, slf: &Bound<'_, Self>, steps: u64, controller: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let py = slf.py();
        let mut controllers: Vec<Py<PyAny>> = {
            let added = self.controllers.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
            added.iter().map(|controller| controller.clone_ref(py)).collect()
        };
        controllers.extend(controller.map(|controller| controller.clone().unbind()));
        if controllers.is_empty() {
            self.shared.command(py)?;
            let run = self.advance(py, steps);
            self.shared.refresh(py)?;
            return run;
        }
        for _ in 0..steps {
            for controller in &controllers {
                controller.call1(py, (slf,))?;
            }
            self.shared.command(py)?;
            let run = self.advance(py, 1);
            self.shared.refresh(py)?;
            run?;
        }
        Ok(())
    }

    fn advance(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let mut locked = self.shared.lock(py, 0)?;
        let world = locked.world(py)?;
        let mut left = steps;
        while left > 0 {
            let now = left.min(STEPS_AT_ONCE);
            detached(py, || world.step(now))?.map_err(|message| error(py, "SimulationError", message))?;
            left -= now;
            if left > 0 {
                py.check_signals()?;
            }
        }
        Ok(())
    }
}

/// The whole state of a simulation at one time.
#[pyclass(frozen, module = "bunraku")]
pub struct Snapshot {
    snapshot: Taken,
    shared: Arc<Shared>,
}

#[pymethods]
impl Snapshot {
    /// The snapshot as bytes, which `Simulation.restore` takes in another process that has loaded the same scene.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.bytes(py)?))
    }
}

impl Snapshot {
    fn bytes(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let mut locked = self.shared.lock(py, 0)?;
        let world = locked.world(py)?;
        let bytes = detached(py, || world.bytes_of(&self.snapshot))?;
        bytes.map_err(|message| error(py, "SimulationError", message))
    }
}
