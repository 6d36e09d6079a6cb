//! The same bits on one thread and on two, for random systems of bodies.

use bunraku_body::{MassProperties, Range};
use bunraku_multibody::{
    Anchor, Closure, Contact, Coordinate, Drive, JointMotion, Outcome, Parameters, Part, PartIndex, Solver, State,
    StepInput, System, Twist,
};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

/// Numbers that are made of bytes; zeros once they are used up.
struct Numbers<'b>(std::slice::Iter<'b, u8>);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or_default()
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        f64::from(u16::from_le_bytes([self.byte(), self.byte()])) / f64::from(u16::MAX)
    }

    /// From -1 to 1.
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }
}

/// A system with its start, made of bytes.
struct Start {
    system: System,
    state: State,
    drives: Vec<Drive>,
    contacts: Vec<(PartIndex, Vector3<f64>)>,
}

/// Steps a random system on one thread and on two. Both give the same bits, and finite ones.
pub fn differential(bytes: &[u8]) {
    let start = start(&mut Numbers(bytes.iter()));
    let alone = run(&start, 1);
    assert!(alone.0.velocities.iter().chain(&alone.0.displacements).all(|number| number.is_finite()), "not finite");
    let together = run(&start, 2);
    assert!(bits(&alone.0) == bits(&together.0), "two threads give other bits than one");
    assert_eq!(alone.1, together.1, "two threads report something else than one");
}

/// The bits of a state, so that -0 and 0 differ.
fn bits(state: &State) -> Vec<u64> {
    let poses = state.root_poses.iter().flat_map(|pose| {
        let rotation = pose.rotation.coords;
        [pose.translation.x, pose.translation.y, pose.translation.z, rotation.x, rotation.y, rotation.z, rotation.w]
    });
    state.velocities.iter().chain(&state.displacements).copied().chain(poses).map(f64::to_bits).collect()
}

/// Some trees, as many as fit: single bodies, chains with drives, and loops.
fn start(numbers: &mut Numbers<'_>) -> Start {
    let mut system = System::new();
    let (mut contacts, mut places) = (Vec::new(), Vec::new());
    for _ in 0..2 + numbers.byte() % 6 {
        let length = 1 + usize::from(numbers.byte() % 4);
        let parts: Vec<Part> = (0..length).map(|index| part(index, numbers)).collect();
        let Some(tree) = system.add_tree(&parts) else { continue };
        let last = PartIndex(system.root(tree).0 + length - 1);
        if length > 2 && numbers.byte().is_multiple_of(3) {
            let frame = Isometry3::translation(0.0, 0.0, -0.1);
            let sides = [PartIndex(system.root(tree).0), last].map(|part| Anchor { part: Some(part), frame });
            let kind = bunraku_body::ExtraJointKind::PointOnPlane { axis: Vector3::x_axis() };
            system.add_closure(Closure { kind, sides });
        }
        for _ in 0..numbers.byte() % 5 {
            contacts.push((last, numbers.vector() * 0.2));
        }
        places.push((tree, numbers.vector(), numbers.vector() * 3.0));
    }
    let mut state = State::new(&system);
    for (tree, place, turning) in places {
        state.root_poses[tree.0].translation.vector = place + Vector3::z() * 0.3;
        state.set_root_twist(&system, tree, &Twist { linear: place, angular: turning });
    }
    let mut drives = vec![Drive::NONE; system.num_coordinates()];
    // Free roots have no drives.
    let joints = (0..system.num_parts()).map(PartIndex).filter(|&part| part != system.root(system.tree_of(part)));
    for coordinate in joints.filter_map(|part| system.coordinate_of(part)) {
        drives[coordinate.0] = match numbers.byte() % 4 {
            0 => Drive::servo(numbers.signed(), 500.0 * numbers.unit(), 10.0 * numbers.unit()),
            1 => Drive::effort(10.0 * numbers.signed()),
            _ => Drive::NONE,
        };
    }
    Start { system, state, drives, contacts }
}

fn part(index: usize, numbers: &mut Numbers<'_>) -> Part {
    let mass = 0.1 + 10.0 * numbers.unit();
    let inertia = Matrix3::from_diagonal_element(mass * (0.002 + 0.1 * numbers.unit()));
    let mass = MassProperties { mass, center_of_mass: Point3::from(numbers.vector() * 0.05), inertia };
    let offset =
        Isometry3::from_parts((numbers.vector() * 0.3).into(), UnitQuaternion::from_scaled_axis(numbers.vector()));
    let axis = numbers.vector().try_normalize(1e-3).unwrap_or_else(Vector3::x);
    let (parent, motion) = match (index.checked_sub(1), numbers.byte() % 2) {
        (None, _) => (None, JointMotion::Free),
        (parent, 0) => (parent, JointMotion::Revolute(axis)),
        (parent, _) => (parent, JointMotion::Prismatic(axis)),
    };
    let range = if numbers.byte().is_multiple_of(2) { Range::UNLIMITED } else { Range::symmetric(0.5) };
    let coordinate = Coordinate { friction: numbers.unit(), damping: numbers.unit(), range, ..Coordinate::default() };
    Part { parent, offset, motion, mass, coordinate }
}

/// Some steps on so many threads.
fn run(start: &Start, threads: usize) -> (State, Vec<Outcome>) {
    const STEPS: usize = 5;
    let mut state = start.state.clone();
    let mut solver = Solver::default();
    // Every island is worth a thread.
    let parameters = Parameters { threads, work_per_thread: 1, ..Parameters::default() };
    let outcomes = (0..STEPS).map(|_| {
        solver.begin(&start.system, &mut state, &start.drives, &parameters);
        let near = |&(part, offset): &(PartIndex, Vector3<f64>)| {
            let point = solver.pose(part) * Point3::from(offset);
            (part, point.coords)
        };
        let touching = start.contacts.iter().map(near).enumerate().filter(|(_, (_, point))| point.z < 0.05);
        let contacts: Vec<Contact> = touching.map(|(index, (part, point))| contact(index, part, point)).collect();
        let input = StepInput { drives: &start.drives, contacts: &contacts, wrenches: &[] };
        solver.finish(&start.system, &mut state, &input, &parameters)
    });
    let outcomes = outcomes.collect();
    (state, outcomes)
}

/// A contact of a point with the plane z = 0.
fn contact(index: usize, part: PartIndex, point: Vector3<f64>) -> Contact {
    Contact {
        id: index as u64,
        parts: [Some(part), None],
        point,
        normal: Vector3::z(),
        gap: point.z.max(-0.02),
        static_friction: 0.6,
        dynamic_friction: 0.5,
        restitution: 0.3,
        surface_velocity: Vector3::zeros(),
        share: 1.0,
    }
}
