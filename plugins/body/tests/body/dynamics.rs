//! Jacobian, inverse dynamics and mass matrix: compared with each other, with formulas derived by hand and with stored
//! results of Pinocchio.

use bunraku_body::dynamics::{BodyMotionState, Configuration, InverseDynamics, Twist, Wrench, num_coordinates};
use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, JointIndex, LinkIndex, LoadOptions};
use bunraku_document::yaml::Document;
use bunraku_document::{Limits, Reporter, SourceFile, Value};
use bunraku_test_support::{assert_close, read_links, read_model};

use nalgebra::{DMatrix, DVector, Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Tolerance for sums of hundreds of products in another order, relative to the largest number of the array.
const AGREEMENT: f64 = 1e-9;
/// Tolerance for central differences with `STEP`: truncation STEP² and rounding 1e-16 / STEP.
const DIFFERENCES: f64 = 1e-7;
const STEP: f64 = 1e-5;

fn gravity() -> Vector3<f64> {
    Vector3::new(0.3, -0.2, -9.80665)
}

/// Largest difference, relative to the largest number.
#[track_caller]
fn deviation<'n>(found: impl IntoIterator<Item = &'n f64>, expected: impl IntoIterator<Item = &'n f64>) -> f64 {
    let (found, expected): (Vec<_>, Vec<_>) = (found.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0_f64, |size, number| size.max(number.abs())).max(1e-3);
    found.iter().zip(&expected).fold(0.0_f64, |worst, (found, expected)| {
        assert!(found.is_finite());
        worst.max((*found - *expected).abs() / size)
    })
}

#[track_caller]
fn assert_agree<'n>(found: impl IntoIterator<Item = &'n f64>, expected: impl IntoIterator<Item = &'n f64>, bound: f64) {
    let deviation = deviation(found, expected);
    assert!(deviation < bound, "{deviation:e}");
}

/// Deterministic irregular numbers.
fn some_numbers(count: usize, seed: f64) -> Vec<f64> {
    (0..count).map(|index| ((index as f64 + 1.0) * 12.9898 + seed * 78.233).sin()).collect()
}

fn somewhere() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.3, -2.0, 1.5), Vector3::new(0.4, -0.7, 1.1))
}

fn twist(numbers: &[f64]) -> Twist {
    Twist { linear: Vector3::from_column_slice(&numbers[..3]), angular: Vector3::from_column_slice(&numbers[3..6]) }
}

/// Splits velocities into the root's and the joints'.
fn split<'v>(body: &Body, whole: &'v [f64]) -> (Twist, &'v [f64]) {
    if body.is_fixed() { (Twist::ZERO, whole) } else { (twist(&whole[..6]), &whole[6..]) }
}

/// Root wrench (if the root is free) and efforts as one vector.
fn joined(body: &Body, result: &InverseDynamics) -> DVector<f64> {
    let Wrench { force, torque } = result.root_wrench;
    let root = force.iter().chain(torque.iter()).copied().take(if body.is_fixed() { 0 } else { 6 });
    DVector::from_vec(root.chain(result.efforts.iter().copied()).collect())
}

fn inverse(at: &Configuration<'_>, v: &[f64], a: &[f64], gravity: &Vector3<f64>, external: &[Wrench]) -> DVector<f64> {
    let ((root_v, v), (root_a, a)) = (split(at.body(), v), split(at.body(), a));
    joined(at.body(), &at.inverse_dynamics(&root_v, &root_a, v, a, gravity, external))
}

/// Root pose and joint displacements after moving with constant velocities.
fn moved(body: &Body, root: &Isometry3<f64>, q: &[f64], velocities: &[f64], time: f64) -> (Isometry3<f64>, Vec<f64>) {
    let (twist, joints) = split(body, velocities);
    let translation = Translation3::from(root.translation.vector + twist.linear * time);
    let rotation = UnitQuaternion::from_scaled_axis(twist.angular * time) * root.rotation;
    (
        Isometry3::from_parts(translation, rotation),
        q.iter().zip(joints).map(|(q, velocity)| q + velocity * time).collect(),
    )
}

