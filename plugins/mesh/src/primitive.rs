use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Affine3, Point3, Vector3};

use crate::{BoundingBox, Normals, TriangleMesh};

/// Default number of segments of a full circle.
pub const DEFAULT_DIVISIONS: u32 = 20;

/// Largest length of a shape, m: vertices are in single precision, and lengths are added before the conversion.
pub const MAX_LENGTH: f64 = f32::MAX as f64 / 4.0;

/// A parametric shape centred on the origin; the axis of round shapes is Y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// A box.
    Box {
        /// Full edge lengths along X, Y, Z, m; zero makes it flat.
        size: Vector3<f64>,
    },
    /// A sphere.
    Sphere {
        /// Radius, m, positive.
        radius: f64,
    },
    /// A cylinder along Y.
    Cylinder {
        /// Radius, m, positive.
        radius: f64,
        /// Length along Y, m, positive.
        height: f64,
        /// Whether the end at +Y is closed.
        top: bool,
        /// Whether the end at −Y is closed.
        bottom: bool,
    },
    /// A cone with its tip at +Y.
    Cone {
        /// Radius of the base, m, positive.
        radius: f64,
        /// Length along Y, m, positive.
        height: f64,
        /// Whether the base at −Y is closed.
        bottom: bool,
    },
    /// A cylinder along Y with a half sphere on each end.
    Capsule {
        /// Radius, m, positive.
        radius: f64,
        /// Length of the cylindrical part, m; the total length is `height + 2·radius`.
        height: f64,
    },
}

impl Primitive {
    /// Triangulates the surface, with `divisions` segments for a full circle (at least 4).
    pub fn tessellate(&self, divisions: u32) -> TriangleMesh {
        let divisions = divisions.max(4);
        let mut mesh = self.surface(divisions);
        // A sphere is smooth everywhere, a box has sharp edges only; the others have sharp edges at the caps.
        mesh.normals = Normals::Crease(match self {
            Self::Box { .. } => 0.0,
            Self::Sphere { .. } => PI,
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Capsule { .. } => FRAC_PI_2,
        });
        mesh
    }

    /// Number of triangles of [`tessellate`](Self::tessellate), without computing them.
    pub fn num_triangles(&self, divisions: u32) -> usize {
        let divisions = divisions.max(4);
        let stations = self.profile(divisions);
        let bands = stations.iter().zip(stations.iter().skip(1)).map(|(above, below)| {
            // A band between two rings has two triangles in each segment, a cap one.
            usize::from(above.radius.is_some()) + usize::from(below.radius.is_some())
        });
        match self {
            Self::Box { .. } => 12,
            _ => bands.sum::<usize>() * divisions as usize,
        }
    }

    fn surface(&self, divisions: u32) -> TriangleMesh {
        match *self {
            Self::Box { size } => cuboid(size),
            _ => self.profile(divisions).into_iter().fold(Lathe::new(divisions), Lathe::add).mesh,
        }
    }

    /// Bounding box of the triangles after `transform`, without computing all of them.
    pub fn bounding_box(&self, divisions: u32, transform: &Affine3<f64>) -> Option<BoundingBox> {
        let divisions = divisions.max(4);
        let Self::Box { .. } = self else {
            let segments = farthest_segments(divisions, transform);
            let vertices = self.profile(divisions).into_iter().flat_map(|station| {
                let count = if station.radius.is_some() { segments.len() } else { 1 };
                segments.into_iter().take(count).map(move |segment| station.vertex(segment, divisions))
            });
            return BoundingBox::around(vertices.map(|vertex| transform * vertex.cast::<f64>()));
        };
        self.surface(divisions).bounding_box(transform)
    }

    /// Profile of a round shape, from +Y to −Y.
    fn profile(&self, divisions: u32) -> Vec<Station> {
        match *self {
            Self::Box { .. } => Vec::new(),
            Self::Sphere { radius } => {
                let bands = divisions / 2;
                let rings = (1..bands).map(|band| {
                    let angle = PI * f64::from(band) / f64::from(bands);
                    Station::ring(radius * libm::sin(angle), radius * libm::cos(angle))
                });
                let top = std::iter::once(Station::tip(radius));
                top.chain(rings).chain([Station::tip(-radius)]).collect()
            }
            Self::Cylinder { radius, height, top, bottom } => {
                let half = height / 2.0;
                let ends = [top.then(|| Station::tip(half)), bottom.then(|| Station::tip(-half))];
                let [above, below] = ends.map(Option::into_iter);
                above.chain([Station::ring(radius, half), Station::ring(radius, -half)]).chain(below).collect()
            }
            Self::Cone { radius, height, bottom } => {
                let half = height / 2.0;
                let below = bottom.then(|| Station::tip(-half));
                [Station::tip(half), Station::ring(radius, -half)].into_iter().chain(below).collect()
            }
            Self::Capsule { radius, height } => {
                // An even number of bands, so that each half sphere has an integer number of them.
                let bands = (divisions / 2).next_multiple_of(2);
                let half = height / 2.0;
                let ring = |band: u32, centre: f64| {
                    let angle = PI * f64::from(band) / f64::from(bands);
                    Station::ring(radius * libm::sin(angle), centre + radius * libm::cos(angle))
                };
                let upper = (1..=bands / 2).map(|band| ring(band, half));
                let lower = (bands / 2..bands).map(|band| ring(band, -half));
                let top = std::iter::once(Station::tip(half + radius));
                top.chain(upper).chain(lower).chain([Station::tip(-half - radius)]).collect()
            }
        }
    }
}

