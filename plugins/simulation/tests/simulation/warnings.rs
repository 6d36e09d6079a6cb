//! Warnings of a run.

use bevy::prelude::*;
use bunraku_simulation::SimulationWarnings;

#[test]
fn a_component_warns_once_until_it_is_forgotten() {
    let mut warnings = SimulationWarnings::default();
    let (one, other) = (Entity::from_raw_u32(1).unwrap(), Entity::from_raw_u32(2).unwrap());
    for entity in [one, one, other] {
        warnings.add(entity, "Gripper", || format!("of {entity}"));
    }
    warnings.add(one, "Camera", || "dark".to_owned());
    assert_eq!(warnings.as_slice().len(), 3);
    warnings.add(one, "Gripper", || panic!("its text is not needed"));
    warnings.forget(one, "Gripper");
    warnings.add(one, "Gripper", || "again".to_owned());
    let texts: Vec<_> = warnings.as_slice().iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(texts[1..], ["dark", "again"]);
}

#[test]
fn of_different_warnings_the_first_hundred_are_kept() {
    let mut warnings = SimulationWarnings::default();
    let entity = Entity::from_raw_u32(1).unwrap();
    for number in (0..150).chain(0..150) {
        warnings.add_each(entity, "TaskRun", format!("warning {number}"));
    }
    let texts: Vec<_> = warnings.as_slice().iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!((texts.len(), texts[99], texts[100]), (101, "warning 99", "there are more warnings of this kind"));
}
