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
//! What brakes a joint by itself belongs to the end of the step too: viscous damping as the damping of a servo, and dry friction as told in
//! [`super::dry_friction`]. A joint that keeps a hard velocity range, and would leave it, is given the acceleration that keeps it.
//!
//! A part of a body that moves freely inside it counts as if it were fixed.

use bunraku_body::dynamics::{Configuration, Twist, num_root_coordinates};
use bunraku_body::{Body, BodyState, JointIndex, JointKind};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Vector3};
use serde::{Deserialize, Serialize};
use typed_index_collections::{TiSlice, TiVec};

use super::demand::Demand;
use super::dry_friction;
use super::dry_friction::Rubbing;
use crate::model::index::SimulatedJointIndex;
use crate::model::simulated_body::{SimulatedBody, SimulatedJoint};

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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StartVelocities {
    pub root: Twist,
    /// rad/s or m/s
    pub joints: TiVec<JointIndex, f64>,
}

/// Predicts servo efforts of one body.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct ImplicitServos {
    before: Option<Before>,
    velocities: DVector<f64>,
    /// τ⁰ − c + f
    forces: DVector<f64>,
    external: DVector<f64>,
    zeros: Vec<f64>,
    /// What was found to hold each joint.
    held: TiVec<SimulatedJointIndex, Option<Held>>,
    /// What brakes each joint beside the motor; empty if nothing was predicted.
    losses: TiVec<SimulatedJointIndex, f64>,
    factor: DMatrix<f64>,
    accelerations: Accelerations,
}

/// Low-pass gain of the estimated external force: the weight of what the last step shows, against the estimate before.
///
/// Measured on SR1, whose servos walk within 5.3, 5.4, 5.8 and 9.3 mm of Choreonoid's recording with 1, 0.5, 0.25 and 0.1
/// (18 mm with no estimate), and on an arm of six links, which bears a stiffness of 50 kN·m/rad at 240 Hz with all but 1.
const EXTERNAL_FORCE_GAIN: f64 = 0.5;

/// The same where joints are prescribed. They do not give way to what they do not expect, so that a quick estimate makes a foot
/// hop on its floor: a leg that stands up yields by 160, 45, 5 and 24 µm with 0.5, 0.2, 0.05 and 0.01.
const EXTERNAL_FORCE_GAIN_WHERE_PRESCRIBED: f64 = 0.05;

/// [`EXTERNAL_FORCE_GAIN`], or less for a body with rotors on sliding joints.
///
/// Rapier knows nothing of such a rotor: an error e of the estimate becomes −ρ·e in the next step, with ρ what the rotors weigh
/// against what else their joints move. With a gain of 1/(1 + ρ) it dies away at once.
fn external_force_gain(mass: &DMatrix<f64>, root: usize, simulated: &SimulatedBody) -> f64 {
    let sliding = simulated.rotors.coupled.iter().filter_map(|rotor| {
        let joint = &simulated.joints[rotor.joint];
        (joint.kind == JointKind::Prismatic).then_some((root + joint.index.0, rotor.inertia))
    });
    let sliding: Vec<_> = sliding.collect();
    if sliding.is_empty() {
        return EXTERNAL_FORCE_GAIN;
    }
    let Some(cholesky) = Cholesky::new(mass.clone()) else { return EXTERNAL_FORCE_GAIN };
    // The largest eigenvalue of √J·M⁻¹·√J is ρ/(1 + ρ).
    let mut share = DMatrix::zeros(sliding.len(), sliding.len());
    for (index, &(column, inertia)) in sliding.iter().enumerate() {
        let mut unit = DVector::zeros(mass.nrows());
        unit[column] = inertia.sqrt();
        cholesky.solve_mut(&mut unit);
        for (other, &(row, inertia)) in sliding.iter().enumerate() {
            share[(other, index)] = inertia.sqrt() * unit[row];
        }
    }
    let largest = share.symmetric_eigenvalues().max();
    (1.0 - largest).clamp(0.0, EXTERNAL_FORCE_GAIN)
}

/// What holds a joint in a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Held {
    /// Its motor does all it can, N·m or N.
    Effort(f64),
    /// The end of its velocity range: its acceleration, rad/s² or m/s².
    Speed(f64),
}

/// The step before.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Before {
    mass: DMatrix<f64>,
    velocities: DVector<f64>,
    /// Efforts less bias: what was known to accelerate it.
    known: DVector<f64>,
    root_twist: Twist,
}