/// A point on the axis Y, or a ring around it.
#[derive(Clone, Copy)]
struct Station {
    /// Radius of a ring; `None` for a point.
    radius: Option<f64>,
    y: f64,
}

impl Station {
    fn tip(y: f64) -> Self {
        Self { radius: None, y }
    }

    fn ring(radius: f64, y: f64) -> Self {
        Self { radius: Some(radius), y }
    }

    fn vertex(&self, segment: u32, divisions: u32) -> Point3<f32> {
        let radius = self.radius.unwrap_or(0.0);
        let (sin, cos) = direction(segment, divisions);
        Point3::new(radius * cos, self.y, radius * sin).cast()
    }
}

/// Sine (Z) and cosine (X) of the angle at which a segment begins.
fn direction(segment: u32, divisions: u32) -> (f64, f64) {
    libm::sincos(TAU * f64::from(segment) / f64::from(divisions))
}

/// Segments whose vertices are extreme along −X, +X, −Y, … after `transform`; the same for all rings.
fn farthest_segments(divisions: u32, transform: &Affine3<f64>) -> [u32; 6] {
    let mut found = [[(f64::NEG_INFINITY, 0); 2]; 3];
    for segment in 0..divisions {
        let (sin, cos) = direction(segment, divisions);
        for (axis, [least, most]) in found.iter_mut().enumerate() {
            let along = transform.matrix()[(axis, 0)] * cos + transform.matrix()[(axis, 2)] * sin;
            for (best, along) in [(least, -along), (most, along)] {
                if along > best.0 {
                    *best = (along, segment);
                }
            }
        }
    }
    let [[a, b], [c, d], [e, f]] = found;
    [a, b, c, d, e, f].map(|(_, segment)| segment)
}

