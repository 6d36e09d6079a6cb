//! The grip of a hand: its direction, the distance between its fingers, and the frame of its tool.

use bunraku_body::kinematics::link_poses;
use bunraku_body::{Body, JointIndex, LinkIndex, Range};
use bunraku_mesh::BoundingBox;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::hands::Hand;
use super::{DraftError, HandDraft};
use crate::designer::{GRASP_DISTANCE, OBJECT_HEIGHT, OBJECT_WIDTH};

/// Number of distances between the fingers that are computed.
const SAMPLES: usize = 11;
/// Length of the ends of the fingers that touch objects, m.
const PAD: f64 = 0.025;
/// Distance from the tips of the fingers back to the middle of an object that they grip, m.
const DEPTH: f64 = 0.01;
/// Least gap between the palm and the object, m.
const GAP: f64 = 0.005;
/// Largest distance from the tips ahead to the middle of an object that short fingers grip above it, m.
const BEYOND: f64 = 0.03;
/// Fingers that overlap by less than this are closed, m.
const TOUCHING: f64 = 1e-3;
/// Largest angle between a direction and an axis of the hand that is taken for it, rad.
const NEARLY: f64 = 0.1;

/// Corners of the shapes of each finger, m, in the frame of the hand.
type Fingers = Vec<Vec<Point3<f64>>>;

/// The grip of a hand.
pub(super) fn hand(body: &Body, hand: &Hand) -> Result<HandDraft, DraftError> {
    let no_grip = || DraftError::NoGrip(body.link(hand.link).name.clone());
    let ways = ways(body, hand);
    let along = |[from, to]: &[f64; 2], share: f64| from + (to - from) * share;
    let at = |share: f64| -> Vec<f64> { ways.iter().map(|way| along(way, share)).collect() };
    let shares: Vec<f64> = (0..SAMPLES).map(|index| index as f64 / (SAMPLES - 1) as f64).collect();
    let samples: Vec<Fingers> = shares.iter().map(|share| finger_points(body, hand, &at(*share))).collect();
    let open = samples.iter().max_by(|a, b| spread(a).total_cmp(&spread(b))).ok_or_else(no_grip)?;
    let grip = Grip::new(open).ok_or_else(no_grip)?;
    // Widths with the share of the way at which they are; fingers may open or close as their joints go away from 0.
    let mut opening: Vec<(f64, f64)> =
        samples.iter().zip(&shares).filter_map(|(points, share)| Some((grip.width(points)?, *share))).collect();
    if opening.first().zip(opening.last()).is_some_and(|(first, last)| first.0 > last.0) {
        opening.reverse();
    }
    let mut increasing: Vec<(f64, f64)> = Vec::new();
    for (width, share) in opening {
        if width > -TOUCHING && increasing.last().is_none_or(|(last, _)| width > last + 1e-6) {
            increasing.push((width.max(0.0), share));
        }
    }
    let holding = share_at(&increasing, OBJECT_WIDTH).ok_or_else(no_grip)?;
    let widths: Vec<f64> = increasing.iter().map(|(width, _)| *width).collect();
    let displacements = |way| increasing.iter().map(|(_, share)| along(way, *share)).collect();
    let fingers = hand.joints.iter().zip(&ways).map(|(joint, way)| (*joint, displacements(way))).collect();
    let links = Links::new(body, hand, &at(holding));
    let palm: Vec<Point3<f64>> = hand.palm.iter().flat_map(|link| links.points(*link)).collect();
    let tool = grip.tool(&links.fingers(hand), &palm).ok_or_else(no_grip)?;
    Ok(HandDraft { link: hand.link, tool, widths, fingers })
}

