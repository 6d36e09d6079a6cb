//! A model in a scene: its pose, its motion, and its bounding box.

use std::sync::{Arc, OnceLock};

use nalgebra::{Isometry3, Vector3};

use crate::bvh::{Lanes, WIDTH};
use crate::model::Model;
use crate::motion::Motion;
use crate::sweep::{Axes, Sweep};

/// Least and largest coordinates in the world, m.
pub type Corners = (Vector3<f64>, Vector3<f64>);

/// A model at its pose.
#[derive(Clone, Debug)]
pub struct Instance {
    pub model: Arc<Model>,
    /// At the end of the motion.
    pose: Isometry3<f64>,
    axes: Axes,
    /// Bounding box at that pose.
    rest_bounds: Option<Corners>,
    /// Motion to that pose, and the axes at its start; absent for an instance at rest.
    moving: Option<(Motion, Axes)>,
    /// The motion prepared for rays: by the first ray that needs it, because most rays of a step meet few instances.
    sweep: OnceLock<Sweep>,
    /// Bounding box during the motion.
    bounds: Option<Corners>,
}

impl Instance {
    /// A model at rest.
    pub fn new(model: Arc<Model>, pose: &Isometry3<f64>) -> Self {
        let axes = Axes::new(pose);
        let rest_bounds = corners(&model, &axes);
        let sweep = OnceLock::new();
        let mut instance = Self { model, pose: *pose, axes, rest_bounds, moving: None, sweep, bounds: None };
        instance.bounds = instance.find_bounds(None);
        instance
    }

    /// World pose at the end of the motion.
    pub fn pose(&self) -> &Isometry3<f64> {
        &self.pose
    }

    /// Motion between its start and its end.
    pub fn motion(&self) -> Motion {
        self.moving.map_or_else(|| Motion::still(self.pose), |(motion, _)| motion)
    }

    /// Sets the motion; returns whether it is another one.
    pub fn set_motion(&mut self, motion: Motion) -> bool {
        if self.motion() == motion {
            return false;
        }
        let start = motion.start();
        // Most motions begin where the last one has ended.
        let (first, first_bounds) = if start == self.pose {
            (self.axes, self.rest_bounds)
        } else {
            let axes = Axes::new(&start);
            (axes, corners(&self.model, &axes))
        };
        if self.pose != motion.end() {
            self.pose = motion.end();
            self.axes = Axes::new(&self.pose);
            self.rest_bounds = corners(&self.model, &self.axes);
        }
        self.moving = (!motion.is_still()).then_some((motion, first));
        self.sweep = OnceLock::new();
        self.bounds = self.find_bounds(first_bounds);
        true
    }

    /// Frame at a time of the motion.
    pub fn at(&self, time: f64) -> Axes {
        self.sweep().map_or(self.axes, |sweep| sweep.at(time))
    }

    /// The prepared motion; `None` for an instance at rest.
    fn sweep(&self) -> Option<&Sweep> {
        let (motion, first) = self.moving.as_ref()?;
        Some(self.sweep.get_or_init(|| Sweep::between(*motion, *first, self.axes)))
    }

    /// Bounding box in the world during its motion; `None` if it is empty or not finite.
    pub fn bounds(&self) -> Option<Corners> {
        self.bounds
    }

    /// Bounding box during a motion that begins with the bounding box `first`.
    fn find_bounds(&self, first: Option<Corners>) -> Option<Corners> {
        let (mut least, mut largest) = self.rest_bounds?;
        if let Some((motion, _)) = &self.moving {
            let (first, bounds) = (first?, self.model.bounds()?);
            let (min, max) = (bounds.min.cast::<f64>(), bounds.max.cast::<f64>());
            let bulge = Vector3::repeat(motion.bulge(min.abs().sup(&max.abs()).norm()));
            (least, largest) = (least.inf(&first.0) - bulge, largest.sup(&first.1) + bulge);
        }
        (least.iter().chain(largest.iter()).all(|value| value.is_finite())).then_some((least, largest))
    }

    /// Whether its axes are those of the world, and it is at rest.
    pub fn is_aligned(&self) -> bool {
        self.moving.is_none() && self.axes.is_aligned()
    }

    /// Rays of a packet in the model frame. Those that are not among `lanes` may be copies of one of them.
    pub fn local_rays(&self, rays: &WorldRays, lanes: Lanes) -> LocalRays {
        let Some(sweep) = self.sweep() else {
            let mut local = LocalRays {
                origins: [[0.0; WIDTH]; 3],
                directions: self.axes.all_turned(&rays.directions),
                is_common: rays.is_common,
            };
            if rays.is_common {
                let origin = self.axes.local_origin(rays.origin(0));
                local.origins = [0, 1, 2].map(|axis| [origin[axis]; WIDTH]);
            } else {
                for lane in 0..WIDTH {
                    local.set_origin(lane, &self.axes.local_origin(rays.origin(lane)));
                }
            }
            return local;
        };
        let mut local = LocalRays { origins: [[0.0; WIDTH]; 3], directions: [[0.0; WIDTH]; 3], is_common: false };
        for (number, lane) in lanes.enumerate() {
            let axes = sweep.at(rays.times[lane]);
            let origin = axes.local_origin(rays.origin(lane));
            let direction = axes.turned([0, 1, 2].map(|axis| rays.directions[axis][lane]));
            if number == 0 {
                local.origins = [0, 1, 2].map(|axis| [origin[axis]; WIDTH]);
                local.directions = direction.map(|value| [value; WIDTH]);
            }
            local.set_origin(lane, &origin);
            for (values, value) in local.directions.iter_mut().zip(direction) {
                values[lane] = value;
            }
        }
        local
    }
}

/// Bounding box in the world of a model in a frame; `None` if it is empty.
fn corners(model: &Model, axes: &Axes) -> Option<Corners> {
    let bounds = model.bounds()?;
    let (min, max) = (bounds.min.cast::<f64>(), bounds.max.cast::<f64>());
    let [center, half] = [(min + max) / 2.0, (max - min) / 2.0];
    let out = axes.rotation();
    let (center, half) = (axes.origin() + out * center, out.abs() * half);
    Some((center - half, center + half))
}

/// Rays of a packet in the world.
pub struct WorldRays {
    /// By axis, m.
    pub origins: [[f64; WIDTH]; 3],
    /// By axis.
    pub directions: [[f64; WIDTH]; 3],
    pub times: [f64; WIDTH],
    /// Whether all have the same origin.
    pub is_common: bool,
}

impl WorldRays {
    fn origin(&self, lane: usize) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.origins[axis][lane % WIDTH])
    }
}

/// Rays of a packet in the frame of a model.
pub struct LocalRays {
    /// By axis, m.
    pub origins: [[f64; WIDTH]; 3],
    /// By axis.
    pub directions: [[f64; WIDTH]; 3],
    /// Whether all have the same origin.
    pub is_common: bool,
}

impl LocalRays {
    /// Origin of one ray.
    pub fn origin(&self, lane: usize) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.origins[axis][lane % WIDTH])
    }

    /// Direction of one ray.
    pub fn direction(&self, lane: usize) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.directions[axis][lane % WIDTH])
    }

    fn set_origin(&mut self, lane: usize, origin: &Vector3<f64>) {
        for (values, value) in self.origins.iter_mut().zip(origin.iter()) {
            values[lane % WIDTH] = *value;
        }
    }
}