fn cuboid(size: Vector3<f64>) -> TriangleMesh {
    let half = size / 2.0;
    let vertices = (0..8).map(|corner: u32| {
        let side = |bit: u32, length: f64| if corner & bit == 0 { -length } else { length };
        Point3::new(side(1, half.x), side(2, half.y), side(4, half.z)).cast::<f32>()
    });
    // Two triangles for each face; corner index = x + 2·y + 4·z with 0 for the negative side.
    let triangles = vec![
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    TriangleMesh { vertices: vertices.collect(), triangles, ..TriangleMesh::default() }
}

/// Builds a surface of revolution about Y, from +Y to −Y, of tips (points on the axis) and rings.
struct Lathe {
    divisions: u32,
    mesh: TriangleMesh,
    last: Option<Profile>,
}

#[derive(Clone, Copy)]
enum Profile {
    /// Index of the point.
    Tip(u32),
    /// Index of the ring's first vertex.
    Ring(u32),
}

impl Lathe {
    fn new(divisions: u32) -> Self {
        Self { divisions, mesh: TriangleMesh::default(), last: None }
    }

    fn add(mut self, station: Station) -> Self {
        let index = u32::try_from(self.mesh.vertices.len()).unwrap_or(u32::MAX);
        let (count, next) = match station.radius {
            None => (1, Profile::Tip(index)),
            Some(_) => (self.divisions, Profile::Ring(index)),
        };
        self.mesh.vertices.extend((0..count).map(|segment| station.vertex(segment, self.divisions)));
        self.connect(next);
        self
    }

    fn connect(&mut self, next: Profile) {
        let triangles = &mut self.mesh.triangles;
        for segment in 0..self.divisions {
            let following = (segment + 1) % self.divisions;
            match (self.last, next) {
                (Some(Profile::Tip(tip)), Profile::Ring(ring)) => {
                    triangles.push([tip, ring + following, ring + segment])
                }
                (Some(Profile::Ring(ring)), Profile::Tip(tip)) => {
                    triangles.push([ring + segment, ring + following, tip])
                }
                (Some(Profile::Ring(upper)), Profile::Ring(lower)) => {
                    triangles.push([upper + segment, upper + following, lower + following]);
                    triangles.push([upper + segment, lower + following, lower + segment]);
                }
                _ => {}
            }
        }
        self.last = Some(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, volume};

    const CYLINDER: Primitive = Primitive::Cylinder { radius: 0.5, height: 2.0, top: true, bottom: true };
    const CONE: Primitive = Primitive::Cone { radius: 0.5, height: 2.0, bottom: true };
    const SPHERE: Primitive = Primitive::Sphere { radius: 0.5 };
    const CAPSULE: Primitive = Primitive::Capsule { radius: 0.5, height: 2.0 };

    fn cube() -> Primitive {
        Primitive::Box { size: Vector3::new(1.0, 2.0, 3.0) }
    }

    #[test]
    fn counts_are_those_of_the_original() {
        // reference/body-format.md §5.2, 20 divisions.
        for (shape, vertices, triangles) in
            [(cube(), 8, 12), (CYLINDER, 42, 80), (CONE, 22, 40), (SPHERE, 182, 360), (CAPSULE, 202, 400)]
        {
            let mesh = shape.tessellate(DEFAULT_DIVISIONS);
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (vertices, triangles), "{shape:?}");
            for divisions in [0, 7, 20, 33] {
                assert_eq!(shape.num_triangles(divisions), shape.tessellate(divisions).triangles.len(), "{shape:?}");
            }
        }
    }

    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let round = |radius: f64| PI * radius * radius;
        let expected = [
            (cube(), 6.0),
            (CYLINDER, round(0.5) * 2.0),
            (CONE, round(0.5) * 2.0 / 3.0),
            (SPHERE, round(0.5) * 0.5 * 4.0 / 3.0),
            (CAPSULE, round(0.5) * (2.0 + 0.5 * 4.0 / 3.0)),
        ];
        for (shape, exact) in expected {
            // An inscribed polygon with n sides has about 6.6 / n² less area than the circle. A sphere has half as many
            // bands as segments and loses about 2.5 times as much.
            let tolerance = exact * 3.0 * 6.6 / f64::from(200 * 200);
            let found = volume(&shape.tessellate(200));
            assert!((found - exact).abs() <= tolerance, "{shape:?}: {found} instead of {exact}");
        }
    }

    #[test]
    fn open_ends_have_no_caps() {
        let tube = Primitive::Cylinder { radius: 1.0, height: 1.0, top: false, bottom: false };
        assert_eq!(tube.tessellate(20).triangles.len(), 40);
        let hat = Primitive::Cone { radius: 1.0, height: 1.0, bottom: false };
        assert_eq!(hat.tessellate(20).triangles.len(), 20);
    }

    #[test]
    fn the_bounding_box_of_a_round_shape_is_that_of_its_triangles() {
        let mut random = Random::new(3);
        let tube = Primitive::Cylinder { radius: 0.2, height: 3.0, top: false, bottom: false };
        for shape in [cube(), CYLINDER, CONE, SPHERE, CAPSULE, tube] {
            for divisions in [0, 4, 5, 7, 20, 33] {
                let mut matrix = nalgebra::Matrix4::identity();
                matrix.fixed_view_mut::<3, 4>(0, 0).iter_mut().for_each(|entry| *entry = random.unit() * 2.0 - 1.0);
                for transform in [Affine3::identity(), Affine3::from_matrix_unchecked(matrix)] {
                    let exact = shape.tessellate(divisions).bounding_box(&transform).unwrap();
                    let found = shape.bounding_box(divisions, &transform).unwrap();
                    // Of two equally distant vertices either may be used; they are f32.
                    let off = (found.max - exact.max).amax().max((found.min - exact.min).amax());
                    assert!(off < 1e-6, "{shape:?} {divisions}: {found:?} instead of {exact:?}");
                }
            }
        }
    }

    #[test]
    fn bounding_boxes_of_spheres_need_no_triangles() {
        // Each would have a million triangles: minutes in total, here some hundredths of a second.
        for _ in 0..1000 {
            let bounds = SPHERE.bounding_box(1000, &Affine3::identity()).unwrap();
            assert!((bounds.max.x - 0.5).abs() < 1e-6);
        }
    }

    #[test]
    fn bounds_reach_the_full_size() {
        let bounds = CAPSULE.tessellate(20).bounding_box(&Affine3::identity()).unwrap();
        assert_eq!(bounds.max, Point3::new(0.5, 1.5, 0.5));
        assert_eq!(bounds.min, Point3::new(-0.5, -1.5, -0.5));
        assert!(TriangleMesh::default().bounding_box(&Affine3::identity()).is_none());
    }
}
