//! The view through a sensor's camera.

use bevy::prelude::*;
use bunraku_body::{BodyState, LinkIndex, ToBevy};
use bunraku_render::Lens;
use bunraku_sensors::CameraModel;

use super::control::{MainCamera, ViewArea};

/// The sensor's camera through which the window looks, if any; else it has its own.
#[derive(Resource, Clone, Debug, Default)]
pub struct Through(pub Option<ThroughCamera>);

/// A camera of a body.
#[derive(Clone, Debug)]
pub struct ThroughCamera {
    /// Body entity.
    pub body: Entity,
    /// Device, by its index in the model.
    pub device: usize,
    /// Link on which it is mounted.
    pub link: LinkIndex,
    /// Name.
    pub label: String,
    /// The camera.
    pub camera: Box<CameraModel>,
}

/// Half of the field of view of a lens that is not in perspective, rad: a wider one would show nothing in the middle.
const WIDEST: f64 = std::f64::consts::FRAC_PI_3;

impl ThroughCamera {
    /// Half the width and half the height of the image at the distance 1.
    pub fn extent(&self) -> [f32; 2] {
        let view = self.camera.view();
        let (width, height) = (f64::from(view.width), f64::from(view.height));
        let extent = match &view.lens {
            Lens::RadialTangential { intrinsics, .. } => {
                [width / (2.0 * intrinsics.fx), height / (2.0 * intrinsics.fy)]
            }
            Lens::Normal { field_of_view } => {
                let half = (field_of_view / 2.0).tan();
                [half * width / width.min(height), half * height / width.min(height)]
            }
            _ => [WIDEST.tan() * width / height.max(1.0), WIDEST.tan()],
        };
        #[allow(clippy::cast_possible_truncation)]
        extent.map(|half| half as f32)
    }

    /// Whether straight lines are straight in its images. Others are displayed in perspective.
    pub fn is_in_perspective(&self) -> bool {
        matches!(self.camera.view().lens, Lens::Normal { .. })
    }

    /// Half the height of a view with this aspect ratio at the distance 1, so that the image just fits into it.
    pub fn half_height(&self, aspect: f32) -> f32 {
        let [width, height] = self.extent();
        height.max(width / aspect.max(0.01))
    }
}

/// Moves the camera of the window to that of the sensor, with its field of view. After [`place_camera`](super::place_camera).
pub fn look_through(
    mut through: ResMut<Through>,
    area: Res<ViewArea>,
    bodies: Query<&BodyState>,
    mut cameras: Query<(&mut Transform, &mut Projection), With<MainCamera>>,
) {
    let Some(camera) = &through.0 else { return };
    let Some(link) = bodies.get(camera.body).ok().and_then(|state| state.link_poses.get(camera.link.0)) else {
        through.0 = None;
        return;
    };
    let pose = camera.camera.optical_pose(link).to_bevy();
    if !pose.is_finite() {
        return;
    }
    let view = camera.camera.view();
    #[allow(clippy::cast_possible_truncation)]
    let (near, far) = (view.near.max(1e-3) as f32, view.far.min(1e4) as f32);
    let aspect_ratio = area.aspect();
    let fov = 2.0 * camera.half_height(aspect_ratio).atan();
    for (mut transform, mut projection) in &mut cameras {
        *transform = pose;
        *projection = PerspectiveProjection { fov, aspect_ratio, near, far, ..default() }.into();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_body::{BodyModel, LoadOptions};
    use bunraku_document::{Reporter, SourceFile};
    use bunraku_sensors::{Sensor, SensorKind};
    use nalgebra::{Isometry3, Point3, Vector3};

    use super::super::control::place_camera;
    use super::super::orbit::{FIELD_OF_VIEW, Orbit};
    use super::*;

    const HEAD: &str = "{ format: ChoreonoidBody, format_version: 2.0, links: [
        { name: HEAD, joint_type: free, elements: [
          { type: Camera, name: EYE, format: COLOR, translation: [ 0.1, 0, 0.2 ], rotation: [ 0, 0, 1, 30 ], field_of_view: 60, width: 320, height: 160 } ] } ] }";

    #[test]
    fn the_picture_is_that_of_the_sensor_and_then_again_that_of_the_window() {
        let source = SourceFile::from_text("head.body", HEAD);
        let reporter = Reporter::new();
        let body = bunraku_body::read(&source, &LoadOptions::default(), &reporter).expect("a body");
        let sensor = Sensor::new(0, &body.devices[0]).expect("sound").expect("a sensor");
        let SensorKind::Camera(camera) = sensor.kind else { panic!("no camera") };
        let root = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
        let state = BodyState::at_rest(&body, &root, Vec::new());
        let mut app = App::new();
        app.init_resource::<Orbit>().init_resource::<Through>();
        app.insert_resource(ViewArea { position: UVec2::ZERO, size: UVec2::new(400, 400) });
        app.add_systems(Update, (place_camera, look_through).chain());
        let world = app.world_mut();
        world.spawn((MainCamera, Camera::default(), Transform::default(), Projection::default()));
        let entity = world.spawn((BodyModel(Arc::new(body)), state)).id();
        let drawn = |app: &mut App, point: Point3<f64>| {
            app.update();
            let mut cameras = app.world_mut().query_filtered::<(&Transform, &mut Projection), With<MainCamera>>();
            let (transform, mut projection) = cameras.single_mut(app.world_mut()).expect("a camera");
            projection.update(400.0, 400.0);
            let point = Vec3::from_array(point.coords.cast::<f32>().into());
            let clip = projection.get_clip_from_view() * transform.to_matrix().inverse() * point.extend(1.0);
            [clip.x / clip.w, clip.y / clip.w]
        };
        let expected = |point: [f64; 3]| camera.optical_pose(&root) * Point3::from(point);
        let through =
            ThroughCamera { body: entity, device: 0, link: LinkIndex(0), label: String::new(), camera: camera.clone() };
        app.insert_resource(Through(Some(through)));
        // 60° over the height, which is the shorter side: the width fills the square view, the height half of it.
        let half = 30_f64.to_radians().tan();
        for (point, place) in [
            ([0.0, 0.0, -2.0], [0.0, 0.0]),
            ([2.0 * 2.0 * half, 0.0, -2.0], [1.0, 0.0]),
            ([0.0, 2.0 * half, -2.0], [0.0, 0.5]),
        ] {
            let found = drawn(&mut app, expected(point));
            assert!((found[0] - place[0]).abs() < 1e-4 && (found[1] - place[1]).abs() < 1e-4, "{found:?} {place:?}");
        }
        app.world_mut().despawn(entity);
        app.update();
        assert!(app.world().resource::<Through>().0.is_none());
        app.update();
        let mut cameras = app.world_mut().query::<(&Transform, &Projection)>();
        let (transform, projection) = cameras.single(app.world()).expect("a camera");
        let Projection::Perspective(perspective) = projection else { panic!("{projection:?}") };
        assert!((perspective.fov - FIELD_OF_VIEW).abs() < 1e-6);
        assert_eq!(*transform, app.world().resource::<Orbit>().transform());
    }
}
