//! `bunraku.Body`: a model, its kinematics and dynamics.

use std::path::PathBuf;
use std::sync::Arc;

use bunraku::body::dynamics::{Configuration, Twist, Wrench, num_coordinates};
use bunraku::body::{JointIndex, LinkIndex, kinematics};
use bunraku::task::inverse_kinematics::{Chain, Options, Solver};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{pose_row, wrench_row};
use crate::errors::{detached, error, guarded, unknown};
use crate::loading::{Roots, load_error};

/// Numbers of a sequence or an array of one axis.
#[derive(FromPyObject)]
#[pyo3(transparent)]
pub struct Numbers(Vec<f64>);

impl Numbers {
    /// The numbers, if they are as many as they have to be and finite.
    ///
    /// # Errors
    /// `ValueError`.
    pub fn of_length(self, what: &str, length: usize) -> PyResult<Vec<f64>> {
        if self.0.len() != length {
            return Err(PyValueError::new_err(format!("`{what}` has {} numbers instead of {length}", self.0.len())));
        }
        match self.0.iter().position(|number| !number.is_finite()) {
            Some(index) => Err(PyValueError::new_err(format!("`{what}[{index}]` is {}", self.0[index]))),
            None => Ok(self.0),
        }
    }
}

/// The pose of x, y, z, qw, qx, qy, qz.
///
/// # Errors
/// `ValueError` if the quaternion is zero.
pub fn pose(row: &[f64]) -> PyResult<Isometry3<f64>> {
    let rotation = UnitQuaternion::try_new(Quaternion::new(row[3], row[4], row[5], row[6]), 1e-9);
    let rotation = rotation.ok_or_else(|| PyValueError::new_err("the quaternion of a pose is zero"))?;
    Ok(Isometry3::from_parts(Translation3::new(row[0], row[1], row[2]), rotation))
}

/// Names of the joints, in the order of joint vectors; empty for unused joint IDs.
pub fn joint_names(body: &bunraku::body::Body) -> Vec<&str> {
    (0..body.num_joints()).map(|joint| body.joint_name(JointIndex(joint))).collect()
}

/// Names of the links, in link order.
pub fn link_names(body: &bunraku::body::Body) -> Vec<&str> {
    body.links().iter().map(|link| link.name.as_str()).collect()
}

/// A wrench on the root, shape (6,), and efforts, shape (joints,).
type WrenchAndEfforts<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// A model: a tree of links. `load_body` reads one, and `BodyView.model` is that of a body in a simulation.
///
/// Joint vectors have the order of `joint_names`; a free root adds six velocities before those of the joints (velocity
/// of the root origin, m/s, and angular velocity, rad/s). All vectors are along world axes.
#[pyclass(frozen, module = "bunraku")]
pub struct Body(pub Arc<bunraku::body::Body>);

/// Loads a model: `.body`, OpenHRP `.wrl`, URDF, or a mesh file.
///
/// Raises `LoadError` with the findings as `diagnostics`.
#[pyfunction]
#[pyo3(signature = (path, *, share=None, allow_outside=false, strict=false))]
pub fn load_body(
    py: Python<'_>,
    path: PathBuf,
    share: Option<PathBuf>,
    allow_outside: bool,
    strict: bool,
) -> PyResult<Body> {
    let roots = Roots { share, allow_outside, strict };
    let (body, findings) = detached(py, || {
        let reporter = roots.reporter();
        let body = bunraku::body::load(&path, &roots.load_options(), &reporter);
        (body, reporter.into_diagnostics())
    })?;
    match body {
        Some(body) => Ok(Body(Arc::new(body))),
        None => Err(load_error(py, "the model cannot be read", &findings)),
    }
}

