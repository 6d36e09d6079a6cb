//! Servo efforts by backward Euler.
//!
//! An explicit servo takes the displacement and velocity at the beginning of a step and is unstable when
//! time step·damping + time step²·stiffness exceeds the inertia it acts on. Here the effort of servo i is that at the end
//! of the step, τᵢ = τ⁰ᵢ − Dᵢ·q̈ᵢ with Dᵢ = dt·damping + dt²·stiffness and τ⁰ the effort without acceleration, and the
//! acceleration follows from (M + D)·q̈ = τ⁰ − c + f ("stable proportional-derivative control", J. Tan, K. Liu and G. Turk,
//! IEEE Computer Graphics and Applications 31(4), 2011). M and c are mass matrix and bias of our own f64 model; f is what
//! acts from outside, contacts and joint limits above all. It is not known before the step, and is taken to be what
//! it was in the steps before: what accelerated the body beyond what was known. At rest the efforts are therefore those of a
//! spring exactly, whatever holds the body.
//!
//! A joint whose motion is prescribed is not accelerated within the step; its effort is what that takes.
//!
//! A part of a body that moves freely inside it counts as if it were fixed.

use bunraku_body::dynamics::{Configuration, Twist, num_root_coordinates};
use bunraku_body::{Body, BodyState, JointKind};
use nalgebra::{Cholesky, DMatrix, DVector, Vector3};

use super::demand::Demand;
use crate::SimulatedBody;
use crate::joints::SimulatedJoint;

/// A body at the beginning of a step.
pub(super) struct Moment<'a> {
    pub body: &'a Body,
    pub state: &'a BodyState,
    /// At the end of the step before; the state has those of the joints.
    pub root_twist: Twist,
    /// With what the step begins, prescribed joints having been given their velocities.
    pub start: &'a StartVelocities,
    /// Whether the root follows given poses, so that it is no coordinate.
    pub root_is_guided: bool,
    /// Of free fall, m/s².
    pub gravity: Vector3<f64>,
    /// s
    pub time_step: f64,
}

/// Velocities of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct StartVelocities {
    pub root: Twist,
    /// rad/s or m/s, joint order.
    pub joints: Vec<f64>,
}

/// Predicts servo efforts of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct ImplicitServos {
    before: Option<Before>,
    velocities: DVector<f64>,
    /// τ⁰ − c + f
    forces: DVector<f64>,
    external: DVector<f64>,
    zeros: Vec<f64>,
    unit: DVector<f64>,
    /// By simulated joint: the effort it is stuck at.
    stuck: Vec<Option<f64>>,
    factor: DMatrix<f64>,
    accelerations: Accelerations,
}

/// The share of the last step in the guess of what acts from outside; the rest is the guess before.
///
/// Measured on SR1, whose servos walk within 5.3, 5.4, 5.8 and 9.3 mm of Choreonoid's recording with 1, 0.5, 0.25 and 0.1
/// (18 mm with no guess), and on an arm of six links, which bears a stiffness of 50 kN·m/rad at 240 Hz with all but 1.
const FRESH: f64 = 0.5;

/// The same where joints are prescribed. They do not give way to what they do not expect, so that a guess that is quick makes a foot
/// hop on its floor: a leg that stands up yields by 160, 45, 5 and 24 µm with 0.5, 0.2, 0.05 and 0.01.
const FRESH_WHERE_PRESCRIBED: f64 = 0.05;

/// [`FRESH`], or less for a body with rotors on sliding joints.
///
/// Rapier knows nothing of such a rotor: an error e of the guess becomes −ρ·e in the next step, with ρ what the rotors weigh
/// against what else their joints move. With a share of 1/(1 + ρ) it dies away at once.
fn fresh(mass: &DMatrix<f64>, root: usize, simulated: &SimulatedBody) -> f64 {
    let sliding = simulated.rotors.coupled.iter().filter_map(|rotor| {
        let joint = &simulated.joints[rotor.joint];
        (joint.kind == JointKind::Prismatic).then_some((root + joint.joint, rotor.inertia))
    });
    let sliding: Vec<_> = sliding.collect();
    if sliding.is_empty() {
        return FRESH;
    }
    let Some(cholesky) = Cholesky::new(mass.clone()) else { return FRESH };
    // The largest eigenvalue of √J·M⁻¹·√J is ρ/(1 + ρ).
    let mut share = DMatrix::zeros(sliding.len(), sliding.len());
    for (place, &(column, inertia)) in sliding.iter().enumerate() {
        let mut unit = DVector::zeros(mass.nrows());
        unit[column] = inertia.sqrt();
        cholesky.solve_mut(&mut unit);
        for (other, &(row, inertia)) in sliding.iter().enumerate() {
            share[(other, place)] = inertia.sqrt() * unit[row];
        }
    }
    let largest = share.symmetric_eigenvalues().max();
    (1.0 - largest).clamp(0.0, FRESH)
}

