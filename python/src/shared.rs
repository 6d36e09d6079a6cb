//! Worlds that a simulation or a batch shares with the views of its bodies.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use bunraku::body::{Body, JointIndex};
use bunraku::scene::Scene;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};

use crate::arrays::{Quantity, SharedArray};
use crate::errors::error;
use crate::world::SimulatedScene;

/// The worlds, and the arrays of their bodies.
pub struct Shared {
    /// `None` after they are closed.
    worlds: Vec<Mutex<Option<SimulatedScene>>>,
    /// Whether arrays have an axis for the worlds.
    is_batch: bool,
    pub bodies: Vec<SharedBody>,
    /// Arrays that somebody has asked for: those that each step refreshes. Whoever waits for it lets the GIL go, as
    /// its holder may need that.
    opened: Mutex<Vec<(usize, Quantity)>>,
    is_busy: AtomicBool,
}

/// A body with its arrays.
pub struct SharedBody {
    pub name: String,
    pub model: Arc<Body>,
    arrays: [PyOnceLock<SharedArray>; Quantity::ALL.len()],
}

/// A world that is locked.
pub struct Locked<'a>(MutexGuard<'a, Option<SimulatedScene>>);

impl Locked<'_> {
    /// The world; an error if it is closed.
    ///
    /// # Errors
    /// `ClosedError`.
    pub fn world(&mut self, py: Python<'_>) -> PyResult<&mut SimulatedScene> {
        self.0.as_mut().ok_or_else(|| error(py, "ClosedError", "the simulation is closed"))
    }
}

/// Steps are being run, until it is dropped.
pub struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn busy(py: Python<'_>) -> PyErr {
    let message = "the simulation is in use: one thread at a time may run it, and a controller must not step it";
    error(py, "BusyError", message)
}

impl Shared {
    /// Worlds of scenes that have the bodies of `scene`.
    pub fn new(worlds: Vec<SimulatedScene>, scene: &Scene, is_batch: bool) -> Self {
        let body = |body: &bunraku::scene::SceneBody| SharedBody {
            name: body.name.clone(),
            model: Arc::clone(&body.body),
            arrays: std::array::from_fn(|_| PyOnceLock::new()),
        };
        Self {
            worlds: worlds.into_iter().map(|world| Mutex::new(Some(world))).collect(),
            is_batch,
            bodies: scene.bodies.iter().map(body).collect(),
            opened: Mutex::default(),
            is_busy: AtomicBool::new(false),
        }
    }

    pub fn num_worlds(&self) -> usize {
        self.worlds.len()
    }

