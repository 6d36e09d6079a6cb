//! Ground truth of the pixels of a camera: labels, boxes, normals and optical flow, by the same rays as its pictures.

use bunraku_render::{InstanceIndex, Motion, Ray, Scene, Threads, View};
use nalgebra::{Isometry3, Point3, Vector3};

/// Parts of the ground truth that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct TruthKinds {
    /// Label of each pixel, and the boxes of what is visible.
    pub labels: bool,
    /// Normal of the surface in each pixel.
    pub normals: bool,
    /// Velocity of each pixel in the image.
    pub flow: bool,
}

/// Exact data of the pixels of an image, row by row from the upper left; lists that are not wanted are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruth {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// 0 without a hit, else one more than the index of an instance of the scene.
    pub labels: Vec<u32>,
    /// Unit normal towards the camera in the frame of images (+X right, +Y down, +Z ahead); zero without a hit.
    pub normals: Vec<[f32; 3]>,
    /// Velocity of the visible point in the image, pixels/s to the right and down: its difference over the last step. NaN
    /// without a hit.
    pub flow: Vec<[f32; 2]>,
    /// The visible instances, by label.
    pub boxes: Vec<LabelBox>,
}

/// Boxes of a visible instance.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(serde::Serialize, serde::Deserialize))]
pub struct LabelBox {
    /// Label of its pixels.
    pub label: u32,
    /// Name of the instance; `body/link` in a running simulation, otherwise empty.
    pub name: String,
    /// Number of its pixels.
    pub pixels: u32,
    /// Least column and row of its pixels, and one more than the largest.
    pub visible: [u32; 4],
    /// Least and largest image coordinates of the corners of its box in space, pixels from the upper left corner of the
    /// image, whatever hides it; `None` if a corner is not shown by the lens.
    pub whole: Option<[f64; 4]>,
    /// Centre and axes of its box in the frame of images, m: those of its link.
    pub pose: [f64; 7],
    /// Edges of that box, m.
    pub size: [f64; 3],
}

/// A camera during a step.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'m> {
    /// View.
    pub view: &'m View,
    /// Motion of the carrier of the camera.
    pub carrier: &'m Motion,
    /// Optical frame of the camera in the carrier.
    pub optical: &'m Isometry3<f64>,
    /// Duration of the step, s.
    pub step: f64,
}

/// Data of a pixel.
#[derive(Clone, Copy, Debug)]
struct Pixel {
    label: u32,
    normal: [f32; 3],
    flow: [f32; 2],
}

/// A vector of the optical frame in the frame of images.
fn in_image(vector: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(vector.x, -vector.y, -vector.z)
}

/// The ground truth at the end of a step, whose motions the scene has.
pub fn ground_truth(scene: &Scene, watched: &Watched<'_>, kinds: TruthKinds, threads: Threads) -> GroundTruth {
    const NOTHING: Pixel = Pixel { label: 0, normal: [0.0; 3], flow: [f32::NAN; 2] };
    let Watched { view, carrier, optical, step } = watched;
    let (eye, before) = (carrier.end() * *optical, carrier.at(0.0) * *optical);
    let optics = view.optics();
    let ray = |index: usize| {
        let direction = optics.pixel_direction(index)?;
        Some((Ray::new(eye.translation.vector.into(), eye.rotation * direction), view.reach(&direction)))
    };
    let motions: Vec<Motion> =
        (0..scene.num_instances()).filter_map(|index| scene.motion(InstanceIndex(index))).collect();
    let flow_of = |point: &Point3<f64>, instance: usize| {
        let motion = motions.get(instance)?;
        let earlier = motion.at(0.0) * motion.end().inverse_transform_point(point);
        let now = view.project(&eye.inverse_transform_point(point).coords)?;
        let then = view.project(&before.inverse_transform_point(&earlier).coords)?;
        Some([0, 1].map(|axis| ((now[axis] - then[axis]) / step) as f32))
    };
    let mut pixels = vec![NOTHING; view.num_pixels()];
    scene.fill(&mut pixels, threads, ray, |caster, ray, hit| {
        let (Some((ray, _)), Some(hit)) = (ray, hit) else { return NOTHING };
        let InstanceIndex(instance) = hit.instance;
        let label = u32::try_from(instance + 1).unwrap_or(u32::MAX);
        let Some(surface) = caster.scene().surface(&ray, &hit) else { return Pixel { label, ..NOTHING } };
        let normal = in_image(eye.rotation.inverse() * surface.normal).cast::<f32>();
        let flow = if kinds.flow { flow_of(&surface.point, instance) } else { None };
        Pixel { label, normal: normal.into(), flow: flow.unwrap_or([f32::NAN; 2]) }
    });
    let is_wanted = |wanted: bool| if wanted { &pixels[..] } else { &pixels[..0] };
    let labels: Vec<u32> = is_wanted(kinds.labels).iter().map(|pixel| pixel.label).collect();
    GroundTruth {
        width: view.width,
        height: view.height,
        boxes: boxes(scene, view, &eye, &labels),
        normals: is_wanted(kinds.normals).iter().map(|pixel| pixel.normal).collect(),
        flow: is_wanted(kinds.flow).iter().map(|pixel| pixel.flow).collect(),
        labels,
    }
}

/// Boxes of the labels of an image.
fn boxes(scene: &Scene, view: &View, eye: &Isometry3<f64>, labels: &[u32]) -> Vec<LabelBox> {
    let mut found: Vec<Option<(u32, [u32; 4])>> = vec![None; scene.num_instances()];
    for (index, label) in (0_u32..).zip(labels) {
        let Some(found) = (*label as usize).checked_sub(1).and_then(|instance| found.get_mut(instance)) else {
            continue;
        };
        let (column, row) = (index % view.width, index / view.width);
        let (pixels, [left, top, right, bottom]) = found.unwrap_or((0, [column, row, column + 1, row + 1]));
        let range = [left.min(column), top.min(row), right.max(column + 1), bottom.max(row + 1)];
        *found = Some((pixels + 1, range));
    }
    let shown = (1_u32..).zip(scene.instances().zip(found));
    let boxes = shown.filter_map(|(label, ((model, pose), found))| {
        let (pixels, visible) = found?;
        let [least, largest] = model.bounding_box()?;
        let corners = (0..8).map(|corner| {
            Point3::from(Vector3::from_fn(|axis, _| if corner >> axis & 1 == 0 { least[axis] } else { largest[axis] }))
        });
        let in_eye = eye.inverse() * pose;
        let image = corners.map(|corner| view.project(&(in_eye * corner).coords)).collect::<Option<Vec<_>>>();
        let whole = image.map(|points| {
            let along = |axis: usize| points.iter().map(move |point| point[axis]);
            let (least, largest) = (f64::INFINITY, f64::NEG_INFINITY);
            let [left, top] = [0, 1].map(|axis| along(axis).fold(least, f64::min));
            let [right, bottom] = [0, 1].map(|axis| along(axis).fold(largest, f64::max));
            [left, top, right, bottom]
        });
        // Half a turn about X leads from the optical frame to that of images.
        let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let center = in_image((in_eye * Point3::from((least + largest) / 2.0)).coords);
        let rotation = turn * in_eye.rotation;
        let pose = [center.x, center.y, center.z, rotation.w, rotation.i, rotation.j, rotation.k];
        Some(LabelBox { label, name: String::new(), pixels, visible, whole, pose, size: (largest - least).into() })
    });
    boxes.collect()
}