/// The step before.
#[derive(Clone, Debug)]
struct Before {
    mass: DMatrix<f64>,
    velocities: DVector<f64>,
    /// Efforts less bias: what was known to accelerate it.
    known: DVector<f64>,
    root_twist: Twist,
}

/// Accelerations at the beginning of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Accelerations {
    /// Of the root link: of its origin and angular, world axes. Of a root that follows given poses, those of the last step.
    pub root: Twist,
    /// In joint order.
    pub joints: Vec<f64>,
}

/// When a servo is found to be at its bound the others move otherwise: so many times all are looked at again.
const PASSES: usize = 3;

impl ImplicitServos {
    /// The last step was not predicted.
    pub fn forget(&mut self) {
        self.before = None;
    }

    /// The accelerations with which the efforts were predicted.
    pub fn accelerations(&self) -> &Accelerations {
        &self.accelerations
    }

    /// The efforts of this step, within bounds, by simulated joint.
    pub fn predict(
        &mut self,
        moment: &Moment<'_>,
        simulated: &SimulatedBody,
        demands: &[Demand],
        efforts: &mut Vec<f64>,
    ) {
        let joints = &simulated.joints;
        let Moment { body, state, root_twist, start, .. } = moment;
        let configuration = Configuration::new(body, &state.link_poses[0], &state.displacements);
        let root = num_root_coordinates(body);
        let skipped = if moment.root_is_guided { root } else { 0 };
        let root = root - skipped;
        let mut mass = configuration.mass_matrix();
        if skipped > 0 {
            mass = mass.remove_rows(0, skipped).remove_columns(0, skipped);
        }
        let size = mass.nrows();
        self.zeros.resize(body.num_joints(), 0.0);
        let gravity = &moment.gravity;
        let bias = configuration.inverse_dynamics(&start.root, &Twist::ZERO, &start.joints, &self.zeros, gravity, &[]);

        // What `known` will be: less the bias, and with the efforts in the end.
        let mut known = DVector::zeros(size);
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize_vertically_mut(size, 0.0);
        set_velocities(&mut velocities, root, root_twist, &state.velocities);
        let is_prescribed = demands.iter().any(|demand| demand.prescribed.is_some());
        let mut fresh = fresh(&mass, root, simulated);
        if is_prescribed {
            fresh = fresh.min(FRESH_WHERE_PRESCRIBED);
        }
        self.guess_external(&velocities, moment.time_step, fresh);
        set_velocities(&mut velocities, root, &start.root, &start.joints);
        if root > 0 {
            known.fixed_rows_mut::<3>(0).copy_from(&-bias.root_wrench.force);
            known.fixed_rows_mut::<3>(3).copy_from(&-bias.root_wrench.torque);
        }
        for (place, bias) in bias.efforts.iter().enumerate() {
            known[root + place] = -bias;
        }
        self.accelerations.root = match &self.before {
            Some(before) if moment.root_is_guided => Twist {
                linear: (root_twist.linear - before.root_twist.linear) / moment.time_step,
                angular: (root_twist.angular - before.root_twist.angular) / moment.time_step,
            },
            _ => Twist::ZERO,
        };
        self.solve(moment, joints, demands, &mass, &known, efforts);
        for (joint, effort) in joints.iter().zip(efforts.iter()) {
            known[root + joint.joint] += effort;
        }
        if root > 0 {
            self.accelerations.root = Twist {
                linear: self.forces.fixed_rows::<3>(0).into_owned(),
                angular: self.forces.fixed_rows::<3>(3).into_owned(),
            };
        }
        self.accelerations.joints.clear();
        self.accelerations.joints.extend(self.forces.iter().skip(root));
        if let Some(before) = self.before.replace(Before { mass, velocities, known, root_twist: *root_twist }) {
            self.velocities = before.velocities;
        }
    }

    /// What acted from outside in the last step.
    fn guess_external(&mut self, velocities: &DVector<f64>, time_step: f64, fresh: f64) {
        self.external.resize_vertically_mut(velocities.len(), 0.0);
        match &self.before {
            Some(before) if before.velocities.len() == velocities.len() => {
                self.forces.copy_from_or_resize(velocities);
                self.forces -= &before.velocities;
                self.external.axpy(-fresh, &before.known, 1.0 - fresh);
                self.external.gemv(fresh / time_step, &before.mass, &self.forces, 1.0);
            }
            _ => self.external.fill(0.0),
        }
    }