/// Checks that a mass matrix is positive definite except for entries that move nothing.
fn check_definite(body: &Body, mass: &DMatrix<f64>) {
    let joints = mass.ncols() - body.num_joints();
    let moves = |column: usize| {
        column < joints || body.joint(JointIndex(column - joints)).is_some_and(|joint| joint.kind.has_displacement())
    };
    let (moving, still): (Vec<usize>, Vec<usize>) = (0..mass.ncols()).partition(|column| moves(*column));
    assert!(mass.select_rows(&moving).select_columns(&moving).cholesky().is_some());
    for column in still {
        assert!(mass.column(column).iter().all(|number| *number == 0.0));
    }
}

/// Checks identities that hold for every body.
fn check_identities(body: &Body, root: &Isometry3<f64>, q: &[f64]) {
    let size = num_coordinates(body);
    let at = Configuration::new(body, root, q);
    let mass = at.mass_matrix();
    assert_eq!(mass.shape(), (size, size));
    assert_eq!(mass, mass.transpose());

    check_definite(body, &mass);

    // The mass matrix column by column from inverse dynamics; gravity and velocities cancel.
    let v = some_numbers(size, 1.0);
    let still = inverse(&at, &v, &vec![0.0; size], &gravity(), &[]);
    let mut columns = DMatrix::zeros(size, size);
    for column in 0..size {
        let mut unit = vec![0.0; size];
        unit[column] = 1.0;
        columns.set_column(column, &(inverse(&at, &v, &unit, &gravity(), &[]) - &still));
    }
    assert_agree(columns.iter(), mass.iter(), AGREEMENT);

    // Kinetic energy and momentum.
    let (root_v, joint_v) = split(body, &v);
    let velocities = DVector::from_column_slice(&v);
    let energy = 0.5 * velocities.dot(&(&mass * &velocities));
    assert_agree(&[at.kinetic_energy(&root_v, joint_v)], &[energy], AGREEMENT);
    let center = at.center_of_mass_velocity(&root_v, joint_v);
    assert_agree(center.iter(), (at.center_of_mass_jacobian() * &velocities).iter(), AGREEMENT);

    // Jacobian compared with differences and with the twists of the links.
    let ((root_ahead, q_ahead), (root_behind, q_behind)) =
        (moved(body, root, q, &v, STEP), moved(body, root, q, &v, -STEP));
    let (ahead, behind) = (link_poses(body, &root_ahead, &q_ahead), link_poses(body, &root_behind, &q_behind));
    let twists = at.link_twists(&root_v, joint_v);
    let point = Point3::new(0.2, -0.1, 0.3);
    for index in 0..body.links().len() {
        let found = at.jacobian(LinkIndex(index), &point) * &velocities;
        let linear = (ahead[index] * point - behind[index] * point) / (2.0 * STEP);
        let angular = (ahead[index].rotation * behind[index].rotation.inverse()).scaled_axis() / (2.0 * STEP);
        assert_agree(found.iter(), linear.iter().chain(angular.iter()), DIFFERENCES);
        let speed = twists[index].velocity_at(&(at.link_poses()[index].rotation * point.coords));
        assert_agree(found.iter(), speed.iter().chain(twists[index].angular.iter()), AGREEMENT);
    }
    let centers = body.center_of_mass(&ahead) - body.center_of_mass(&behind);
    assert_agree(center.iter(), (centers / (2.0 * STEP)).iter(), DIFFERENCES);

    // An external force acts through the Jacobian.
    let last = LinkIndex(body.links().len() - 1);
    let force = Vector3::new(3.0, -5.0, 7.0);
    let torque = Vector3::new(0.7, 0.2, -0.4);
    let mut external = vec![Wrench::ZERO; body.links().len()];
    external[last.0] = Wrench::from_force_at(force, &(at.link_poses()[last.0].rotation * point.coords));
    external[last.0].torque += torque;
    let with = inverse(&at, &v, &vec![0.0; size], &gravity(), &external);
    let wrench = DVector::from_iterator(6, force.iter().chain(torque.iter()).copied());
    let felt = at.jacobian(last, &point).transpose() * wrench;
    assert_agree((&still - with).iter(), felt.iter(), AGREEMENT);

    // Power balance: efforts and root wrench change kinetic plus potential energy.
    let a = some_numbers(size, 2.0);
    let power = inverse(&at, &v, &a, &gravity(), &[]).dot(&velocities);
    let energy_at = |time: f64| {
        let velocities: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + a * time).collect();
        // Positions move along straight lines. The neglected terms are even in time and cancel in the difference.
        let (root, q) = moved(body, root, q, &v, time);
        let (twist, joints) = split(body, &velocities);
        let at = Configuration::new(body, &root, &q);
        at.kinetic_energy(&twist, joints) + at.potential_energy(&gravity())
    };
    let rate = (energy_at(STEP) - energy_at(-STEP)) / (2.0 * STEP);
    let scale = energy.abs() + power.abs() + energy_at(0.0).abs();
    assert!((rate - power).abs() < DIFFERENCES * scale, "{rate} {power}");
}

