//! Writing of tasks, and reading back.

use bunraku_task::model::{Attached, Origin, ParameterValue, Task};
use bunraku_task::{save, write};

use crate::common::{read, try_read};
use crate::messages::SOUND;

#[test]
fn texts_with_all_kinds_of_characters_round_trip() {
    let mut task = read(SOUND).remove(0);
    task.name = "ボトルを置く \"quoted\" \\ : # - ' \u{7f}".to_owned();
    task.comment = "two\nlines\tand a tab".to_owned();
    task.files.push(Attached { path: "図面 1.stl".to_owned(), origin: Origin::default() });
    task.parameters[0].value = ParameterValue::Double(0.1 + 0.2);
    task.parameters[0].unit = Some("m".to_owned());
    let text = write(std::slice::from_ref(&task));
    let (again, findings) = try_read(&text);
    assert_eq!(findings.len(), 0, "{findings:?}\n{text}");
    assert_eq!(again.unwrap(), [task]);
}

#[test]
fn an_empty_task_keeps_its_shape() {
    let task = Task { name: "nothing".to_owned(), ..Task::default() };
    assert_eq!(read(&write(std::slice::from_ref(&task))), [task]);
}

#[test]
fn a_file_is_written_atomically() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("task.yaml");
    let tasks = read(SOUND);
    save(&tasks, &path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), write(&tasks));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    assert!(save(&tasks, &directory.path().join("nowhere/task.yaml")).is_err());
}
