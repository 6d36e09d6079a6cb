//! Damaged files are refused or run, without a panic or an endless run.

use bunraku_document::{Reporter, SourceFile};
use bunraku_task::execution::{Limits, run};
use bunraku_task::robot::{KinematicRobot, read_mapping};
use bunraku_task::{check, reader, write};
use bunraku_test_support::Random;

use crate::common::try_read;
use crate::execution::arm;
use crate::messages::SOUND;

/// The text with some characters or lines removed, doubled or replaced.
fn damage(random: &mut Random, text: &str) -> String {
    const BITS: [&str; 14] = ["-", "[", "]", "\"", ":", "9e99", "-1", "nan", "\n", "  ", "xyz(", "3", "é", "&a *a"];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let index = random.below(lines.len());
        match random.below(4) {
            0 => {
                lines.remove(index);
            }
            1 => lines.insert(index, lines[index].clone()),
            2 => {
                let other = random.below(lines.len());
                lines.swap(index, other);
            }
            _ => {
                let letters: Vec<char> = lines[index].chars().collect();
                let at = random.below(letters.len());
                let behind = (at + random.below(3)).min(letters.len());
                let bit = BITS[random.below(BITS.len())];
                lines[index] =
                    letters[..at].iter().collect::<String>() + bit + &letters[behind..].iter().collect::<String>();
            }
        }
    }
    lines.join("\n")
}
#[test]
fn damaged_tasks_are_refused_or_run() {
    let mut random = Random::new(3);
    let setup = arm();
    let (mut read, mut sound) = (0, 0);
    for _ in 0..1000 {
        let text = damage(&mut random, SOUND);
        let reporter = Reporter::new();
        let Some(tasks) = reader::read(&SourceFile::from_text("damaged.yaml", &*text), &reporter) else {
            assert!(reporter.has_errors(), "{text}");
            continue;
        };
        read += 1;
        tasks.iter().for_each(|task| check::check(task, &reporter));
        // A written text reads back to the same text.
        let written = write(&tasks);
        let (again, findings) = try_read(&written);
        let again = again.unwrap_or_else(|| panic!("{findings:?}\n{written}"));
        assert_eq!(write(&again), written);
        let limits = Limits { states: 50, time: 5.0 };
        for task in tasks {
            // A task refused by the check must also end, with a message.
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
    let mut random = Random::new(5);
    for _ in 0..3000 {
        let reporter = Reporter::new();
        let mapping = read_mapping(&SourceFile::from_text("damaged.yaml", damage(&mut random, &text)), &reporter);
        assert_eq!(mapping.is_none(), reporter.has_errors());
    }
}
