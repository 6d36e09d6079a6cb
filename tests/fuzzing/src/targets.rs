//! The table of targets.

use std::path::Path;

use bunraku_test_support::project;

use crate::{meshes, models, motions, recovery, solver, tables, tasks};

/// A reader, and what holds for any bytes in it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also that of the directory of its seeds.
    pub name: &'static str,
    /// Panics if a property does not hold.
    pub check: fn(&[u8]),
    /// Files of `assets/` that are seeds besides those in `seeds/`.
    assets: &'static [&'static str],
}

/// All targets, in the order of their names.
pub const TARGETS: &[Target] = &[
    new(
        "body",
        models::body,
        &["models/arm.body", "models/rover.body", "models/inspector.body", "models/crawler.body"],
    ),
    #[cfg(feature = "scene")]
    new("cnoid", crate::scenes::cnoid, &[]),
    new("csv", motions::csv, &["motions/push.csv"]),
    new("dae", meshes::dae, &[]),
    new("expression", tasks::expression, &[]),
    new("glb", meshes::glb, &[]),
    new("gltf", meshes::gltf, &[]),
    #[cfg(feature = "scene")]
    new("heightfield", crate::scenes::heightfield, &[]),
    new("mapping", tasks::mapping, &["tasks/arm.robot.yaml"]),
    new("materials", models::materials, &["models/materials.yaml"]),
    new("mcap", recovery::mcap, &[]),
    new("mjcf", models::mjcf, &["models/pan_tilt.xml"]),
    new("mtl", meshes::mtl, &[]),
    new("obj", meshes::obj, &[]),
    new("partial", motions::partial, &[]),
    new("pattern", tables::pattern, &[]),
    new("picture", meshes::picture, &[]),
    #[cfg(feature = "scene")]
    new("scene", crate::scenes::scene, &[]),
    new("seq", motions::seq, &[]),
    new("solver", solver::differential, &[]),
    new("stl", meshes::stl, &[]),
    #[cfg(feature = "scene")]
    new("summary", crate::summaries::summary, &[]),
    new("task", tasks::task, &["tasks/pick_place.yaml"]),
    new("urdf", models::urdf, &["models/picker.urdf"]),
    new("vrml", models::vrml, &[]),
    new("xacro", models::xacro, &[]),
    new("yaml", tables::yaml, &["models/materials.yaml"]),
];

const fn new(name: &'static str, check: fn(&[u8]), assets: &'static [&'static str]) -> Target {
    Target { name, check, assets }
}

/// The target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Its seeds: valid files that together use what the reader knows.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(self.name);
        let mut files: Vec<_> = std::fs::read_dir(&own)
            .unwrap_or_else(|error| panic!("{}: {error}", own.display()))
            .map(|entry| entry.expect("an entry of a directory").path())
            .collect();
        files.sort();
        files.extend(self.assets.iter().map(|asset| project().join("assets").join(asset)));
        let read =
            |file| std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", Path::new(&file).display()));
        files.into_iter().map(read).collect()
    }
}
