//! `bunraku.BodyView`.

use std::sync::Arc;

use bunraku::body::dynamics::Twist;
use bunraku::body::{Actuation, BodyState, JointActuation, LinkIndex};
use bunraku::physics::Teleport;
use nalgebra::{Isometry3, Vector3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Quantity;
use crate::errors::{error, unknown};
use crate::model::{self, Body, Numbers};
use crate::sensors;
use crate::shared::Shared;

/// A body of a simulation, or the same body of all worlds of a batch.
///
/// Its arrays are made when they are first asked for, and refreshed in place by every step: keep them and read them in
/// a loop without a copy. `array.copy()` keeps values. In a batch all of them have a first axis for the worlds.
///
/// Joints are in the order of `joint_names`, links in that of `link_names`. All vectors are along world axes.
#[pyclass(frozen, module = "bunraku")]
pub struct BodyView {
    pub shared: Arc<Shared>,
    pub index: usize,
}

#[pymethods]
impl BodyView {
    /// Name in the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.bodies[self.index].name
    }

    /// The model.
    #[getter]
    fn model(&self) -> Body {
        Body(Arc::clone(&self.shared.bodies[self.index].model))
    }

    /// Names of the joints, in the order of joint arrays.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        model::joint_names(&self.shared.bodies[self.index].model)
    }

    /// Names of the links, in the order of link arrays; the root comes first.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        model::link_names(&self.shared.bodies[self.index].model)
    }

    /// Joint displacements, rad or m, shape (joints,); read-only.
    #[getter]
    fn joint_displacements(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::JointDisplacements)
    }

    /// Joint velocities, rad/s or m/s, shape (joints,); read-only.
    #[getter]
    fn joint_velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::JointVelocities)
    }

    /// Joint accelerations over the last step, rad/s² or m/s², shape (joints,); read-only.
    ///
    /// Measured from the first step after it is first read; NaN before.
    #[getter]
    fn joint_accelerations(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::JointAccelerations)
    }

    /// Effort on each joint along its axis in the last step, N·m or N, shape (joints,); read-only. Motor, damping,
    /// friction and stops together.
    ///
    /// Measured from the first step after it is first read; NaN before.
    #[getter]
    fn joint_efforts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::JointEfforts)
    }

    /// Force (N) and torque about the link origin (N·m) of the parent on each link through their joint, mean of the
    /// last step, shape (links, 6); read-only.
    ///
    /// Measured from the first step after it is first read; NaN before.
    #[getter]
    fn joint_reactions(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::JointReactions)
    }

    /// World poses of the link frames, shape (links, 7), rows x, y, z (m), qw, qx, qy, qz; read-only.
    #[getter]
    fn link_poses(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::LinkPoses)
    }

    /// Velocity of each link origin (m/s) and angular velocity (rad/s), shape (links, 6); read-only.
    ///
    /// Measured from the first step after it is first read; NaN before.
    #[getter]
    fn link_twists(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::LinkTwists)
    }

    /// Commanded joint efforts, N·m or N, shape (joints,); write to it. They last until they are overwritten.
    ///
    /// A `pd` controller of the scene overwrites them before each step.
    #[getter]
    fn efforts(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::Efforts)
    }

    #[setter]
    fn set_efforts(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.assign(py, Quantity::Efforts, values)
    }

    /// Displacements that servos hold, rad or m, shape (joints,); write to it. See `set_actuation`.
    #[getter]
    fn target_displacements(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::TargetDisplacements)
    }

    #[setter]
    fn set_target_displacements(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.assign(py, Quantity::TargetDisplacements, values)
    }

    /// Velocities that servos keep, rad/s or m/s, shape (joints,); write to it. See `set_actuation`.
    #[getter]
    fn target_velocities(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, Quantity::TargetVelocities)
    }

    #[setter]
    fn set_target_velocities(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.assign(py, Quantity::TargetVelocities, values)
    }

    /// An array by its name, as in `record` of `Batch.rollout`.
    fn array(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.shared.array(py, self.index, quantity(py, name)?)
    }

    /// A joint by the name of the joint or of its link.
    fn joint<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let model = &slf.get().shared.bodies[slf.get().index].model;
        let Some(index) = model.find_joint(name) else {
            return Err(unknown(py, "joint", name, &format!("`{}`", slf.get().name()), model::joint_names(model)));
        };
        py.import("bunraku._views")?.getattr("Joint")?.call1((slf, index.0, model.joint_name(index)))
    }

    /// A link by its name.
    fn link<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let model = &slf.get().shared.bodies[slf.get().index].model;
        let Some(index) = model.find_link(name) else {
            return Err(unknown(py, "link", name, &format!("`{}`", slf.get().name()), model::link_names(model)));
        };
        py.import("bunraku._views")?.getattr("Link")?.call1((slf, index.0, name))
    }

    /// Contacts of the last step, as a list of `Contact`. `world` is the index in a batch.
    #[pyo3(signature = (world=0))]
    fn contacts<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        // The world is not locked while Python makes objects, so that other threads can run it.
        let contacts: Vec<_> = {
            let mut locked = self.shared.lock(py, world)?;
            let world = locked.world(py)?;
            let contacts = world.contacts(self.index).into_iter();
            contacts
                .map(|contact| {
                    let other = contact.other.and_then(|(entity, link)| Some((world.body_of(entity)?, link)));
                    (contact, other)
                })
                .collect()
        };
        let class = py.import("bunraku._views")?.getattr("Contact")?;
        let vector = |vector: &Vector3<f64>| numpy::PyArray1::from_slice(py, vector.as_slice());
        let of = |(contact, other): &(bunraku::physics::Contact, Option<(usize, LinkIndex)>)| {
            let link = &self.shared.bodies[self.index].model.link(contact.link).name;
            let (body, other) = other
                .map(|(body, link)| {
                    let body = &self.shared.bodies[body];
                    (body.name.as_str(), body.model.link(link).name.as_str())
                })
                .unzip();
            let (point, normal, force) = (&contact.point.coords, &contact.normal, &contact.force);
            class.call1((link, body, other, vector(point), vector(normal), vector(force), contact.depth))
        };
        contacts.iter().map(of).collect()
    }

    /// Names of the sensors that the scene simulates (`record: { sensors: true }`).
    #[pyo3(signature = (world=0))]
    fn sensor_names(&self, py: Python<'_>, world: usize) -> PyResult<Vec<String>> {
        let mut locked = self.shared.lock(py, world)?;
        Ok(sensors::names(locked.world(py)?, self.index))
    }

    /// The last reading of a sensor, as a `Reading`; None before the first one. `world` is the index in a batch.
    #[pyo3(signature = (name, world=0))]
    fn sensor<'py>(&self, py: Python<'py>, name: &str, world: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (sample, names) = {
            let mut locked = self.shared.lock(py, world)?;
            let world = locked.world(py)?;
            (sensors::sample(world, self.index, name), sensors::names(world, self.index))
        };
        match sample {
            Some(sample) => sample.map(|sample| sensors::to_python(py, &sample)).transpose(),
            None => {
                let owner = format!("`{}`", self.name());
                Err(unknown(py, "simulated sensor", name, &owner, names.iter().map(String::as_str)))
            }
        }
    }

    /// Puts the body elsewhere at the beginning of the next step; its commands begin anew.
    ///
    /// Parameters
    /// ----------
    /// root_pose : x, y, z (m), qw, qx, qy, qz; default: the present one
    /// joint_displacements : rad or m; default: the present ones
    /// joint_velocities : rad/s or m/s; default: zero
    /// root_twist : velocity (m/s) and angular velocity (rad/s) of the root; default: zero
    /// world : index in a batch
    #[pyo3(signature = (root_pose=None, joint_displacements=None, joint_velocities=None, root_twist=None, world=0))]
    fn teleport(
        &self,
        py: Python<'_>,
        root_pose: Option<Numbers>,
        joint_displacements: Option<Numbers>,
        joint_velocities: Option<Numbers>,
        root_twist: Option<Numbers>,
        world: usize,
    ) -> PyResult<()> {
        let model = Arc::clone(&self.shared.bodies[self.index].model);
        let mut locked = self.shared.lock(py, world)?;
        let world = locked.world(py)?;
        let Some(now) = world.state(self.index) else { return Err(error(py, "SimulationError", "the body is gone")) };
        let root = match root_pose {
            Some(values) => model::pose(&values.of_length("root_pose", 7)?)?,
            None => now.link_poses.first().copied().unwrap_or_else(Isometry3::identity),
        };
        let displacements = match joint_displacements {
            Some(values) => values.of_length("joint_displacements", model.num_joints())?,
            None => now.displacements.clone(),
        };
        let mut state = BodyState::at_rest(&model, &root, displacements);
        if let Some(values) = joint_velocities {
            state.velocities = values.of_length("joint_velocities", model.num_joints())?;
        }
        let mut teleport = Teleport::to(state);
        if let Some(values) = root_twist {
            let values = values.of_length("root_twist", 6)?;
            let vector = |start: usize| Vector3::from_column_slice(&values[start..start + 3]);
            teleport = teleport.moving(Twist { linear: vector(0), angular: vector(3) });
        }
        world.teleport(self.index, teleport);
        Ok(())
    }

    /// How the joints are actuated: `"effort"` (the commanded effort), `"displacement"` (a servo with stiffness `kp`,
    /// N·m/rad or N/m, and damping `kd`, N·m·s/rad or N·s/m, at `target_displacements`), `"velocity"` (a servo with
    /// damping `kd` at `target_velocities`) or `"none"`. In a batch it holds for all worlds. `reset` keeps it.
    ///
    /// `kp` and `kd` are numbers, or sequences in joint order.
    #[pyo3(signature = (mode, kp=None, kd=None))]
    fn set_actuation(&self, py: Python<'_>, mode: &str, kp: Option<Gain>, kd: Option<Gain>) -> PyResult<()> {
        let count = self.shared.bodies[self.index].model.num_joints();
        let (kp, kd) = (Gain::values(kp, "kp", count)?, Gain::values(kd, "kd", count)?);
        let actuation: Vec<Actuation> = match mode {
            "none" => vec![Actuation::None; count],
            "effort" => vec![Actuation::Effort; count],
            "velocity" => kd.iter().map(|&damping| Actuation::Velocity { damping }).collect(),
            "displacement" => {
                let gains = kp.iter().zip(&kd);
                gains.map(|(&stiffness, &damping)| Actuation::Displacement { stiffness, damping }).collect()
            }
            _ => {
                let modes = ["effort", "displacement", "velocity", "none"];
                return Err(unknown(py, "actuation", mode, "a joint", modes));
            }
        };
        for world in 0..self.shared.num_worlds() {
            let mut locked = self.shared.lock(py, world)?;
            let world = locked.world(py)?;
            world.set_actuation(self.index, JointActuation(actuation.clone()));
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<bunraku.BodyView `{}`: {} joints>", self.name(), self.shared.bodies[self.index].model.num_joints())
    }
}

