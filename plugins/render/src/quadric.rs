//! Rays against the exact surfaces of primitives, in double precision.
//!
//! A closed primitive is convex, so a line is inside it over one interval. The interval of a cylinder or cone is that of
//! the infinite surface cut by its end planes. No line can slip between side and cap, because both ends of the interval
//! lie on one of them.

use bunraku_mesh::Primitive;
use nalgebra::Vector3;

/// A line with unlimited extent in the frame of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// A point of the line, m.
    pub origin: Vector3<f64>,
    /// Direction; its length is the unit of the parameter of the line.
    pub direction: Vector3<f64>,
}

/// Face of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The curved surface.
    Round,
    /// The cap at +Y or −Y.
    Cap {
        /// Whether it is the one at +Y.
        top: bool,
    },
    /// A face of a box.
    Plane {
        /// Axis perpendicular to the face: 0, 1 or 2.
        axis: usize,
        /// Whether its outward normal is along the positive axis.
        positive: bool,
    },
}

/// Part of a line inside a closed primitive: parameters and faces of entry and exit.
#[derive(Clone, Copy, Debug)]
struct Chord {
    enter: (f64, Face),
    leave: (f64, Face),
}

/// The first hit of a line at a parameter of at least `start`: parameter and face. Closed primitives are hit from
/// outside only; those with a missing cap, and flat boxes, from both sides.
pub fn first_hit(primitive: &Primitive, line: &Line, start: f64) -> Option<(f64, Face)> {
    // Parameters count from the point nearest to the centre, so that rounding does not grow with the distance.
    let Line { origin, direction } = *line;
    let nearest = -origin.dot(&direction) / direction.norm_squared();
    let line = Line { origin: origin + direction * nearest, direction };
    let chord = chord(primitive, &line)?;
    let is_hit = |(at, face): &(f64, Face)| nearest + at >= start && exists(primitive, *face);
    let [enter, leave] = [chord.enter, chord.leave];
    let hit = Some(enter).filter(is_hit).or_else(|| Some(leave).filter(|leave| !is_closed(primitive) && is_hit(leave)));
    hit.map(|(at, face)| (nearest + at, face))
}

/// Whether a primitive has all of its faces and a volume, so that its back faces are never visible from outside.
pub fn is_closed(primitive: &Primitive) -> bool {
    match *primitive {
        Primitive::Box { size } => size.min() > 0.0,
        Primitive::Cylinder { top, bottom, .. } => top && bottom,
        Primitive::Cone { bottom, .. } => bottom,
        Primitive::Sphere { .. } | Primitive::Capsule { .. } => true,
    }
}

fn exists(primitive: &Primitive, face: Face) -> bool {
    match (primitive, face) {
        (Primitive::Cylinder { top, .. }, Face::Cap { top: true }) => *top,
        (Primitive::Cylinder { bottom, .. } | Primitive::Cone { bottom, .. }, Face::Cap { top: false }) => *bottom,
        _ => true,
    }
}

/// Outward normal, not normalized, at a point of a face.
pub fn normal(primitive: &Primitive, face: Face, point: &Vector3<f64>) -> Vector3<f64> {
    let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
    match (face, *primitive) {
        (Face::Cap { top }, _) => Vector3::y() * sign(top),
        (Face::Plane { axis, positive }, _) => Vector3::ith(axis, sign(positive)),
        (Face::Round, Primitive::Capsule { height, .. }) => {
            point - Vector3::y() * point.y.clamp(-height / 2.0, height / 2.0)
        }
        (Face::Round, Primitive::Cone { radius, height, .. }) => {
            Vector3::new(point.x, libm::hypot(point.x, point.z) * radius / height, point.z)
        }
        (Face::Round, Primitive::Cylinder { .. }) => Vector3::new(point.x, 0.0, point.z),
        (Face::Round, _) => *point,
    }
}

fn chord(primitive: &Primitive, line: &Line) -> Option<Chord> {
    match *primitive {
        Primitive::Box { size } => in_box(line, &(size / 2.0)),
        Primitive::Sphere { radius } => in_sphere(line, 0.0, radius),
        Primitive::Cylinder { radius, height, .. } => {
            let side = in_tube(line, radius)?;
            side.above(line, -height / 2.0)?.below(line, height / 2.0)
        }
        Primitive::Cone { radius, height, .. } => {
            in_cone(line, height / 2.0, radius / height)?.above(line, -height / 2.0)
        }
        Primitive::Capsule { radius, height } => in_capsule(line, radius, height / 2.0),
    }
}

impl Chord {
    fn round([enter, leave]: [f64; 2]) -> Self {
        Self { enter: (enter, Face::Round), leave: (leave, Face::Round) }
    }

    /// The part above a plane across Y.
    fn above(self, line: &Line, y: f64) -> Option<Self> {
        self.cut((line.origin.y - y, line.direction.y), Face::Cap { top: false })
    }

    /// The part below a plane across Y.
    fn below(self, line: &Line, y: f64) -> Option<Self> {
        self.cut((y - line.origin.y, -line.direction.y), Face::Cap { top: true })
    }

    /// The part where `offset + slope · parameter` is not negative.
    fn cut(mut self, (offset, slope): (f64, f64), face: Face) -> Option<Self> {
        if slope == 0.0 {
            return (offset >= 0.0).then_some(self);
        }
        let at = -offset / slope;
        if slope > 0.0 {
            if at > self.enter.0 {
                self.enter = (at, face);
            }
        } else if at < self.leave.0 {
            self.leave = (at, face);
        }
        (self.enter.0 <= self.leave.0).then_some(self)
    }
}

