//! A camera that moves with a link.

use bevy::prelude::*;
use bunraku_body::{BodyState, LinkIndex};

use super::orbit::Orbit;

/// The link that the camera follows, if any.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Followed(pub Option<Follow>);

/// A followed link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follow {
    /// Body entity.
    pub body: Entity,
    /// Link.
    pub link: LinkIndex,
    /// Position of the link when the camera was moved last, m; `None` before the first time.
    last: Option<Vec3>,
}

impl Follow {
    /// Follows a link from where it is next.
    pub fn link(body: Entity, link: LinkIndex) -> Self {
        Self { body, link, last: None }
    }
}

/// Translates the camera as the link has moved. It does not rotate: a walking robot would shake the picture.
pub fn follow_link(mut followed: ResMut<Followed>, mut orbit: ResMut<Orbit>, bodies: Query<&BodyState>) {
    let Some(follow) = followed.0 else { return };
    let Some(pose) = bodies.get(follow.body).ok().and_then(|state| state.link_poses.get(follow.link.0)) else {
        followed.0 = None;
        return;
    };
    let now = Vec3::from_array(pose.translation.vector.cast::<f32>().into());
    if !now.is_finite() || follow.last == Some(now) {
        return;
    }
    if let Some(last) = follow.last {
        orbit.target += now - last;
    }
    followed.0 = Some(Follow { last: Some(now), ..follow });
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::super::control::{MainCamera, ViewArea, place_camera};
    use super::*;

    fn state(x: f64) -> BodyState {
        let pose = Isometry3::translation(x, 0.5, 1.0);
        BodyState { link_poses: vec![pose], displacements: Vec::new(), velocities: Vec::new() }
    }

    #[test]
    fn the_camera_moves_with_the_link_and_stays_when_it_is_removed() {
        let mut app = App::new();
        app.init_resource::<Orbit>().init_resource::<ViewArea>();
        app.add_systems(Update, (follow_link, place_camera).chain());
        let world = app.world_mut();
        let camera = world.spawn((MainCamera, Camera::default(), Transform::default(), Projection::default())).id();
        let body = world.spawn(state(0.0)).id();
        world.insert_resource(Followed(Some(Follow::link(body, LinkIndex(0)))));
        app.update();
        let drawn = |app: &App| app.world().get::<Transform>(camera).copied().unwrap_or_default();
        let before = drawn(&app);
        app.world_mut().entity_mut(body).insert(state(2.0));
        app.update();
        let after = drawn(&app);
        assert!((after.translation - before.translation - 2.0 * Vec3::X).length() < 1e-5, "{after:?}");
        assert!(after.rotation.angle_between(before.rotation) < 1e-5);
        // A body that is at NaN does not take the camera with it.
        app.world_mut().entity_mut(body).insert(state(f64::NAN));
        app.update();
        assert_eq!(drawn(&app), after);
        app.world_mut().despawn(body);
        app.update();
        assert_eq!((drawn(&app), app.world().resource::<Followed>().0), (after, None));
    }
}