impl BodyView {
    fn assign(&self, py: Python<'_>, quantity: Quantity, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = self.shared.array(py, self.index, quantity)?;
        py.import("numpy")?.call_method1("copyto", (array, values))?;
        Ok(())
    }
}

/// The quantity of a name.
pub fn quantity(py: Python<'_>, name: &str) -> PyResult<Quantity> {
    let names = Quantity::ALL.iter().map(|(_, name)| *name);
    Quantity::of_name(name).ok_or_else(|| unknown(py, "array", name, "a body", names))
}

/// A gain for all joints, or one for each.
#[derive(FromPyObject)]
pub enum Gain {
    All(f64),
    Each(Numbers),
}

impl Gain {
    fn values(gain: Option<Self>, what: &str, count: usize) -> PyResult<Vec<f64>> {
        let values = match gain {
            None => vec![0.0; count],
            Some(Self::All(gain)) => vec![gain; count],
            Some(Self::Each(gains)) => gains.of_length(what, count)?,
        };
        match values.iter().find(|gain| !(0.0..=bunraku::physics::LARGEST_GAIN).contains(*gain)) {
            Some(gain) => Err(PyValueError::new_err(format!("`{what}` is {gain}: gains are finite and not negative"))),
            None => Ok(values),
        }
    }
}
