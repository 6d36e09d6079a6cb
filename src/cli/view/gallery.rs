//! The scenes that an empty window offers: those in the directory `assets` of the project, or of an installation.

use std::path::PathBuf;
use std::sync::Arc;

use bunraku::viewer::view::{Gallery, GalleryScene};

/// Scene, title, and one sentence about it.
const SCENES: [(&str, &str, &str); 11] = [
    ("rover", "Rover", "Two driven wheels follow a recorded motion, and friction does the rest."),
    ("trotter", "Trotter", "A robot on four legs trots in a circle, by a program of 60 lines, and catches a push."),
    ("arm", "Arm", "A six-axis arm with a gripper, held by servos; tasks run on it."),
    ("course", "Course", "A rover drives through twenty boxes, posts and balls; the skittles fall."),
    ("crawler", "Crawler", "Two tracks, a turn on the spot, and a push that does not move it."),
    ("pendulum", "Double pendulum", "Chaos that keeps its energy."),
    ("satellite", "Satellite", "It turns with nothing to push against but its reaction wheel."),
    ("tow", "Towing", "A ball joint hooks a cart onto the rover."),
    ("legs", "Legs", "A robot on two legs is pushed; an IMU and the forces of its ankles measure it."),
    ("mapping", "Mapping", "A scanner turns while its rover drives through a furnished room."),
    ("sensors_all", "Sensors", "One robot with one of each sensor: see the panel Sensors."),
];

/// The gallery; empty without the directory.
pub fn gallery() -> Gallery {
    let Some(assets) = find() else { return Gallery::default() };
    let scenes = SCENES.iter().filter_map(|(name, title, about)| {
        let file = assets.join("scenes").join(format!("{name}.scene.yaml"));
        let picture = assets.join("gallery").join(format!("{name}.png"));
        let (title, about) = ((*title).to_owned(), (*about).to_owned());
        file.is_file().then_some(GalleryScene { title, about, file, picture })
    });
    Gallery(Arc::new(scenes.collect()))
}

/// `assets` above the current directory or the program, or `share/bunraku/assets` of an installation.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    let starts = here.iter().chain(&program).flat_map(|start| start.ancestors());
    let places = starts.flat_map(|above| [above.join("assets"), above.join("share/bunraku/assets")]);
    places.into_iter().find(|assets| assets.join("scenes/rover.scene.yaml").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_there_with_its_picture() {
        let Gallery(scenes) = gallery();
        let titles: Vec<_> = scenes.iter().map(|scene| scene.title.as_str()).collect();
        assert_eq!(titles, SCENES.map(|(_, title, _)| title));
        for scene in scenes.iter() {
            let (width, height) = image::image_dimensions(&scene.picture).unwrap();
            assert_eq!((width, height), (400, 250), "{}", scene.picture.display());
        }
    }
}