    fn solve(
        &mut self,
        moment: &Moment<'_>,
        joints: &[SimulatedJoint],
        demands: &[Demand],
        mass: &DMatrix<f64>,
        known: &DVector<f64>,
        efforts: &mut Vec<f64>,
    ) {
        let (state, time_step) = (moment.state, moment.time_step);
        let root = mass.nrows() - moment.body.num_joints();
        // The servo's effort if the joint keeps its speed.
        let steady = |joint: &SimulatedJoint, demand: &Demand| {
            let velocity = moment.start.joints[joint.joint];
            demand.effort_at(state.displacements[joint.joint] + time_step * velocity, velocity)
        };
        self.stuck.clear();
        self.stuck.resize(joints.len(), None);
        for _ in 0..PASSES {
            let mut factor = std::mem::take(&mut self.factor);
            factor.copy_from_or_resize(mass);
            self.forces.copy_from_or_resize(known);
            self.forces += &self.external;
            for ((joint, demand), stuck) in joints.iter().zip(demands).zip(&self.stuck) {
                let column = root + joint.joint;
                self.forces[column] += stuck.unwrap_or_else(|| steady(joint, demand));
                if stuck.is_none() {
                    factor[(column, column)] += demand.implicit_inertia(time_step);
                }
            }
            for column in 0..factor.nrows() {
                // Places that move nothing.
                if factor[(column, column)] <= 0.0 {
                    factor[(column, column)] = 1.0;
                    self.forces[column] = 0.0;
                }
            }
            for (joint, demand) in joints.iter().zip(demands) {
                if demand.prescribed.is_some() {
                    prescribe(root + joint.joint, 0.0, &mut factor, &mut self.forces);
                }
            }
            let cholesky = Cholesky::new(factor);
            let accelerations = &mut self.forces;
            match &cholesky {
                Some(cholesky) => cholesky.solve_mut(accelerations),
                // Something that has to move weighs nothing; then the servos are explicit.
                None => accelerations.fill(0.0),
            }
            efforts.clear();
            let mut is_settled = true;
            for ((joint, demand), stuck) in joints.iter().zip(demands).zip(&mut self.stuck) {
                let column = root + joint.joint;
                if demand.prescribed.is_some() {
                    let needed = mass.row(column).transpose().dot(accelerations);
                    efforts.push(needed - known[column] - self.external[column]);
                    continue;
                }
                let mut acceleration = accelerations[column];
                let effort = stuck.unwrap_or_else(|| {
                    let mut effort = steady(joint, demand);
                    let velocity = moment.start.joints[joint.joint];
                    let fastest = demand.speeds.clamp(velocity + time_step * acceleration);
                    let wanted = (fastest - velocity) / time_step;
                    let drives = (acceleration - wanted) * effort > 0.0;
                    if drives
                        && demand.bounds.clamp(0.0) == 0.0
                        && let Some(cholesky) = &cholesky
                    {
                        // It would be faster than its motor: the motor does only what brings it to its speed.
                        self.unit.resize_vertically_mut(accelerations.len(), 0.0);
                        self.unit.fill(0.0);
                        self.unit[column] = 1.0;
                        cholesky.solve_mut(&mut self.unit);
                        effort += (wanted - acceleration) / self.unit[column];
                        acceleration = wanted;
                    }
                    effort - demand.implicit_inertia(time_step) * acceleration
                });
                let bounded = demand.bounds.clamp(effort);
                if stuck.is_none()
                    && (bounded.to_bits() != effort.to_bits()
                        || acceleration.to_bits() != accelerations[column].to_bits())
                {
                    *stuck = Some(bounded);
                    is_settled = false;
                }
                efforts.push(bounded);
            }
            if let Some(cholesky) = cholesky {
                self.factor = cholesky.unpack_dirty();
            }
            if is_settled {
                break;
            }
        }
    }
}

/// Writes the twist of the root, if it has `root` coordinates, and the velocities of the joints into one vector.
fn set_velocities(velocities: &mut DVector<f64>, root: usize, twist: &Twist, joints: &[f64]) {
    if root > 0 {
        velocities.fixed_rows_mut::<3>(0).copy_from(&twist.linear);
        velocities.fixed_rows_mut::<3>(3).copy_from(&twist.angular);
    }
    for (slot, velocity) in velocities.iter_mut().skip(root).zip(joints) {
        *slot = *velocity;
    }
}

/// Changes the equations `matrix`·x = `right` so that x at `column` comes out as `value` and the others with it.
pub(super) fn prescribe(column: usize, value: f64, matrix: &mut DMatrix<f64>, right: &mut DVector<f64>) {
    right.axpy(-value, &matrix.column(column), 1.0);
    matrix.row_mut(column).fill(0.0);
    matrix.column_mut(column).fill(0.0);
    matrix[(column, column)] = 1.0;
    right[column] = value;
}

/// [`nalgebra::Matrix::copy_from`] that makes room first.
trait CopyFromOrResize {
    fn copy_from_or_resize(&mut self, other: &Self);
}

impl CopyFromOrResize for DVector<f64> {
    fn copy_from_or_resize(&mut self, other: &Self) {
        if self.len() == other.len() { self.copy_from(other) } else { self.clone_from(other) }
    }
}

impl CopyFromOrResize for DMatrix<f64> {
    fn copy_from_or_resize(&mut self, other: &Self) {
        if self.shape() == other.shape() { self.copy_from(other) } else { self.clone_from(other) }
    }
}
