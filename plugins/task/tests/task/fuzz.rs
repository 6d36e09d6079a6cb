//! Damaged files: whatever stands in them is refused or run, and nothing panics or runs for ever.

use bunraku_document::{Reporter, SourceFile};
use bunraku_task::execution::{Limits, run};
use bunraku_task::robot::{KinematicRobot, read_mapping};
use bunraku_task::{check, reader, write};

use crate::common::try_read;
use crate::execution::arm;
use crate::messages::SOUND;

/// A small generator of random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % count.max(1) as u64) as usize
    }

    /// The text with some letters or lines removed, doubled or replaced.
    fn damage(&mut self, text: &str) -> String {
        const BITS: [&str; 14] = ["-", "[", "]", "\"", ":", "9e99", "-1", "nan", "\n", "  ", "xyz(", "3", "é", "&a *a"];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=self.below(3) {
            let index = self.below(lines.len());
            match self.below(4) {
                0 => {
                    lines.remove(index);
                }
                1 => lines.insert(index, lines[index].clone()),
                2 => {
                    let other = self.below(lines.len());
                    lines.swap(index, other);
                }
                _ => {
                    let letters: Vec<char> = lines[index].chars().collect();
                    let at = self.below(letters.len());
                    let behind = (at + self.below(3)).min(letters.len());
                    let bit = BITS[self.below(BITS.len())];
                    lines[index] =
                        letters[..at].iter().collect::<String>() + bit + &letters[behind..].iter().collect::<String>();
                }
            }
        }
        lines.join("\n")
    }
}

#[test]
fn damaged_tasks_are_refused_or_run() {
    let mut random = Random(3);
    let setup = arm();
    let (mut read, mut sound) = (0, 0);
    for _ in 0..1000 {
        let text = random.damage(SOUND);
        let reporter = Reporter::new();
        let Some(tasks) = reader::read(&SourceFile::from_text("damaged.yaml", &*text), &reporter) else {
            assert!(reporter.has_errors(), "{text}");
            continue;
        };
        read += 1;
        tasks.iter().for_each(|task| check::check(task, &reporter));
        // What is written reads back, to the same text.
        let written = write(&tasks);
        let (again, findings) = try_read(&written);
        let again = again.unwrap_or_else(|| panic!("{findings:?}\n{written}"));
        assert_eq!(write(&again), written);
        let limits = Limits { states: 50, time: 5.0 };
        for task in tasks {
            // Also what the check refuses must end, with a message.
            let mut robot = KinematicRobot::new(setup.clone(), &task);
            sound += usize::from(run(task, limits, &mut robot, &mut Vec::new()).is_ok());
            assert!(robot.displacements().iter().all(|value| value.is_finite()));
        }
    }
    assert!(read > 150 && sound > 15, "{read} read, {sound} run");
}

#[test]
fn damaged_mappings_are_refused_or_read() {
    let path = crate::arms::assets("tasks/arm.robot.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let mut random = Random(5);
    for _ in 0..3000 {
        let reporter = Reporter::new();
        let mapping = read_mapping(&SourceFile::from_text("damaged.yaml", random.damage(&text)), &reporter);
        assert_eq!(mapping.is_none(), reporter.has_errors());
    }
}