#[test]
fn a_pendulum_follows_the_closed_formula() {
    // Point-like bob at l below the joint about y, which is 1 m up, and a rotor of 0.3 kg·m².
    let body = read_links(
        "  - { name: BASE, joint_type: fixed, mass: 3 }
  - { name: BOB, parent: BASE, joint_type: revolute, joint_axis: Y, joint_id: 0, translation: [ 0, 0, 1 ], mass: 2,
      center_of_mass: [ 0, 0, -0.7 ], inertia: [ 0.1, 0, 0, 0.2, 0, 0.1 ], joint_axis_inertia: 0.3 }
",
    );
    let (mass, length, g) = (2.0, 0.7, 9.80665);
    for (q, v, a) in [(0.0, 0.0, 0.0), (0.4, 1.5, -2.0), (-2.0, -0.3, 5.0)] {
        let state =
            BodyMotionState { displacements: &[q], velocities: &[v], accelerations: &[a], ..Default::default() };
        let result = InverseDynamics::of(&body, &state, &Vector3::new(0.0, 0.0, -g), &[]);
        let inertia = 0.2 + mass * length * length;
        assert_close(result.efforts[0], (inertia + 0.3) * a + mass * g * length * q.sin());
        // The mount supports the weight and the acceleration of the bob at −l (sin q, 0, cos q).
        let x = -length * (a * q.cos() - v * v * q.sin());
        let z = -length * (-a * q.sin() - v * v * q.cos());
        assert_close(result.root_wrench.force.x, mass * x);
        assert_close(result.root_wrench.force.z, mass * (z + g) + 3.0 * g);
        assert_close(result.root_wrench.torque.y, inertia * a + mass * g * length * q.sin() + mass * x);
        assert_close(Configuration::new(&body, &state.root_pose, &[q]).mass_matrix()[(0, 0)], inertia + 0.3);
    }
}

#[test]
fn the_coriolis_force_acts_on_a_slider_on_a_turntable() {
    let body = read_links(
        "  - { name: BASE }
  - { name: TABLE, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, mass: 1 }
  - { name: RIDER, parent: TABLE, joint_type: prismatic, joint_axis: X, joint_id: 1, mass: 2,
      inertia: [ 0, 0, 0, 0, 0, 0 ] }
",
    );
    let (turn, spin, radius, speed) = (0.8, 1.7, 0.6, -0.9);
    let at = Configuration::new(&body, &Isometry3::identity(), &[turn, radius]);
    let rest = Twist::ZERO;
    let result = at.inverse_dynamics(&rest, &rest, &[spin, speed], &[], &Vector3::zeros(), &[]);
    assert_close(result.efforts[0], 2.0 * 2.0 * radius * speed * spin);
    assert_close(result.efforts[1], -2.0 * radius * spin * spin);
}