/// Accelerations at the beginning of a step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Accelerations {
    /// Of the root link: of its origin and angular, world axes. Of a root that follows given poses, those of the last step.
    pub root: Twist,
    pub joints: TiVec<JointIndex, f64>,
}

/// When a motor is found to be at its bound the others move otherwise: so many times all are looked at again.
const PASSES: usize = 3;

impl ImplicitServos {
    /// The last step was not predicted.
    pub fn forget(&mut self) {
        self.before = None;
        self.losses.clear();
    }

    /// The efforts of damping and dry friction, which no bounds limit; empty if nothing was predicted.
    pub fn losses(&self) -> &TiSlice<SimulatedJointIndex, f64> {
        &self.losses
    }

    /// The accelerations with which the efforts were predicted.
    pub fn accelerations(&self) -> &Accelerations {
        &self.accelerations
    }

    /// The efforts of this step, within bounds.
    pub fn predict(
        &mut self,
        moment: &Moment<'_>,
        simulated: &SimulatedBody,
        demands: &TiSlice<SimulatedJointIndex, Demand>,
        efforts: &mut TiVec<SimulatedJointIndex, f64>,
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
        let bias =
            configuration.inverse_dynamics(&start.root, &Twist::ZERO, &start.joints.raw, &self.zeros, gravity, &[]);

        // What `known` will be: less the bias, and with the efforts in the end.
        let mut known = DVector::zeros(size);
        let mut velocities = std::mem::take(&mut self.velocities);
        velocities.resize_vertically_mut(size, 0.0);
        set_velocities(&mut velocities, root, root_twist, &state.velocities);
        let is_prescribed = demands.iter().any(|demand| demand.prescribed.is_some());
        let mut gain = external_force_gain(&mass, root, simulated);
        if is_prescribed {
            gain = gain.min(EXTERNAL_FORCE_GAIN_WHERE_PRESCRIBED);
        }
        self.estimate_external(&velocities, moment.time_step, gain);
        set_velocities(&mut velocities, root, &start.root, &start.joints.raw);
        if root > 0 {
            known.fixed_rows_mut::<3>(0).copy_from(&-bias.root_wrench.force);
            known.fixed_rows_mut::<3>(3).copy_from(&-bias.root_wrench.torque);
        }
        for (index, bias) in bias.efforts.iter().enumerate() {
            known[root + index] = -bias;
        }
        self.accelerations.root = match &self.before {
            Some(before) if moment.root_is_guided => Twist {
                linear: (root_twist.linear - before.root_twist.linear) / moment.time_step,
                angular: (root_twist.angular - before.root_twist.angular) / moment.time_step,
            },
            _ => Twist::ZERO,
        };
        self.solve(moment, joints, demands, &mass, &known, efforts);
        for ((joint, effort), loss) in joints.iter().zip(efforts.iter()).zip(&self.losses) {
            known[root + joint.index.0] += effort + loss;
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
    fn estimate_external(&mut self, velocities: &DVector<f64>, time_step: f64, gain: f64) {
        self.external.resize_vertically_mut(velocities.len(), 0.0);
        match &self.before {
            Some(before) if before.velocities.len() == velocities.len() => {
                self.forces.copy_from_or_resize(velocities);
                self.forces -= &before.velocities;
                self.external.axpy(-gain, &before.known, 1.0 - gain);
                self.external.gemv(gain / time_step, &before.mass, &self.forces, 1.0);
            }
            _ => self.external.fill(0.0),
        }
    }

    fn solve(
        &mut self,
        moment: &Moment<'_>,
        joints: &TiSlice<SimulatedJointIndex, SimulatedJoint>,
        demands: &TiSlice<SimulatedJointIndex, Demand>,
        mass: &DMatrix<f64>,
        known: &DVector<f64>,
        efforts: &mut TiVec<SimulatedJointIndex, f64>,
    ) {
        let (state, time_step) = (moment.state, moment.time_step);
        let root = mass.nrows() - moment.body.num_joints();
        // The servo's effort if the joint keeps its speed.
        let steady = |joint: &SimulatedJoint, demand: &Demand| {
            let velocity = moment.start.joints[joint.index];
            demand.effort_at(state.displacement(joint.index) + time_step * velocity, velocity)
        };
        self.held.clear();
        self.held.resize(joints.len(), None);
        for _ in 0..PASSES {
            let mut factor = std::mem::take(&mut self.factor);
            factor.copy_from_or_resize(mass);
            self.forces.copy_from_or_resize(known);
            self.forces += &self.external;
            for ((joint, demand), held) in joints.iter().zip(demands).zip(&self.held) {
                let column = root + joint.index.0;
                self.forces[column] += match held {
                    None => steady(joint, demand),
                    Some(Held::Effort(effort)) => *effort,
                    Some(Held::Speed(_)) => 0.0,
                };
                if held.is_none() {
                    factor[(column, column)] += demand.implicit_inertia(time_step);
                }
                if demand.loss.damping > 0.0 {
                    factor[(column, column)] += time_step * demand.loss.damping;
                    self.forces[column] -= demand.loss.damping * moment.start.joints[joint.index];
                }
            }
            for column in 0..factor.nrows() {
                // Coordinates that move nothing.
                if factor[(column, column)] <= 0.0 {
                    factor[(column, column)] = 1.0;
                    self.forces[column] = 0.0;
                }
            }
            for ((joint, demand), held) in joints.iter().zip(demands).zip(&self.held) {
                if demand.prescribed.is_some() {
                    prescribe(root + joint.index.0, 0.0, &mut factor, &mut self.forces);
                } else if let Some(Held::Speed(acceleration)) = held {
                    prescribe(root + joint.index.0, *acceleration, &mut factor, &mut self.forces);
                }
            }
            let cholesky = Cholesky::new(factor);
            self.losses.clear();
            self.losses.resize(joints.len(), 0.0);
            match &cholesky {
                Some(cholesky) => {
                    cholesky.solve_mut(&mut self.forces);
                    self.rub(moment, joints, demands, cholesky);
                }
                // Something that has to move weighs nothing; then the servos are explicit.
                None => self.forces.fill(0.0),
            }
            let accelerations = &self.forces;
            efforts.clear();
            let mut is_settled = true;
            let outcomes = joints.iter().zip(demands).zip(self.held.iter_mut().zip(&mut self.losses));
            for ((joint, demand), (held, loss)) in outcomes {
                let column = root + joint.index.0;
                let acceleration = accelerations[column];
                let velocity = moment.start.joints[joint.index];
                let end = velocity + time_step * acceleration;
                if demand.loss.damping > 0.0 {
                    *loss -= demand.loss.damping * end;
                }
                // What it takes to move it so.
                let needed = || mass.row(column).transpose().dot(accelerations) - known[column] - self.external[column];
                if demand.prescribed.is_some() {
                    efforts.push(needed());
                    continue;
                }
                let effort = match held {
                    Some(Held::Effort(effort)) => *effort,
                    Some(Held::Speed(_)) => needed() - *loss,
                    None => steady(joint, demand) - demand.implicit_inertia(time_step) * acceleration,
                };
                let bounded = demand.bounds.clamp(effort);
                // An acceleration that is dictated by a range is at its end but for rounding.
                let fastest = demand.speeds.clamp(end);
                if bounded.to_bits() != effort.to_bits() {
                    *held = Some(Held::Effort(bounded));
                    is_settled = false;
                } else if held.is_none() && fastest.to_bits() != end.to_bits() {
                    *held = Some(Held::Speed((fastest - velocity) / time_step));
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

    /// Adds dry friction to the accelerations that were found without it.
    fn rub(
        &mut self,
        moment: &Moment<'_>,
        joints: &TiSlice<SimulatedJointIndex, SimulatedJoint>,
        demands: &TiSlice<SimulatedJointIndex, Demand>,
        cholesky: &Cholesky<f64, Dyn>,
    ) {
        let root = self.forces.len() - moment.body.num_joints();
        let rubbing: Vec<_> = joints
            .iter_enumerated()
            .zip(demands)
            .zip(&self.held)
            .filter(|((_, demand), held)| demand.loss.friction > 0.0 && !matches!(held, Some(Held::Speed(_))))
            .map(|(((index, joint), demand), _)| Rubbing {
                joint: index,
                row: root + joint.index.0,
                velocity: moment.start.joints[joint.index],
                limit: demand.loss.friction,
            })
            .collect();
        if !rubbing.is_empty() {
            dry_friction::add(&rubbing, cholesky, moment.time_step, &mut self.forces, &mut self.losses);
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