/// From where to where each joint of the fingers moves.
///
/// The joints of a mechanism begin at displacement 0, or the end of the range that is nearest to it, and go to the end
/// that is farther away. A joint that can move to both sides of 0 goes from one end to the other, so that its finger
/// moves away from the others.
fn ways(body: &Body, hand: &Hand) -> Vec<[f64; 2]> {
    /// A displacement that shows the direction of motion, rad or m.
    const LITTLE: f64 = 1e-3;
    let rest = vec![0.0; hand.joints.len()];
    let spread = |displacements: &[f64]| spread(&finger_points(body, hand, displacements));
    let way = |(index, joint): (usize, &JointIndex)| {
        let range = body.joint(*joint).map_or(Range { lower: 0.0, upper: 0.0 }, |joint| joint.displacement_range);
        if range.lower < -LITTLE && range.upper > LITTLE {
            let moved: Vec<f64> = (0..rest.len()).map(|other| if other == index { LITTLE } else { 0.0 }).collect();
            let opens = spread(&moved) > spread(&rest);
            return if opens { [range.lower, range.upper] } else { [range.upper, range.lower] };
        }
        let from = range.clamp(0.0);
        [from, if range.upper - from >= from - range.lower { range.upper } else { range.lower }]
    };
    hand.joints.iter().enumerate().map(way).collect()
}

/// The fingers at displacements of their joints.
fn finger_points(body: &Body, hand: &Hand, displacements: &[f64]) -> Fingers {
    Links::new(body, hand, displacements).fingers(hand)
}

/// The links of a body in the frame of a hand.
struct Links<'b> {
    body: &'b Body,
    poses: Vec<Isometry3<f64>>,
}

#[expect(clippy::indexing_slicing, reason = "links and joints of a hand are those of its body")]
impl<'b> Links<'b> {
    /// The links at displacements of the joints of the fingers.
    fn new(body: &'b Body, hand: &Hand, displacements: &[f64]) -> Self {
        let mut all = body.initial_displacements();
        for (joint, value) in hand.joints.iter().zip(displacements) {
            all[joint.0] = *value;
        }
        body.follow_leaders(&mut all);
        let poses = link_poses(body, &Isometry3::identity(), &all);
        let to_hand = poses[hand.link.0].inverse();
        Self { body, poses: poses.iter().map(|pose| to_hand * pose).collect() }
    }

    /// Corners of the shapes of a link, m.
    fn points(&self, link: LinkIndex) -> Vec<Point3<f64>> {
        let pose = self.poses[link.0];
        let link = self.body.link(link);
        let shapes = if link.collision.is_empty() { &link.visual } else { &link.collision };
        let corners = shapes.iter().flat_map(|shape| {
            let triangles = shape.geometry.triangles();
            triangles.vertices.iter().map(|vertex| shape.transform * vertex.cast::<f64>()).collect::<Vec<_>>()
        });
        corners.map(|point| pose * point).collect()
    }

    fn fingers(&self, hand: &Hand) -> Fingers {
        hand.fingers.iter().map(|links| links.iter().flat_map(|link| self.points(*link)).collect()).collect()
    }
}

/// Distance of the fingers from each other: the sum of the squares of the distances from their middle, m².
fn spread(fingers: &Fingers) -> f64 {
    let centers: Vec<Vector3<f64>> = fingers.iter().filter_map(|points| center(points)).collect();
    let mean = centers.iter().sum::<Vector3<f64>>() / centers.len() as f64;
    centers.iter().map(|center| (center - mean).norm_squared()).sum()
}

/// The middle of the bounding box.
fn center(points: &[Point3<f64>]) -> Option<Vector3<f64>> {
    let bounds = BoundingBox::around(points.iter().copied())?;
    Some((bounds.min.coords + bounds.max.coords) / 2.0)
}

/// An axis that is nearly parallel, else the direction itself.
fn nearest_axis(direction: &Vector3<f64>) -> Vector3<f64> {
    let index = direction.iamax();
    let axis = Vector3::ith(index, direction[index].signum());
    if axis.angle(direction) < NEARLY { axis } else { *direction }
}

/// The share of the way of the joints at a width, by linear interpolation. `None` if there are fewer than two widths.
fn share_at(increasing: &[(f64, f64)], width: f64) -> Option<f64> {
    let [(from, start), (to, end)] =
        increasing.array_windows().find(|[_, (to, _)]| *to > width).or(increasing.last_chunk())?;
    Some(start + (end - start) * ((width - from) / (to - from)).clamp(0.0, 1.0))
}

