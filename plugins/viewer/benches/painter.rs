//! Images per second of a camera in the house of the corpus, rendered by ray casting and by Bevy, in one run.
//!
//! ```text
//! BUNRAKU_CORPUS=… cargo bench --profile dev -p bunraku_viewer --bench painter
//! ```
//!
//! Times are wall times, the best of several images, because a graphics driver uses its own threads.

#![allow(clippy::print_stdout, missing_docs)]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bunraku_body::{LoadOptions, OpticalFrame, Shape};
use bunraku_document::Reporter;
use bunraku_render::{Lens, Lighting, Model, Painter, Scene, Textures, Threads, View};
use bunraku_viewer::painter::GraphicsPainter;
use nalgebra::Isometry3;

const PICTURES: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(share) = bunraku_test_support::share() else { return Ok(()) };
    let house = share.join("model/house/house.wrl");
    let body =
        bunraku_body::load(&house, &LoadOptions::default(), &Reporter::new()).ok_or("the house does not load")?;
    let models = Model::of_links(&body, &mut Textures::default()).into_iter().flatten();
    let scene = Scene::new(models.map(|model| (model, Isometry3::identity())));
    let bounds = body.root().visual.iter().filter_map(Shape::bounding_box).reduce(|all, next| all.union(next));
    let bounds = bounds.ok_or("the house is empty")?;
    let center = bounds.min + (bounds.max - bounds.min) / 2.0;
    let eye = Isometry3::from(center) * OpticalFrame::Robotics.rotation();
    let (lighting, painter) = (Lighting::default(), GraphicsPainter::default());
    println!("| size | rays, one thread | rays, all cores | Bevy |");
    println!("|---|---|---|---|");
    for (width, height) in [(320, 240), (640, 480)] {
        let view = View { width, height, lens: Lens::Normal { field_of_view: 1.0 }, near: 0.04, far: 200.0 };
        let rays = |threads: Threads| rate(|| scene.picture(&view, &eye, &lighting, threads).map(|_| ()));
        let (one, all) = (rays(Threads::ONE)?, rays(Threads::available())?);
        let painted = rate(|| painter.paint(&scene, &view, &eye, &lighting).map(|_| ()))?;
        println!("| {width}×{height} | {one:.1} | {all:.1} | {painted:.1} |");
    }
    Ok(())
}

/// Images per second, without the first, which includes the setup.
fn rate<E>(take: impl Fn() -> Result<(), E>) -> Result<f64, E> {
    take()?;
    let mut best = f64::INFINITY;
    for _ in 0..PICTURES {
        let start = Instant::now();
        black_box(take())?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(1.0 / best)
}
