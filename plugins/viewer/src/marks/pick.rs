//! Picking of links with the pointer, and bounding boxes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use bunraku_body::{Body, BodyState, LinkIndex};
use bunraku_mesh::BoundingBox;
use bunraku_render::{InstanceIndex, Model, Ray, Reach, Scene, Textures};
use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// A link hit by a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Body entity.
    pub body: Entity,
    /// Link.
    pub link: LinkIndex,
    /// Hit point, m, world frame.
    pub point: Point3<f64>,
}

/// Casts rays at the visual shapes of bodies; caches data that do not change.
#[derive(Resource, Default)]
pub struct Picker {
    bodies: Vec<(Entity, Arc<Body>)>,
    /// Body and link by instance of the scene.
    owners: Vec<(Entity, LinkIndex)>,
    poses: Vec<Isometry3<f64>>,
    scene: Scene,
}

impl Picker {
    /// The first link of these bodies that a ray from `origin` (m) along `direction` hits.
    pub fn pick<'a>(
        &mut self,
        bodies: impl IntoIterator<Item = (Entity, &'a Arc<Body>, &'a BodyState)>,
        origin: Point3<f64>,
        direction: Vector3<f64>,
    ) -> Option<Picked> {
        self.update(&bodies.into_iter().collect::<Vec<_>>());
        let ray = Ray::new(origin, Unit::try_new(direction, 0.0)?);
        let hit = self.scene.cast(&ray, Reach::ALL)?;
        let (body, link) = *self.owners.get(hit.instance.0)?;
        Some(Picked { body, link, point: origin + ray.direction.into_inner() * hit.distance })
    }

    fn update(&mut self, bodies: &[(Entity, &Arc<Body>, &BodyState)]) {
        let known = self.bodies.iter().zip(bodies);
        let known = known.filter(|((known, model), (entity, body, _))| known == entity && Arc::ptr_eq(model, body));
        if self.bodies.len() != bodies.len() || known.count() != bodies.len() {
            self.build(bodies);
            return;
        }
        let states: BTreeMap<Entity, &BodyState> = bodies.iter().map(|(entity, _, state)| (*entity, *state)).collect();
        let mut moved = Vec::new();
        for (index, ((body, link), known)) in self.owners.iter().zip(&mut self.poses).enumerate() {
            let Some(pose) = states.get(body).and_then(|state| state.link_poses.get(link.0)) else { continue };
            if pose != known {
                *known = *pose;
                moved.push((InstanceIndex(index), *pose));
            }
        }
        if !moved.is_empty() {
            self.scene.set_poses(moved);
        }
    }

    fn build(&mut self, bodies: &[(Entity, &Arc<Body>, &BodyState)]) {
        let mut textures = Textures::default();
        let (mut owners, mut instances) = (Vec::new(), Vec::new());
        for (entity, body, state) in bodies {
            let models = Model::of_links(body, &mut textures);
            for ((index, model), pose) in models.into_iter().enumerate().zip(&state.link_poses) {
                if let Some(model) = model {
                    owners.push((*entity, LinkIndex(index)));
                    instances.push((model, *pose));
                }
            }
        }
        self.bodies = bodies.iter().map(|(entity, body, _)| (*entity, Arc::clone(body))).collect();
        self.poses = instances.iter().map(|(_, pose)| *pose).collect();
        self.owners = owners;
        self.scene = Scene::new(instances);
    }
}

/// Bounding box of the visual shapes of a body, world frame, m; of its link frames if it has none.
pub fn seen_bounds(body: &Body, state: &BodyState, link: Option<LinkIndex>) -> Option<BoundingBox> {
    let wanted = |index: LinkIndex| link.is_none_or(|link| link == index);
    let links = || body.indexed_links().zip(&state.link_poses).filter(|((index, _), _)| wanted(*index));
    let boxes = links().flat_map(|((_, link), pose)| {
        link.visual.iter().filter_map(move |shape| {
            let transform = nalgebra::convert::<_, nalgebra::Affine3<f64>>(*pose) * shape.transform;
            shape.geometry.bounding_box(&transform)
        })
    });
    boxes
        .reduce(BoundingBox::union)
        .or_else(|| BoundingBox::around(links().map(|(_, pose)| Point3::from(pose.translation.vector))))
}

#[cfg(test)]
mod tests {
    use bunraku_body::LoadOptions;
    use bunraku_document::{Reporter, SourceFile};

    use super::*;

    const TWO: &str = "{ format: ChoreonoidBody, format_version: 2.0, links: [
        { name: BASE, joint_type: fixed, elements: [ { type: Shape, geometry: { type: Box, size: [ 1, 1, 1 ] } } ] },
        { name: TOP, parent: BASE, joint_type: revolute, joint_axis: Z, joint_id: 0, translation: [ 0, 0, 2 ],
          elements: [ { type: Shape, geometry: { type: Sphere, radius: 0.5 } } ] } ] }";

    #[test]
    fn the_nearest_link_under_the_pointer_is_picked() {
        let body =
            bunraku_body::read(&SourceFile::from_text("two.body", TWO), &LoadOptions::default(), &Reporter::new());
        let body = Arc::new(body.expect("a body"));
        let mut state = BodyState::initial(&body);
        let entity = Entity::from_bits(7);
        let mut picker = Picker::default();
        let mut down = |x: f64| picker.pick([(entity, &body, &state)], Point3::new(x, 0.0, 5.0), -Vector3::z());
        let top = down(0.0).expect("the sphere");
        assert_eq!((top.body, top.link), (entity, LinkIndex(1)));
        assert!((top.point.z - 2.5).abs() < 1e-3, "{}", top.point);
        assert_eq!(down(0.49).map(|picked| picked.link), Some(LinkIndex(1)));
        assert_eq!(down(0.9), None);
        let level = picker.pick([(entity, &body, &state)], Point3::new(5.0, 0.0, 0.2), -Vector3::x());
        assert_eq!(level.map(|picked| picked.link), Some(LinkIndex(0)));
        // The ray hits the current pose, not an earlier one.
        for pose in &mut state.link_poses {
            pose.translation.x += 3.0;
        }
        let away = |picker: &mut Picker, state: &BodyState, x: f64| {
            picker.pick([(entity, &body, state)], Point3::new(x, 0.0, 5.0), -Vector3::z()).map(|picked| picked.link)
        };
        assert_eq!(away(&mut picker, &state, 0.0), None);
        assert_eq!(away(&mut picker, &state, 3.0), Some(LinkIndex(1)));
        for pose in &mut state.link_poses {
            pose.translation.x -= 3.0;
        }
        let bounds = seen_bounds(&body, &state, None).expect("it is visible");
        assert!((bounds.max.z - 2.5).abs() < 1e-6 && (bounds.min.z + 0.5).abs() < 1e-6);
        let bounds = seen_bounds(&body, &state, Some(LinkIndex(0))).expect("it is visible");
        assert!((bounds.max.z - 0.5).abs() < 1e-6);
    }
}
