//! Every `.wrl` file of the corpus.

use std::path::Path;
use std::sync::Arc;

use bunraku_document::{Limits, Reporter, SearchRoots, Severity, read_bytes};
use bunraku_mesh::vrml::{Document, Node, Value};
use bunraku_mesh::{LoadContext, MeshScene, load_scene};
use bunraku_test_support::Random;

use crate::common::wrl_files;

/// Files that cannot be read, with the code of the error.
const UNREADABLE: &[(&str, &str)] = &[];

fn load(path: &Path, share: &Path) -> (bunraku_document::Result<MeshScene>, Reporter) {
    let roots = SearchRoots::new(Some(share.to_owned())).around(path);
    let reporter = Reporter::new();
    let limits = Limits::default();
    let scene = load_scene(path, &LoadContext { roots: &roots, limits: &limits, reporter: &reporter });
    (scene, reporter)
}

#[test]
fn every_file_of_the_corpus_is_read() {
    let Some((corpus, files)) = wrl_files::corpus() else { return };
    let (mut bytes, mut wrong) = (0, Vec::new());
    for path in &files {
        let name = path.strip_prefix(&corpus).unwrap().display().to_string();
        let content = read_bytes(path, &Limits::default()).unwrap();
        bytes += content.len();
        let nodes = Document::parse(path, content, &Limits::default(), &Reporter::new()).map(|file| file.node_count());
        let (scene, reporter) = load(path, &corpus.join("share"));
        let expected = UNREADABLE.iter().find(|(file, _)| *file == name).map(|(_, code)| *code);
        match &scene {
            Ok(scene) => println!(
                "{name}: {} nodes, {} shapes, {} triangles, {} warnings",
                nodes.unwrap_or_default(),
                scene.shapes().len(),
                scene.triangle_count(),
                reporter.count(Severity::Warning)
            ),
            Err(error) => println!("{name}: {error}"),
        }
        for finding in reporter.into_diagnostics() {
            println!("    {finding}");
        }
        if scene.as_ref().err().map(|error| error.code) != expected {
            wrong.push(name);
        }
    }
    println!("{} files, {bytes} bytes", files.len());
    assert_eq!(wrong, Vec::<String>::new());
}

/// File under `share/model`, joints, joints with an ID from 0 on, and the sum of the masses in kg
/// (reference/openhrp-vrml.md §11, which counts the links: as many as there are joints).
const BODIES: &[(&str, usize, usize, f64)] = &[
    ("SR1/SR1.wrl", 30, 29, 130.8),
    ("SR1/SR1Hand.wrl", 30, 29, 130.8),
    ("SR1/SR1-2D.wrl", 30, 29, 130.8),
    ("PA10/PA10.wrl", 10, 9, 35.21),
    ("GR001/GR001.wrl", 21, 20, 0.88475),
    ("RIC30/RIC30.wrl", 19, 18, 0.74),
    ("misc/ClosedLinkSample.wrl", 4, 3, 27.339292),
    ("misc/4wheelsVehicle.wrl", 7, 2, 21.0),
    ("misc/crawler.wrl", 3, 2, 12.0),
    ("misc/conveyor.wrl", 2, 1, 30.0),
    ("misc/arm_2dof.wrl", 3, 2, 4.0),
    ("misc/box1.wrl", 1, 0, 12.8),
    ("misc/box2.wrl", 1, 0, 0.2),
    ("misc/box3.wrl", 1, 0, 1.0),
    ("misc/box4.wrl", 1, 0, 0.5),
    ("misc/floor.wrl", 1, 0, 0.5),
    ("misc/plane.wrl", 1, 0, 1.0),
    ("misc/ellipsoid1.wrl", 1, 0, 2.0),
    ("misc/Torus.wrl", 1, 0, 12.8),
    ("DoubleArmV7/prt/floor.wrl", 1, 0, 12.8),
];

#[derive(Default)]
struct Body {
    joints: usize,
    joints_with_id: usize,
    mass: f64,
}

impl Body {
    fn add(&mut self, nodes: &[Arc<Node>]) {
        for node in nodes {
            let value = |name| node.field(name).map(|field| field.value);
            match node.type_name() {
                "Joint" => {
                    self.joints += 1;
                    self.joints_with_id += usize::from(matches!(value("jointId"), Some(Value::SFInt32(0..))));
                }
                "Segment" => {
                    let Some(Value::SFFloat(mass)) = value("mass") else { panic!("{}", node.name()) };
                    self.mass += mass;
                }
                _ => {}
            }
            // Other fields of a Humanoid list its joints again.
            for field in ["humanoidBody", "children"] {
                self.add(value(field).map(Value::nodes).unwrap_or_default());
            }
        }
    }
}

#[test]
fn bodies_have_the_known_joints_and_masses() {
    let Some((corpus, _)) = wrl_files::corpus() else { return };
    for &(name, joints, with_id, mass) in BODIES {
        let path = corpus.join("share/model").join(name);
        let content = read_bytes(&path, &Limits::default()).unwrap();
        let file = Document::parse(&path, content, &Limits::default(), &Reporter::new()).unwrap();
        let mut body = Body::default();
        body.add(file.nodes());
        assert_eq!((body.joints, body.joints_with_id), (joints, with_id), "{name}");
        assert!((body.mass - mass).abs() < 1e-6 * mass, "{name}: {} kg", body.mass);
    }
}

#[test]
fn files_of_the_corpus_cut_at_any_place_do_not_panic() {
    let Some((_, files)) = wrl_files::corpus() else { return };
    let mut random = Random::new(1);
    for path in files {
        let content = read_bytes(&path, &Limits::default()).unwrap();
        for _ in 0..20 {
            // Large files would take too long.
            let content = &content[..content.len().min(100_000)];
            let end = random.below(content.len());
            for part in [&content[..end], &content[end..]] {
                if let Err(error) = Document::parse(&path, part, &Limits::default(), &Reporter::new()) {
                    assert!(error.position().is_some(), "{error}");
                }
            }
        }
    }
}