#[pymethods]
impl Body {
    /// Name of the model.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Names of the joints, in the order of joint vectors; empty for unused joint IDs.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        joint_names(&self.0)
    }

    /// Names of the links; the root comes first.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        link_names(&self.0)
    }

    /// Mass, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.0.mass()
    }

    /// Whether the root is fixed to the world.
    #[getter]
    fn is_fixed(&self) -> bool {
        self.0.is_fixed()
    }

    /// Number of velocities: six of a free root, and one for each joint.
    #[getter]
    fn num_coordinates(&self) -> usize {
        num_coordinates(&self.0)
    }

    /// Displacements of the initial pose, rad or m, shape (joints,).
    #[getter]
    fn initial_displacements<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.initial_displacements())
    }

    /// Displacement ranges, rad or m, shape (joints, 2); infinite without a limit.
    #[getter]
    fn displacement_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.ranges(py, |joint| joint.displacement_range)
    }

    /// Velocity ranges, rad/s or m/s, shape (joints, 2); infinite without a limit.
    #[getter]
    fn velocity_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.ranges(py, |joint| joint.velocity_range)
    }

    /// Effort ranges, N·m or N, shape (joints, 2); infinite without a limit.
    #[getter]
    fn effort_ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.ranges(py, |joint| joint.effort_range)
    }

    /// World poses of the links, shape (links, 7): x, y, z (m), qw, qx, qy, qz.
    #[pyo3(signature = (displacements=None, root_pose=None))]
    fn link_poses<'py>(
        &self,
        py: Python<'py>,
        displacements: Option<Numbers>,
        root_pose: Option<Numbers>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (displacements, root) = self.configuration(displacements, root_pose)?;
        let poses = guarded(py, || kinematics::link_poses(&self.0, &root, &displacements))?;
        PyArray1::from_vec(py, poses.iter().flat_map(pose_row).collect()).reshape([poses.len(), 7])
    }

    /// Centre of mass in the world, m, shape (3,).
    #[pyo3(signature = (displacements=None, root_pose=None))]
    fn center_of_mass<'py>(
        &self,
        py: Python<'py>,
        displacements: Option<Numbers>,
        root_pose: Option<Numbers>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (displacements, root) = self.configuration(displacements, root_pose)?;
        let center = self.0.center_of_mass(&kinematics::link_poses(&self.0, &root, &displacements));
        Ok(PyArray1::from_slice(py, center.coords.as_slice()))
    }

    /// Jacobian of a point of a link, shape (6, num_coordinates): velocity of the point (m/s) and angular velocity of
    /// the link (rad/s) per velocity. `point` is in the link frame, m.
    #[pyo3(signature = (link, displacements=None, root_pose=None, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        link: &str,
        displacements: Option<Numbers>,
        root_pose: Option<Numbers>,
        point: Option<Numbers>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let link = self.link(py, link)?;
        let (displacements, root) = self.configuration(displacements, root_pose)?;
        let point = match point {
            Some(point) => Point3::from(Vector3::from_column_slice(&point.of_length("point", 3)?)),
            None => Point3::origin(),
        };
        let jacobian = guarded(py, || Configuration::new(&self.0, &root, &displacements).jacobian(link, &point))?;
        matrix(py, 6, jacobian.ncols(), |row, column| jacobian[(row, column)])
    }

    /// Mass matrix, shape (num_coordinates, num_coordinates), in kg, kg·m and kg·m².
    #[pyo3(signature = (displacements=None, root_pose=None))]
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        displacements: Option<Numbers>,
        root_pose: Option<Numbers>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (displacements, root) = self.configuration(displacements, root_pose)?;
        let masses = guarded(py, || Configuration::new(&self.0, &root, &displacements).mass_matrix())?;
        matrix(py, masses.nrows(), masses.ncols(), |row, column| masses[(row, column)])
    }

    /// Forces that a motion requires: a pair of the wrench on the root from outside, shape (6,), N and N·m about the
    /// root origin, and the joint efforts, shape (joints,), N·m or N.
    ///
    /// `gravity` is the acceleration of free fall, m/s².
    #[pyo3(signature = (displacements=None, velocities=None, accelerations=None, *, root_pose=None, root_twist=None, root_acceleration=None, gravity=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        displacements: Option<Numbers>,
        velocities: Option<Numbers>,
        accelerations: Option<Numbers>,
        root_pose: Option<Numbers>,
        root_twist: Option<Numbers>,
        root_acceleration: Option<Numbers>,
        gravity: Option<Numbers>,
    ) -> PyResult<WrenchAndEfforts<'py>> {
        let (displacements, root) = self.configuration(displacements, root_pose)?;
        let zeros = || vec![0.0; self.0.num_joints()];
        let of_joints = |values: Option<Numbers>, what| match values {
            Some(values) => values.of_length(what, self.0.num_joints()),
            None => Ok(zeros()),
        };
        let (velocities, accelerations) =
            (of_joints(velocities, "velocities")?, of_joints(accelerations, "accelerations")?);
        let twist = |values: Option<Numbers>, what| match values {
            None => Ok(Twist::ZERO),
            Some(values) => values.of_length(what, 6).map(|values| Twist {
                linear: Vector3::from_column_slice(&values[..3]),
                angular: Vector3::from_column_slice(&values[3..]),
            }),
        };
        let (root_twist, root_acceleration) =
            (twist(root_twist, "root_twist")?, twist(root_acceleration, "root_acceleration")?);
        let gravity = match gravity {
            Some(gravity) => Vector3::from_column_slice(&gravity.of_length("gravity", 3)?),
            None => Vector3::new(0.0, 0.0, -9.80665),
        };
        let external: [Wrench; 0] = [];
        let forces = guarded(py, || {
            let configuration = Configuration::new(&self.0, &root, &displacements);
            configuration.inverse_dynamics(
                &root_twist,
                &root_acceleration,
                &velocities,
                &accelerations,
                &gravity,
                &external,
            )
        })?;
        let wrench = PyArray1::from_slice(py, &wrench_row(&forces.root_wrench));
        Ok((wrench, PyArray1::from_vec(py, forces.efforts)))
    }

    /// Displacements that put `link` at `target`, shape (joints,), rad or m.
    ///
    /// Parameters
    /// ----------
    /// link : name of the link that is put there
    /// target : pose in the frame of `base`: x, y, z (m), qw, qx, qy, qz
    /// seed : displacements to start from; joints that are not between `base` and `link` keep them
    /// base : name of the link that stays; default: the root
    /// offset : pose in the frame of `link` of the tool that is put at `target`
    /// restarts : number of other starts if the first does not lead there; with 0 the solution is near the seed
    ///
    /// Raises
    /// ------
    /// UnreachableError
    ///     If the pose is not reached.
    #[pyo3(signature = (link, target, seed=None, *, base=None, offset=None, restarts=100))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn inverse_kinematics<'py>(
        &self,
        py: Python<'py>,
        link: &str,
        target: Numbers,
        seed: Option<Numbers>,
        base: Option<&str>,
        offset: Option<Numbers>,
        restarts: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let tool = self.link(py, link)?;
        let base = base.map_or(Ok(LinkIndex::ROOT), |base| self.link(py, base))?;
        let (mut displacements, _) = self.configuration(seed, None)?;
        let target = pose(&target.of_length("target", 7)?)?;
        let offset = match offset {
            Some(offset) => pose(&offset.of_length("offset", 7)?)?,
            None => Isometry3::identity(),
        };
        let chain = Chain::new(&self.0, base, tool, &offset);
        let chain = chain.map_err(|reason| PyValueError::new_err(reason.to_string()))?;
        let solved = detached(py, || {
            let mut values = chain.gather(&displacements);
            let mut solver = Solver::new(chain, Options { restarts, ..Options::default() });
            let solved = solver.solve(&target, &mut values);
            solver.chain().scatter(&values, &mut displacements);
            solved.map(|_| displacements)
        })?;
        match solved {
            Ok(displacements) => Ok(PyArray1::from_vec(py, displacements)),
            Err(unreached) => Err(error(py, "UnreachableError", unreached.to_string())),
        }
    }

    fn __repr__(&self) -> String {
        format!("<bunraku.Body `{}`: {} links, {} joints>", self.0.name, self.0.links().len(), self.0.num_joints())
    }
}

