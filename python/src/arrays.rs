//! NumPy arrays of the state and the commands of bodies.

use bunraku::body::Body;
use bunraku::body::dynamics::{Twist, Wrench};
use bunraku::physics::{JointReadings, LinkMotions};
use nalgebra::{Isometry3, Vector3};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::world::SimulatedScene;

/// A quantity of a body that an array shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    JointDisplacements,
    JointVelocities,
    JointAccelerations,
    JointEfforts,
    JointReactions,
    LinkPoses,
    LinkTwists,
    Efforts,
    TargetDisplacements,
    TargetVelocities,
}

impl Quantity {
    /// All of them, with their names in Python.
    pub const ALL: [(Self, &'static str); 10] = [
        (Self::JointDisplacements, "joint_displacements"),
        (Self::JointVelocities, "joint_velocities"),
        (Self::JointAccelerations, "joint_accelerations"),
        (Self::JointEfforts, "joint_efforts"),
        (Self::JointReactions, "joint_reactions"),
        (Self::LinkPoses, "link_poses"),
        (Self::LinkTwists, "link_twists"),
        (Self::Efforts, "efforts"),
        (Self::TargetDisplacements, "target_displacements"),
        (Self::TargetVelocities, "target_velocities"),
    ];

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(quantity, _)| *quantity)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(quantity, _)| *quantity == self).map_or("", |(_, name)| name)
    }

    /// Shape of the array of one body.
    pub fn shape(self, body: &Body) -> Vec<usize> {
        match self {
            Self::LinkPoses => vec![body.links().len(), 7],
            Self::LinkTwists | Self::JointReactions => vec![body.links().len(), 6],
            _ => vec![body.num_joints()],
        }
    }

    /// Whether the user writes it and the next step reads it.
    pub fn is_command(self) -> bool {
        matches!(self, Self::Efforts | Self::TargetDisplacements | Self::TargetVelocities)
    }

    /// Whether it is measured only where somebody asks for it.
    pub fn is_measured(self) -> bool {
        matches!(self, Self::JointAccelerations | Self::JointEfforts | Self::JointReactions | Self::LinkTwists)
    }

    /// Writes the quantity to `values`: NaN where there is nothing yet.
    pub fn read(self, world: &SimulatedScene, body: usize, values: &mut [f64]) {
        let is_there = match self {
            Self::JointDisplacements => copy(world.state(body).map(|state| &*state.displacements), values),
            Self::JointVelocities => copy(world.state(body).map(|state| &*state.velocities), values),
            Self::LinkPoses => rows(world.state(body).map(|state| &*state.link_poses), values, pose_row),
            Self::Efforts => copy(world.get::<bunraku::body::JointEfforts>(body).map(|efforts| &*efforts.0), values),
            Self::TargetDisplacements => copy(targets(world, body).map(|targets| &*targets.displacements), values),
            Self::TargetVelocities => copy(targets(world, body).map(|targets| &*targets.velocities), values),
            Self::JointAccelerations => copy(readings(world, body).map(JointReadings::accelerations), values),
            Self::JointEfforts => copy(readings(world, body).map(JointReadings::efforts), values),
            Self::JointReactions => rows(readings(world, body).map(JointReadings::reactions), values, wrench_row),
            Self::LinkTwists => rows(world.get(body).map(LinkMotions::twists), values, twist_row),
        };
        if !is_there {
            values.fill(f64::NAN);
        }
    }

    /// Commands `values`.
    pub fn write(self, world: &mut SimulatedScene, body: usize, values: &[f64]) {
        match self {
            Self::Efforts => {
                if let Some(mut efforts) = world.efforts_mut(body) {
                    efforts.0.copy_from_slice(values);
                }
            }
            Self::TargetDisplacements => {
                if let Some(mut targets) = world.targets_mut(body) {
                    targets.displacements.copy_from_slice(values);
                }
            }
            Self::TargetVelocities => {
                if let Some(mut targets) = world.targets_mut(body) {
                    targets.velocities.copy_from_slice(values);
                }
            }
            _ => {}
        }
    }
}

fn targets(world: &SimulatedScene, body: usize) -> Option<&bunraku::body::JointTargets> {
    world.get(body)
}

fn readings(world: &SimulatedScene, body: usize) -> Option<&JointReadings> {
    world.get(body)
}

fn copy(source: Option<&[f64]>, values: &mut [f64]) -> bool {
    match source {
        Some(source) if source.len() == values.len() => {
            values.copy_from_slice(source);
            true
        }
        _ => false,
    }
}

fn rows<T, const N: usize>(source: Option<&[T]>, values: &mut [f64], row: impl Fn(&T) -> [f64; N]) -> bool {
    match source {
        Some(source) if source.len() * N == values.len() => {
            for (item, values) in source.iter().zip(values.chunks_exact_mut(N)) {
                values.copy_from_slice(&row(item));
            }
            true
        }
        _ => false,
    }
}

/// Position (m) and quaternion, in the order of `.seq` files: x, y, z, qw, qx, qy, qz.
pub fn pose_row(pose: &Isometry3<f64>) -> [f64; 7] {
    let (position, rotation) = (&pose.translation.vector, &pose.rotation);
    [position.x, position.y, position.z, rotation.w, rotation.i, rotation.j, rotation.k]
}

fn pair(first: &Vector3<f64>, second: &Vector3<f64>) -> [f64; 6] {
    [first.x, first.y, first.z, second.x, second.y, second.z]
}

pub fn twist_row(twist: &Twist) -> [f64; 6] {
    pair(&twist.linear, &twist.angular)
}

pub fn wrench_row(wrench: &Wrench) -> [f64; 6] {
    pair(&wrench.force, &wrench.torque)
}

/// An array whose content this crate refreshes. Users get a view of it.
pub struct SharedArray {
    base: Py<PyArray1<f64>>,
    view: Py<PyAny>,
}

impl SharedArray {
    /// An array of zeros that users may write to, or not.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(py: Python<'_>, shape: &[usize], is_writable: bool) -> PyResult<Self> {
        let base = PyArray1::<f64>::zeros(py, shape.iter().product::<usize>(), false);
        let view = base.reshape(shape)?.into_any();
        if !is_writable {
            let flags = PyDict::new(py);
            flags.set_item("write", false)?;
            view.call_method("setflags", (), Some(&flags))?;
        }
        Ok(Self { base: base.unbind(), view: view.unbind() })
    }

    /// The array for the user.
    pub fn view(&self, py: Python<'_>) -> Py<PyAny> {
        self.view.clone_ref(py)
    }

    /// Hands the content to `work`.
    ///
    /// # Errors
    /// If the array has no memory of its own.
    #[allow(unsafe_code, reason = "the borrow checks of the crate `numpy` take a third of the time that a step adds")]
    pub fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut [f64]) -> T) -> PyResult<T> {
        let base = self.base.bind(py);
        // SAFETY: `base` is contiguous and known to this module only, `work` never calls Python, and the view that
        // users have is read and written by NumPy with the GIL, which is held here.
        let values = unsafe { base.as_slice_mut() };
        Ok(work(values.map_err(|error| PyBufferError::new_err(error.to_string()))?))
    }
}
