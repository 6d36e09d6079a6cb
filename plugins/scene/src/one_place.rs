//! Bodies that are all in the same place, as in generated scenes without `translation`.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_body::{Body, Drive, Shape};
use bunraku_document::{Reporter, Value};
use bunraku_mesh::BoundingBox;
use nalgebra::{Point3, Vector3};

use super::model::SceneBody;

/// Maximum number of bodies in the place of one; more are a mistake. Each pair of them touches at several points: 500
/// boxes take 1 GB and 7 s for their first step.
const MOST: usize = 100;

/// Reports an error for scenes in which forces would have to separate very many bodies in one place. Two bodies are in
/// one place if the box around each contains the centre of the other.
pub(super) fn report(bodies: &[SceneBody], value: Value<'_>, reporter: &Reporter) {
    let Some((first, others)) = find(&boxes(bodies)) else { return };
    let (Some(body), Some(second)) = (bodies.get(first), others.first().and_then(|index| bodies.get(*index))) else {
        return;
    };
    let number = others.len() + 1;
    let message = format!("{number} bodies stand in one place: `{}`, `{}` and others", body.name, second.name);
    let is_of = |item: &Value<'_>| {
        let name = item.get("name").and_then(Value::text);
        name.is_some_and(|name| {
            body.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    };
    let place = value.items().and_then(|mut items| items.find(is_of)).unwrap_or(value);
    let help = "give each a `translation`, copies a `spacing`, and what lets others pass through `collision: false`";
    reporter.report(place.error("one-place", message).help(help));
}

/// The bounding box of a body's collision shapes, and its centre.
struct Placed {
    index: usize,
    bounds: BoundingBox,
    center: Point3<f64>,
    is_moved: bool,
}

/// The boxes around the collision shapes of each body, in the world frame.
fn boxes(bodies: &[SceneBody]) -> Vec<Placed> {
    // Copies share their model, and boxes around large meshes take long to compute.
    let mut known: HashMap<*const Body, Vec<Option<BoundingBox>>> = HashMap::new();
    let placed = bodies.iter().enumerate().filter(|(_, body)| body.collision.enabled).filter_map(|(index, body)| {
        let of_links = known.entry(Arc::as_ptr(&body.body)).or_insert_with(|| {
            let around = |shapes: &[Shape]| shapes.iter().filter_map(Shape::bounding_box).reduce(BoundingBox::union);
            body.body.links().iter().map(|link| around(&link.collision)).collect()
        });
        let in_world = of_links.iter().zip(&body.initial.link_poses).filter_map(|(bounds, pose)| {
            let BoundingBox { min, max } = (*bounds)?;
            let corner = |corner: usize| {
                let side = |axis: usize| if corner & (1 << axis) == 0 { min[axis] } else { max[axis] };
                pose * Point3::new(side(0), side(1), side(2))
            };
            BoundingBox::around((0..8).map(corner))
        });
        let bounds = in_world.reduce(BoundingBox::union)?;
        let is_moved = body.drive.of_body() == Drive::Physics;
        Some(Placed { index, bounds, center: nalgebra::center(&bounds.min, &bounds.max), is_moved })
    });
    placed.collect()
}

/// The first body with too many others in its place, and the indices of those.
fn find(bodies: &[Placed]) -> Option<(usize, Vec<usize>)> {
    let centers = BoundingBox::around(bodies.iter().map(|body| body.center))?;
    // Sorted along the axis with the largest spread.
    let axis = Vector3::from(centers.max - centers.min).imax();
    let mut sorted: Vec<&Placed> = bodies.iter().collect();
    sorted.sort_by(|a, b| a.center[axis].total_cmp(&b.center[axis]).then(a.index.cmp(&b.index)));
    let holds = |one: &Placed, other: &Placed| {
        (0..3).all(|axis| (one.bounds.min[axis]..=one.bounds.max[axis]).contains(&other.center[axis]))
    };
    let is_in_place =
        |one: &Placed, other: &Placed| (one.is_moved || other.is_moved) && holds(one, other) && holds(other, one);
    sorted.iter().enumerate().find_map(|(index, body)| {
        let behind = sorted.get(index + 1..)?;
        let near = behind.iter().take_while(|other| other.center[axis] <= body.bounds.max[axis]);
        let mut others: Vec<usize> = near.filter(|other| is_in_place(body, other)).map(|other| other.index).collect();
        others.sort_unstable();
        (others.len() > MOST).then_some((body.index, others))
    })
}