fn in_box(line: &Line, half: &Vector3<f64>) -> Option<Chord> {
    let plane = |axis, positive| Face::Plane { axis, positive };
    let mut chord = Chord { enter: (f64::NEG_INFINITY, plane(0, false)), leave: (f64::INFINITY, plane(0, true)) };
    for axis in 0..3 {
        let (origin, slope) = (line.origin[axis], line.direction[axis]);
        if slope == 0.0 {
            if origin.abs() > half[axis] {
                return None;
            }
            continue;
        }
        let (near, inverse) = (if slope > 0.0 { -half[axis] } else { half[axis] }, 1.0 / slope);
        let [enter, leave] = [near, -near].map(|side| (side - origin) * inverse);
        if enter > chord.enter.0 {
            chord.enter = (enter, plane(axis, slope < 0.0));
        }
        if leave < chord.leave.0 {
            chord.leave = (leave, plane(axis, slope > 0.0));
        }
        if chord.enter.0 > chord.leave.0 {
            return None;
        }
    }
    (chord.enter.0 <= chord.leave.0).then_some(chord)
}

/// In a sphere around a point of the Y axis.
fn in_sphere(line: &Line, y: f64, radius: f64) -> Option<Chord> {
    let origin = line.origin - Vector3::y() * y;
    let inverse = 1.0 / line.direction.norm_squared();
    let middle = -origin.dot(&line.direction) * inverse;
    let rest = radius * radius - (origin + line.direction * middle).norm_squared();
    if rest < 0.0 {
        return None;
    }
    let half = (rest * inverse).sqrt();
    (half >= 0.0).then(|| Chord::round([middle - half, middle + half]))
}

/// In an infinite cylinder around the Y axis.
fn in_tube(line: &Line, radius: f64) -> Option<Chord> {
    let ([x, z], [dx, dz]) = ([line.origin.x, line.origin.z], [line.direction.x, line.direction.z]);
    let (squared, gap) = (dx * dx + dz * dz, x * x + z * z - radius * radius);
    if squared <= f64::MIN_POSITIVE {
        return (gap <= 0.0).then(|| Chord::round([f64::NEG_INFINITY, f64::INFINITY]));
    }
    let inverse = 1.0 / squared;
    let middle = -(x * dx + z * dz) * inverse;
    let (nearest_x, nearest_z) = (x + middle * dx, z + middle * dz);
    let rest = radius * radius - nearest_x * nearest_x - nearest_z * nearest_z;
    if rest < 0.0 {
        return None;
    }
    let half = (rest * inverse).sqrt();
    (half >= 0.0).then(|| Chord::round(stable_roots(middle, half, gap * inverse)))
}

/// `middle ± half`, with the one nearer to zero from the product of both where subtraction would cancel digits.
fn stable_roots(middle: f64, half: f64, product: f64) -> [f64; 2] {
    if middle > 0.0 {
        let far = middle + half;
        [product / far, far]
    } else {
        let far = middle - half;
        [far, if far < 0.0 { product / far } else { middle + half }]
    }
}

/// In the lower half of an infinite double cone around the Y axis with its apex at a height and `slope` = radius /
/// distance from the apex.
fn in_cone(line: &Line, apex: f64, slope: f64) -> Option<Chord> {
    /// Relative curvature below which a line is parallel to the surface.
    const PARALLEL: f64 = 1e-14;
    let (origin, direction) = (line.origin - Vector3::y() * apex, line.direction);
    let product = |a: &Vector3<f64>, b: &Vector3<f64>| a.x * b.x + a.z * b.z - slope * slope * a.y * b.y;
    let (a, b, c) = (product(&direction, &direction), product(&origin, &direction), product(&origin, &origin));
    // Parameters at which the line enters and leaves the lower half.
    let interval = if a.abs() <= PARALLEL * direction.norm_squared() * slope.max(1.0).powi(2) {
        // One root, in the lower half if the line comes from inside it or ends there.
        let root = (b * direction.y > 0.0).then(|| -c / (2.0 * b))?;
        if direction.y < 0.0 { [root, f64::INFINITY] } else { [f64::NEG_INFINITY, root] }
    } else {
        let discriminant = b * b - a * c;
        if a > 0.0 && discriminant < 0.0 {
            return None;
        }
        let inverse = 1.0 / a;
        let middle = -b * inverse;
        let half = discriminant.max(0.0).sqrt() * inverse.abs();
        let roots = stable_roots(middle, half, c * inverse);
        if a > 0.0 {
            // Both roots are in the same half of the double cone.
            (origin.y + direction.y * middle <= 0.0).then_some(roots)?
        } else {
            // A line steeper than the surface is always in one half or the other, except between the roots.
            let [first, second] = roots;
            if direction.y < 0.0 { [second, f64::INFINITY] } else { [f64::NEG_INFINITY, first] }
        }
    };
    Some(Chord::round(interval)).filter(|chord| chord.enter.0 <= chord.leave.0)
}

/// A capsule is the union of two spheres and a tube of the same radius; a line outside the infinite tube misses it. Its
/// exit is not needed, because a capsule is always closed.
fn in_capsule(line: &Line, radius: f64, half_height: f64) -> Option<Chord> {
    let tube = in_tube(line, radius)?;
    let at = tube.enter.0;
    // A line along the axis enters at infinity.
    let y = if at.is_finite() { line.origin.y + at * line.direction.y } else { -line.direction.y * f64::INFINITY };
    if y.abs() <= half_height {
        return Some(tube);
    }
    in_sphere(line, half_height.copysign(y), radius)
}