impl Body {
    fn link(&self, py: Python<'_>, name: &str) -> PyResult<LinkIndex> {
        let owner = format!("`{}`", self.0.name);
        self.0.find_link(name).ok_or_else(|| unknown(py, "link", name, &owner, link_names(&self.0)))
    }

    /// Displacements and root pose; those of the model where they are not given.
    fn configuration(
        &self,
        displacements: Option<Numbers>,
        root_pose: Option<Numbers>,
    ) -> PyResult<(Vec<f64>, Isometry3<f64>)> {
        let displacements = match displacements {
            Some(values) => values.of_length("displacements", self.0.num_joints())?,
            None => self.0.initial_displacements(),
        };
        let root = match root_pose {
            Some(values) => pose(&values.of_length("root_pose", 7)?)?,
            None => self.0.root().offset,
        };
        Ok((displacements, root))
    }

    fn ranges<'py>(
        &self,
        py: Python<'py>,
        range: impl Fn(&bunraku::body::Joint) -> bunraku::body::Range,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let of = |index| self.0.joint(JointIndex(index)).map_or(bunraku::body::Range::UNLIMITED, &range);
        let ranges: Vec<_> = (0..self.0.num_joints()).map(of).collect();
        matrix(py, ranges.len(), 2, |row, column| [ranges[row].lower, ranges[row].upper][column])
    }
}

fn matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let entry = &entry;
    let entries = (0..rows).flat_map(|row| (0..columns).map(move |column| entry(row, column)));
    PyArray1::from_vec(py, entries.collect()).reshape([rows, columns])
}
