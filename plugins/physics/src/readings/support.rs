//! Support polygon and zero moment point of a body.

use bevy::prelude::Entity;
use nalgebra::{Point2, Point3};

use super::contact_forces::Contact;

/// Vertical force below which a body does not count as supported, N.
const LEAST_FORCE: f64 = 1e-6;

/// Support of a body by its contacts with others, with gravity along −Z.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Support {
    /// Corners of the support polygon, world frame, m, counterclockwise seen from above: the convex hull of the
    /// horizontal positions of the contacts, at their mean height. Fewer than three corners are a point or a line.
    pub polygon: Vec<Point3<f64>>,
    /// The zero moment point, world frame, m: the point at that height about which the contact forces have no horizontal
    /// moment. `None` if they do not push upwards.
    pub zmp: Option<Point3<f64>>,
}

impl Support {
    /// Support of a body by its contacts; those between its own links are left out.
    pub fn of_contacts(body: Entity, contacts: &[Contact]) -> Self {
        let is_outer = |contact: &&Contact| contact.other.is_none_or(|(other, _)| other != body);
        let contacts: Vec<&Contact> = contacts.iter().filter(is_outer).collect();
        let (mut lift, mut height) = (0.0, 0.0);
        for contact in &contacts {
            lift += contact.force.z;
            height += contact.point.z;
        }
        if contacts.is_empty() {
            return Self::default();
        }
        #[allow(clippy::cast_precision_loss)]
        let height = height / contacts.len() as f64;
        // The moment about (x, y, height) vanishes: Σ (p − zmp) × f = 0 in x and y.
        let moment = |axis: usize| {
            let parts = contacts.iter().map(|contact| {
                contact.force.z * contact.point[axis] - contact.force[axis] * (contact.point.z - height)
            });
            parts.sum::<f64>()
        };
        let zmp = (lift > LEAST_FORCE).then(|| Point3::new(moment(0) / lift, moment(1) / lift, height));
        let hull = convex_hull(contacts.iter().map(|contact| contact.point.xy()).collect());
        Self { polygon: hull.into_iter().map(|corner| Point3::new(corner.x, corner.y, height)).collect(), zmp }
    }

    /// Horizontal distance of a point from the border of the polygon, m: positive inside, negative outside. `None` if the
    /// polygon has no area.
    pub fn margin(&self, point: &Point3<f64>) -> Option<f64> {
        let corners = &self.polygon;
        if corners.len() < 3 {
            return None;
        }
        let point = point.xy();
        let edges = || corners.iter().zip(corners.iter().cycle().skip(1)).map(|(from, to)| (from.xy(), to.xy()));
        let is_inside = edges().all(|(from, to)| turn(&from, &to, &point) >= 0.0);
        let distance = |(from, to): (Point2<f64>, Point2<f64>)| {
            let edge = to - from;
            let share = ((point - from).dot(&edge) / edge.norm_squared()).clamp(0.0, 1.0);
            (point - (from + edge * share)).norm()
        };
        let nearest = edges().map(distance).fold(f64::INFINITY, f64::min);
        Some(if is_inside { nearest } else { -nearest })
    }
}

/// Twice the area of a triangle, positive if it is counterclockwise.
fn turn(a: &Point2<f64>, b: &Point2<f64>, c: &Point2<f64>) -> f64 {
    (b - a).perp(&(c - a))
}

/// Corners of the convex hull, counterclockwise (Andrew's monotone chain); points that are not finite are left out.
fn convex_hull(mut points: Vec<Point2<f64>>) -> Vec<Point2<f64>> {
    points.retain(|point| point.coords.iter().all(|value| value.is_finite()));
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = &Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && turn(&a, &b, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(*point);
        }
        chain.pop();
        chain
    };
    let lower = half(&mut points.iter());
    let upper = half(&mut points.iter().rev());
    [lower, upper].concat()
}

#[cfg(test)]
mod tests {
    use bunraku_body::LinkIndex;
    use nalgebra::Vector3;

    use super::*;

    const BODY: Entity = Entity::PLACEHOLDER;

    fn contact(point: [f64; 3], force: [f64; 3]) -> Contact {
        Contact {
            link: LinkIndex(0),
            other: None,
            point: point.into(),
            normal: Vector3::z(),
            force: force.into(),
            depth: 0.0,
        }
    }

    #[test]
    fn the_polygon_is_the_hull_of_the_contacts() {
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
        let within = [[1.0, 0.5], [1.0, 0.0], [0.5, 0.9], [2.0, 0.0]];
        let contacts: Vec<_> =
            within.iter().chain(&corners).map(|[x, y]| contact([*x, *y, 0.2], [0.0, 0.0, 1.0])).collect();
        let support = Support::of_contacts(BODY, &contacts);
        let expected: Vec<_> = corners.iter().map(|[x, y]| Point3::new(*x, *y, 0.2)).collect();
        assert!(
            support.polygon.len() == 4 && support.polygon.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-12)
        );
        let margin = |x: f64, y: f64| support.margin(&Point3::new(x, y, 7.0)).expect("an area");
        for (x, y, expected) in [(1.0, 0.3, 0.3), (1.0, 1.3, -0.3), (1.9, 0.5, 0.1), (-3.0, -4.0, -5.0)] {
            assert!((margin(x, y) - expected).abs() < 1e-12, "({x}, {y}): {}", margin(x, y));
        }
        assert_eq!(Support::of_contacts(BODY, &[]), Support::default());
        let line = Support::of_contacts(BODY, &contacts[..2]);
        assert!(line.polygon.len() == 2 && line.margin(&line.polygon[0]).is_none());
    }

    #[test]
    fn the_zero_moment_point_has_no_horizontal_moment() {
        // A slope: lateral forces at different heights count.
        let contacts = [
            contact([0.0, 0.0, 0.0], [3.0, -1.0, 10.0]),
            contact([1.0, 0.5, 0.4], [-2.0, 2.0, 30.0]),
            contact([1.0, -0.5, 0.2], [0.0, 0.5, 5.0]),
        ];
        let zmp = Support::of_contacts(BODY, &contacts).zmp.unwrap();
        let moment: Vector3<f64> = contacts.iter().map(|contact| (contact.point - zmp).cross(&contact.force)).sum();
        assert!(moment.x.abs() < 1e-12 && moment.y.abs() < 1e-12, "{moment}");
        assert!((zmp.z - 0.2).abs() < 1e-12);
        let own = Contact { other: Some((BODY, LinkIndex(1))), ..contact([9.0, 9.0, 9.0], [5.0, 5.0, 5.0]) };
        assert_eq!(Support::of_contacts(BODY, &[&contacts[..], &[own]].concat()).zmp, Some(zmp));
        let pulled = [contact([0.0; 3], [0.0, 0.0, -1.0])];
        assert_eq!(Support::of_contacts(BODY, &pulled).zmp, None);
    }
}