    /// Marks that steps are run; an error if they are already.
    ///
    /// # Errors
    /// `BusyError`.
    pub fn begin(&self, py: Python<'_>) -> PyResult<Busy<'_>> {
        match self.is_busy.swap(true, Ordering::Acquire) {
            true => Err(busy(py)),
            false => Ok(Busy(&self.is_busy)),
        }
    }

    /// Locks a world.
    ///
    /// # Errors
    /// `BusyError` if another thread uses it; `IndexError` if it does not exist.
    pub fn lock(&self, py: Python<'_>, world: usize) -> PyResult<Locked<'_>> {
        let Some(slot) = self.worlds.get(world) else {
            let message = format!("there is no world {world}: there are {}", self.worlds.len());
            return Err(pyo3::exceptions::PyIndexError::new_err(message));
        };
        match slot.try_lock() {
            Ok(guard) => Ok(Locked(guard)),
            Err(TryLockError::WouldBlock) => Err(busy(py)),
            // A panic in a step is a fault of the simulation, so its world can be read.
            Err(TryLockError::Poisoned(poisoned)) => Ok(Locked(poisoned.into_inner())),
        }
    }

    /// All worlds, for threads that run them.
    pub fn slots(&self) -> &[Mutex<Option<SimulatedScene>>] {
        &self.worlds
    }

    /// The array of a quantity of a body. The first call creates it; every step refreshes it from then on.
    ///
    /// # Errors
    /// If the worlds are closed or in use.
    pub fn array(&self, py: Python<'_>, body: usize, quantity: Quantity) -> PyResult<Py<PyAny>> {
        let cell = &self.bodies[body].arrays[quantity as usize];
        if let Some(array) = cell.get(py) {
            return Ok(array.view(py));
        }
        let mut shape = quantity.shape(&self.bodies[body].model);
        if self.is_batch {
            shape.insert(0, self.worlds.len());
        }
        let array = SharedArray::new(py, &shape, quantity.is_command())?;
        if quantity.is_measured() {
            for world in 0..self.worlds.len() {
                self.lock(py, world)?.world(py)?.measure_joints(body);
            }
        }
        self.fill(py, &array, body, quantity)?;
        let array = cell.get_or_init(py, || array).view(py);
        self.opened.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).push((body, quantity));
        Ok(array)
    }

    fn fill(&self, py: Python<'_>, array: &SharedArray, body: usize, quantity: Quantity) -> PyResult<()> {
        self.with_worlds(py, |worlds| fill(py, array, body, quantity, worlds))
    }

    /// Hands all worlds to `work`, each locked once.
    fn with_worlds<T>(&self, py: Python<'_>, work: impl FnOnce(&mut [Locked<'_>]) -> PyResult<T>) -> PyResult<T> {
        // Every step of a simulation comes here, so a single world needs no vector.
        if let [_] = &*self.worlds {
            return work(std::slice::from_mut(&mut self.lock(py, 0)?));
        }
        let mut worlds = (0..self.worlds.len()).map(|world| self.lock(py, world)).collect::<PyResult<Vec<_>>>()?;
        work(&mut worlds)
    }

    /// Refreshes all arrays.
    ///
    /// # Errors
    /// If the worlds are closed or in use.
    pub fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        let opened = self.opened.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.with_worlds(py, |worlds| {
            for &(body, quantity) in &*opened {
                if let Some(array) = self.bodies[body].arrays[quantity as usize].get(py) {
                    fill(py, array, body, quantity, worlds)?;
                }
            }
            Ok(())
        })
    }

    /// Passes the commands in the arrays to the worlds.
    ///
    /// # Errors
    /// `ValueError` if a command is not finite.
    pub fn command(&self, py: Python<'_>) -> PyResult<()> {
        let opened = self.opened.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if !opened.iter().any(|(_, quantity)| quantity.is_command()) {
            return Ok(());
        }
        self.with_worlds(py, |worlds| {
            for &(body, quantity) in opened.iter().filter(|(_, quantity)| quantity.is_command()) {
                let Some(array) = self.bodies[body].arrays[quantity as usize].get(py) else { continue };
                array.with(py, |values| {
                    self.check(body, quantity, values)?;
                    pass_on(py, body, quantity, values, worlds)
                })??;
            }
            Ok(())
        })
    }

    /// Reports commands that are not finite.
    fn check(&self, body: usize, quantity: Quantity, values: &[f64]) -> PyResult<()> {
        let Some(index) = values.iter().position(|value| !value.is_finite()) else { return Ok(()) };
        let SharedBody { name, model, .. } = &self.bodies[body];
        let length = model.num_joints();
        let of = match self.is_batch {
            true => format!(" of world {}", index / length),
            false => String::new(),
        };
        let (value, joint) = (values[index], model.joint_name(JointIndex(index % length)));
        Err(PyValueError::new_err(format!("`{}` of `{name}`{of} is {value} at joint `{joint}`", quantity.name())))
    }

    /// Closes the worlds.
    ///
    /// # Errors
    /// `BusyError` if steps are being run.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let _busy = self.begin(py)?;
        for world in 0..self.worlds.len() {
            // Dropping a world takes time, but it is that of one thread.
            drop(self.lock(py, world)?.0.take());
        }
        Ok(())
    }
}

/// Copies a quantity of all worlds to its array.
fn fill(
    py: Python<'_>,
    array: &SharedArray,
    body: usize,
    quantity: Quantity,
    worlds: &mut [Locked<'_>],
) -> PyResult<()> {
    array.with(py, |values| {
        let length = values.len() / worlds.len().max(1);
        for (index, locked) in worlds.iter_mut().enumerate() {
            quantity.read(locked.world(py)?, body, &mut values[index * length..][..length]);
        }
        Ok(())
    })?
}

/// Copies commands to all worlds.
fn pass_on(py: Python<'_>, body: usize, quantity: Quantity, values: &[f64], worlds: &mut [Locked<'_>]) -> PyResult<()> {
    let length = values.len() / worlds.len().max(1);
    for (index, locked) in worlds.iter_mut().enumerate() {
        quantity.write(locked.world(py)?, body, &values[index * length..][..length]);
    }
    Ok(())
}
