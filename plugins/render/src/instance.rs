//! A model in a scene: its pose, its motion, and its bounding box.

use std::sync::Arc;

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
    /// Absent for an instance at rest.
    sweep: Option<Sweep>,
    bounds: Option<Corners>,
}

impl Instance {
    /// A model at rest.
    pub fn new(model: Arc<Model>, pose: &Isometry3<f64>) -> Self {
        let mut instance = Self { model, pose: *pose, axes: Axes::new(pose), sweep: None, bounds: None };
        instance.bounds = instance.find_bounds();
        instance
    }

    /// World pose at the end of the motion.
    pub fn pose(&self) -> &Isometry3<f64> {
        &self.pose
    }

    /// Motion between its start and its end.
    pub fn motion(&self) -> Motion {
        self.sweep.as_ref().map_or_else(|| Motion::still(self.pose), Sweep::motion)
    }

    /// Sets the motion; returns whether it is another one.
    pub fn set_motion(&mut self, motion: Motion) -> bool {
        if self.motion() == motion {
            return false;
        }
        if self.pose != motion.end() {
            self.pose = motion.end();
            self.axes = Axes::new(&self.pose);
        }
        self.sweep = (!motion.is_still()).then(|| Sweep::new(motion));
        self.bounds = self.find_bounds();
        true
    }

    /// Frame at a time of the motion.
    pub fn at(&self, time: f64) -> Axes {
        self.sweep.as_ref().map_or(self.axes, |sweep| sweep.at(time))
    }

    /// Bounding box in the world during its motion; `None` if it is empty or not finite.
    pub fn bounds(&self) -> Option<Corners> {
        self.bounds
    }

    fn find_bounds(&self) -> Option<Corners> {
        let bounds = self.model.bounds()?;
        let (min, max) = (bounds.min.cast::<f64>(), bounds.max.cast::<f64>());
        let [center, half] = [(min + max) / 2.0, (max - min) / 2.0];
        let at = |axes: &Axes| {
            let out = axes.rotation();
            let (center, half) = (axes.origin() + out * center, out.abs() * half);
            (center - half, center + half)
        };
        let (mut least, mut largest) = at(&self.axes);
        if let Some(sweep) = &self.sweep {
            let (first, last) = at(&sweep.at(0.0));
            let bulge = Vector3::repeat(sweep.motion().bulge(min.abs().sup(&max.abs()).norm()));
            (least, largest) = (least.inf(&first) - bulge, largest.sup(&last) + bulge);
        }
        (least.iter().chain(largest.iter()).all(|value| value.is_finite())).then_some((least, largest))
    }

    /// Whether its axes are those of the world, and it is at rest.
    pub fn is_aligned(&self) -> bool {
        self.sweep.is_none() && self.axes.is_aligned()
    }

    /// Rays of a packet in the model frame. Those that are not among `lanes` may be copies of one of them.
    pub fn local_rays(&self, rays: &WorldRays, lanes: Lanes) -> LocalRays {
        let Some(sweep) = &self.sweep else {
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
