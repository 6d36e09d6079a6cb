use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Point3, Vector3};

use crate::{Normals, TriangleMesh};

/// Segments around a full turn when the file does not say.
pub const DEFAULT_DIVISIONS: u32 = 20;

/// A shape given by a few numbers, centred on the origin; the axis of round shapes is Y.
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
        /// Whether it is closed at +Y.
        top: bool,
        /// Whether it is closed at −Y.
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
        /// Length of the cylindrical part alone, m; the whole is `height + 2·radius` long.
        height: f64,
    },
}

impl Primitive {
    /// Its surface as triangles, with `divisions` segments around a full turn (at least 4).
    pub fn tessellate(&self, divisions: u32) -> TriangleMesh {
        let divisions = divisions.max(4);
        let mut mesh = self.surface(divisions);
        // A sphere is smooth all over, a box has edges only; the others have their sharp edges at the caps.
        mesh.normals = Normals::Crease(match self {
            Self::Box { .. } => 0.0,
            Self::Sphere { .. } => PI,
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Capsule { .. } => FRAC_PI_2,
        });
        mesh
    }

    fn surface(&self, divisions: u32) -> TriangleMesh {
        match *self {
            Self::Box { size } => cuboid(size),
            Self::Sphere { radius } => {
                let bands = divisions / 2;
                let profile = (1..bands).map(|band| {
                    let angle = PI * f64::from(band) / f64::from(bands);
                    (radius * angle.sin(), radius * angle.cos())
                });
                Lathe::new(divisions).tip(radius).rings(profile).tip(-radius).finish()
            }
            Self::Cylinder { radius, height, top, bottom } => {
                let half = height / 2.0;
                let lathe = Lathe::new(divisions);
                let lathe = if top { lathe.tip(half) } else { lathe };
                let lathe = lathe.rings([(radius, half), (radius, -half)]);
                if bottom { lathe.tip(-half) } else { lathe }.finish()
            }
            Self::Cone { radius, height, bottom } => {
                let half = height / 2.0;
                let lathe = Lathe::new(divisions).tip(half).rings([(radius, -half)]);
                if bottom { lathe.tip(-half) } else { lathe }.finish()
            }
            Self::Capsule { radius, height } => {
                // An even number of bands, so that each half sphere gets a whole number of them.
                let bands = (divisions / 2).next_multiple_of(2);
                let half = height / 2.0;
                let ring = |band: u32, centre: f64| {
                    let angle = PI * f64::from(band) / f64::from(bands);
                    (radius * angle.sin(), centre + radius * angle.cos())
                };
                let upper = (1..=bands / 2).map(|band| ring(band, half));
                let lower = (bands / 2..bands).map(|band| ring(band, -half));
                Lathe::new(divisions).tip(half + radius).rings(upper.chain(lower)).tip(-half - radius).finish()
            }
        }
    }
}

fn cuboid(size: Vector3<f64>) -> TriangleMesh {
    let half = size / 2.0;
    let vertices = (0..8).map(|corner: u32| {
        let side = |bit: u32, length: f64| if corner & bit == 0 { -length } else { length };
        Point3::new(side(1, half.x), side(2, half.y), side(4, half.z)).cast::<f32>()
    });
    // Two triangles a face; corner number = x + 2·y + 4·z with 0 for the negative side.
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

/// Builds a surface of revolution about Y from +Y to −Y out of tips (points on the axis) and rings.
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

    fn tip(mut self, y: f64) -> Self {
        let index = self.next_index();
        self.mesh.vertices.push(Point3::new(0.0, y, 0.0).cast());
        self.connect(Profile::Tip(index));
        self
    }

    fn rings(mut self, profile: impl IntoIterator<Item = (f64, f64)>) -> Self {
        for (radius, y) in profile {
            let index = self.next_index();
            for segment in 0..self.divisions {
                let (sin, cos) = (TAU * f64::from(segment) / f64::from(self.divisions)).sin_cos();
                self.mesh.vertices.push(Point3::new(radius * cos, y, radius * sin).cast());
            }
            self.connect(Profile::Ring(index));
        }
        self
    }

    fn next_index(&self) -> u32 {
        u32::try_from(self.mesh.vertices.len()).unwrap_or(u32::MAX)
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

    fn finish(self) -> TriangleMesh {
        self.mesh
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Affine3;

    use super::*;
    use crate::testing::volume;

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
            // An inscribed polygon with n sides loses about 6.6 / n² of a circle's area; a sphere has half as many
            // bands as segments and loses some 2.5 times that.
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
    fn bounds_reach_the_full_size() {
        let bounds = CAPSULE.tessellate(20).bounding_box(&Affine3::identity()).unwrap();
        assert_eq!(bounds.max, Point3::new(0.5, 1.5, 0.5));
        assert_eq!(bounds.min, Point3::new(-0.5, -1.5, -0.5));
        assert!(TriangleMesh::default().bounding_box(&Affine3::identity()).is_none());
    }
}