#[test]
fn a_body_in_free_fall_needs_no_external_wrench() {
    let body = read_links("  - { name: STONE, joint_type: free, mass: 3, center_of_mass: [ 0.1, 0.2, 0.3 ] }\n");
    let state = BodyMotionState {
        root_pose: somewhere(),
        root_acceleration: Twist { linear: gravity(), ..Twist::ZERO },
        ..Default::default()
    };
    assert_eq!(InverseDynamics::of(&body, &state, &gravity(), &[]).root_wrench, Wrench::ZERO);
}

#[test]
fn entries_that_move_nothing_and_short_vectors_are_ignored() {
    let links = "  - { name: BASE, joint_type: free, joint_id: 0 }
  - { name: PLATE, parent: BASE, joint_type: fixed, joint_id: 1, translation: [ 1, 0, 0 ] }
  - { name: BELT, parent: PLATE, joint_type: pseudo_continuous_track, joint_axis: Y }
  - { name: LOOSE, parent: PLATE, joint_type: free, translation: [ 0, 1, 0 ] }
  - { name: ARM, parent: LOOSE, joint_type: prismatic, joint_axis: [ 0, 0, 2 ], joint_id: 3 }
  - { name: WHEEL, parent: ARM, joint_type: revolute, joint_axis: [ 0, 3, 0 ], joint_id: 4 }
  - { name: DUST, parent: WHEEL, mass: 0 }
";
    let mut body = read_model(&bunraku_test_support::model_text(links)).0.unwrap();
    for fixed in [false, true] {
        body.set_fixed(fixed);
        check_identities(&body, &somewhere(), &some_numbers(body.num_joints(), 3.0));
        let nowhere = Configuration::new(&body, &somewhere(), &[]);
        assert_eq!(nowhere.mass_matrix().nrows(), num_coordinates(&body));
        assert_eq!(nowhere.jacobian(LinkIndex(99), &Point3::origin()).amax(), 0.0);
        let result = InverseDynamics::of(&body, &BodyMotionState::default(), &gravity(), &[Wrench::ZERO; 50]);
        assert_eq!(result.efforts.len(), body.num_joints());
        assert_close(result.root_wrench.force.z, -body.mass() * gravity().z);
    }
}

// --- Pinocchio

/// Reader of the stored results.
struct Figures<'a> {
    value: Value<'a>,
    reporter: &'a Reporter,
}

impl<'a> Figures<'a> {
    fn at(&self, key: &str) -> Self {
        Self { value: self.value.get(key).expect(key), reporter: self.reporter }
    }

    fn items(&self) -> Vec<Self> {
        self.value.items().unwrap().map(|value| Self { value, reporter: self.reporter }).collect()
    }

    fn numbers(&self) -> Vec<f64> {
        self.value.as_numbers(self.reporter).unwrap()
    }

    fn number(&self) -> f64 {
        self.value.as_number(self.reporter).unwrap()
    }

    fn vector(&self) -> Vector3<f64> {
        Vector3::from_vec(self.numbers())
    }
}

/// Largest deviation of each quantity.
#[derive(Debug, Default)]
struct Worst {
    efforts: f64,
    efforts_with_external: f64,
    mass: f64,
    jacobian: f64,
    kinetic: f64,
    center_velocity: f64,
}