/// Directions of a hand, as unit vectors in its frame, and the sides of its fingers.
struct Grip {
    /// Where the fingers point.
    ahead: Vector3<f64>,
    /// The line along which they open.
    across: Vector3<f64>,
    /// Whether a finger is on the positive side of `across`.
    is_positive: Vec<bool>,
}

impl Grip {
    /// The grip of fingers that are open.
    fn new(fingers: &Fingers) -> Option<Self> {
        let centers: Vec<Vector3<f64>> = fingers.iter().map(|points| center(points)).collect::<Option<_>>()?;
        let mean = centers.iter().sum::<Vector3<f64>>() / centers.len() as f64;
        let ahead = nearest_axis(&mean.try_normalize(1e-6)?);
        let beside = |offset: Vector3<f64>| offset - ahead * ahead.dot(&offset);
        let pairs = centers.iter().enumerate().flat_map(|(index, a)| centers.iter().take(index).map(move |b| a - b));
        let farthest = pairs.map(beside).max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
        let across = beside(nearest_axis(&farthest.try_normalize(1e-6)?)).try_normalize(1e-6)?;
        // One of two directions that are equally good.
        let larger = |one: f64, other: &f64| if other.abs() > one.abs() { *other } else { one };
        let across = across * across.iter().fold(0.0, larger).signum();
        let is_positive = centers.iter().map(|center| across.dot(center) > across.dot(&mean)).collect();
        Some(Self { ahead, across, is_positive })
    }

    /// Position of the tips along `ahead`, m.
    fn reach(&self, fingers: &Fingers) -> f64 {
        fingers.iter().flatten().map(|point| self.ahead.dot(&point.coords)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The inner sides of the ends of the fingers along `across`, m: of those on the negative side, of the others.
    fn inner_sides(&self, fingers: &Fingers) -> Option<[f64; 2]> {
        let end = self.reach(fingers) - PAD;
        let mut sides = [f64::NEG_INFINITY, f64::INFINITY];
        for (points, is_positive) in fingers.iter().zip(&self.is_positive) {
            let pads = points.iter().filter(|point| self.ahead.dot(&point.coords) >= end);
            for along in pads.map(|point| self.across.dot(&point.coords)) {
                if *is_positive { sides[1] = sides[1].min(along) } else { sides[0] = sides[0].max(along) }
            }
        }
        sides.iter().all(|side| side.is_finite()).then_some(sides)
    }

    /// Distance between the fingers, m; negative if they have crossed each other.
    fn width(&self, fingers: &Fingers) -> Option<f64> {
        self.inner_sides(fingers).map(|[negative, positive]| positive - negative)
    }

    /// The tool as the patterns expect it: X back into the arm, Y along `across`, the origin [`GRASP_DISTANCE`] behind
    /// what is gripped.
    fn tool(&self, fingers: &Fingers, palm: &[Point3<f64>]) -> Option<Isometry3<f64>> {
        let [negative, positive] = self.inner_sides(fingers)?;
        let side = self.ahead.cross(&self.across);
        let bounds =
            BoundingBox::around(fingers.iter().flatten().map(|point| Point3::new(side.dot(&point.coords), 0.0, 0.0)))?;
        let palm = palm.iter().map(|point| self.ahead.dot(&point.coords)).fold(f64::NEG_INFINITY, f64::max);
        let tips = self.reach(fingers);
        let distance = (tips - DEPTH).max(palm + OBJECT_HEIGHT / 2.0 + GAP).min(tips + BEYOND);
        let gripped = self.ahead * distance
            + self.across * f64::midpoint(negative, positive)
            + side * f64::midpoint(bounds.min.x, bounds.max.x);
        let axes = Matrix3::from_columns(&[-self.ahead, self.across, (-self.ahead).cross(&self.across)]);
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        Some(Isometry3::from_parts(Translation3::from(gripped - self.ahead * GRASP_DISTANCE), rotation))
    }
}
