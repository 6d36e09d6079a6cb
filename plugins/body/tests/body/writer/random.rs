//! Models made up by a small random number generator.

use std::fmt::Write;
use std::ops::{Deref, DerefMut};

/// The text of a model; the same for the same seed.
pub fn model(seed: u64) -> String {
    let mut random = Random(bunraku_test_support::Random::new(seed));
    let mut text = "format: ChoreonoidBody\nformat_version: 1.0\n".to_owned();
    if random.below(2) == 0 {
        text.push_str("angle_unit: radian\n");
    }
    text.push_str("links:\n");
    for link in 0..=random.below(8) {
        let _ = write!(text, "  - name: L{link}\n    {}\n", random.pose());
        if link > 0 {
            let _ = writeln!(text, "    parent: L{}", random.below(link));
            let kind = ["revolute", "prismatic", "fixed"][random.below(3)];
            let _ = writeln!(text, "    joint_type: {kind}\n    joint_id: {}", link - 1);
            let _ = writeln!(text, "    joint_axis: {}", random.list(3, 1.0));
            let _ = writeln!(text, "    joint_range: [ -{}, {} ]", random.positive(), random.positive());
            let _ = writeln!(
                text,
                "    max_joint_velocity: {}\n    joint_angle: {}",
                random.positive(),
                random.number(3.0)
            );
        }
        let _ = writeln!(text, "    mass: {}\n    center_of_mass: {}", random.positive(), random.list(3, 1.0));
        let _ = writeln!(text, "    inertia: {}", random.list(9, 1.0));
        let _ = writeln!(text, "    elements: [");
        for _ in 0..random.below(6) {
            let element = random.element(0);
            let _ = writeln!(text, "      {element},");
        }
        text.push_str("      ]\n");
    }
    text
}

struct Random(bunraku_test_support::Random);

impl Deref for Random {
    type Target = bunraku_test_support::Random;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Random {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Random {
    /// Now and then a round number, as people write them.
    fn number(&mut self, largest: f64) -> f64 {
        let number = self.within(1.0);
        match self.below(4) {
            0 => 0.0,
            1 => (number * 10.0).round() / 10.0 * largest,
            _ => number * largest,
        }
    }

    fn positive(&mut self) -> f64 {
        self.number(2.0).abs() + 0.125
    }

    fn list(&mut self, length: usize, largest: f64) -> String {
        let mut numbers: Vec<f64> = (0..length).map(|_| self.number(largest)).collect();
        // No axis is zero.
        numbers[0] = numbers[0].abs() + 0.25;
        format!("{numbers:?}")
    }

    fn pose(&mut self) -> String {
        let (translation, axis, angle) = (self.list(3, 2.0), self.list(3, 1.0), self.number(400.0));
        format!("{{ translation: {translation}, rotation: {}, {angle} ] }}", axis.trim_end_matches(']'))
            .trim_matches(['{', '}', ' '])
            .replace(", rotation", "\n    rotation")
    }

    fn placed(&mut self, kind: &str, rest: &str) -> String {
        let pose = self.pose().replace("\n   ", ",");
        let scale = if self.below(2) == 0 { format!(", scale: {}", self.list(3, 3.0)) } else { String::new() };
        format!("{{ type: {kind}, {pose}{scale}, {rest} }}")
    }

    fn element(&mut self, depth: usize) -> String {
        let inner = |random: &mut Self| {
            let elements: Vec<_> = (0..random.below(4)).map(|_| random.element(depth + 1)).collect();
            format!("elements: [ {} ]", elements.join(", "))
        };
        match self.below(if depth < 3 { 6 } else { 3 }) {
            0 => {
                let device = ["ForceSensor, name: F", "PointLight, intensity: 0.5", "MarkerDevice"][self.below(3)];
                let (kind, rest) = device.split_once(", ").unwrap_or((device, "name: N"));
                self.placed(kind, rest)
            }
            1 | 2 => {
                let geometry = match self.below(4) {
                    0 => format!("{{ type: Sphere, radius: {} }}", self.positive()),
                    1 => format!("{{ type: Capsule, radius: {}, height: {} }}", self.positive(), self.positive()),
                    2 => format!(
                        "{{ type: Extrusion, scale: [ {}, 1 ], crease_angle: {} }}",
                        self.positive(),
                        self.positive()
                    ),
                    _ => format!("{{ type: Box, size: [ {}, 1, 2 ] }}", self.positive()),
                };
                let color = self.below(3) as f64 / 2.0;
                let look = format!("{{ material: {{ diffuse: [ {color}, 0, 1 ] }} }}");
                self.placed("Shape", &format!("geometry: {geometry}, appearance: {look}"))
            }
            3 if depth == 0 => {
                // Only shapes, because purposes cannot be inside each other.
                let kind = ["Visual", "Collision"][self.below(2)];
                let rest = inner(&mut Self(bunraku_test_support::Random::new(self.bits())))
                    .replace("type: Visual", "type: Group")
                    .replace("type: Collision", "type: Group");
                self.placed(kind, &rest)
            }
            _ => {
                let rest = inner(self);
                self.placed("Transform", &rest)
            }
        }
    }
}