fn compare(body: &Body, case: &Figures<'_>, gravity: &Vector3<f64>, worst: &mut Worst) {
    let note = |place: &mut f64, deviation: f64| *place = place.max(deviation);
    let rotation = UnitQuaternion::from_scaled_axis(case.at("turn_axis").vector() * case.at("turn").number());
    let root = Isometry3::from_parts(case.at("position").vector().into(), rotation);
    let (q, v, a) = (case.at("q").numbers(), case.at("v").numbers(), case.at("a").numbers());
    let (root_v, root_a) = (twist(&case.at("twist").numbers()), twist(&case.at("acceleration").numbers()));
    let at = Configuration::new(body, &root, &q);

    // Pinocchio's links are in file order.
    let mut external = vec![Wrench::ZERO; body.links().len()];
    for (index, wrench) in case.at("external").items().iter().enumerate() {
        let Twist { linear: force, angular: torque } = twist(&wrench.numbers());
        external[body.find_link(&format!("L{index}")).unwrap().0] = Wrench { force, torque };
    }
    let tau = joined(body, &at.inverse_dynamics(&root_v, &root_a, &v, &a, gravity, &[]));
    note(&mut worst.efforts, deviation(tau.iter(), &case.at("tau").numbers()));
    let tau = joined(body, &at.inverse_dynamics(&root_v, &root_a, &v, &a, gravity, &external));
    note(&mut worst.efforts_with_external, deviation(tau.iter(), &case.at("tau_external").numbers()));

    let mass = at.mass_matrix();
    let upper: Vec<f64> = (0..mass.nrows())
        .flat_map(|row| (row..mass.ncols()).map(move |column| (row, column)))
        .map(|at| mass[at])
        .collect();
    note(&mut worst.mass, deviation(&upper, &case.at("mass_upper").numbers()));
    for stored in case.at("jacobians").items() {
        let link = body.find_link(stored.at("link").value.text().unwrap()).unwrap();
        let jacobian = at.jacobian(link, &stored.at("point").vector().into());
        let rows: Vec<f64> = stored.at("rows").items().iter().flat_map(Figures::numbers).collect();
        note(&mut worst.jacobian, deviation(jacobian.transpose().iter(), &rows));
    }
    note(&mut worst.kinetic, deviation(&[at.kinetic_energy(&root_v, &v)], &[case.at("kinetic").number()]));
    let center = at.center_of_mass_velocity(&root_v, &v);
    note(&mut worst.center_velocity, deviation(center.iter(), &case.at("com_velocity").numbers()));
}

/// Calls `visit` for each stored tree, with its body.
fn for_each_tree(mut visit: impl FnMut(&mut Body, &Figures<'_>, &Vector3<f64>)) {
    let source = SourceFile::from_text("pinocchio.json", include_str!("reference/pinocchio.json"));
    let reporter = Reporter::new();
    let document = Document::parse(&source, &Limits::default(), &reporter).unwrap();
    let top = Figures { value: document.root(), reporter: &reporter };
    let gravity = top.at("gravity").vector();
    let trees = top.at("trees").items();
    assert_eq!(trees.len(), 10);
    for tree in &trees {
        // The IDs have intended gaps, which give a warning.
        let mut body = read_model(tree.at("body").value.text().unwrap()).0.unwrap();
        visit(&mut body, tree, &gravity);
    }
}

#[test]
fn pinocchio_agrees() {
    let mut worst = Worst::default();
    for_each_tree(|body, tree, gravity| {
        for case in tree.at("cases").items() {
            compare(body, &case, gravity, &mut worst);
        }
    });
    println!("{worst:?}");
    let Worst { efforts, efforts_with_external, mass, jacobian, kinetic, center_velocity } = worst;
    for deviation in [efforts, efforts_with_external, mass, jacobian, kinetic, center_velocity] {
        assert!(deviation < AGREEMENT, "{worst:?}");
    }
}

#[test]
fn random_trees_keep_the_identities_fixed_and_floating() {
    for_each_tree(|body, tree, gravity| {
        let q = tree.at("cases").items()[0].at("q").numbers();
        let mut both = Vec::new();
        for fixed in [false, true] {
            body.set_fixed(fixed);
            check_identities(body, &somewhere(), &q);
            // The root wrench is the same for a fixed root.
            let state = BodyMotionState { displacements: &q, velocities: &q, accelerations: &q, ..Default::default() };
            both.push(InverseDynamics::of(body, &state, gravity, &[]));
        }
        assert_eq!(both[0], both[1]);
    });
}

#[test]
fn a_real_robot_keeps_the_identities() {
    let Some(corpus) = bunraku_test_support::corpus() else {
        return;
    };
    let path = corpus.join("share/model/SR1/SR1.body");
    let mut body = bunraku_body::load(&path, &LoadOptions::default(), &Reporter::new()).expect("SR1");
    for fixed in [false, true] {
        body.set_fixed(fixed);
        check_identities(&body, &somewhere(), &body.initial_displacements());
        check_identities(&body, &somewhere(), &some_numbers(body.num_joints(), 4.0));
    }
}
