//! Snapshots of tasks.

use std::sync::Arc;

use bevy::prelude::*;
use bunraku_physics::{JointSolver, PhysicsParameters};
use bunraku_simulation::{SnapshotEntities, SnapshotError, StateStore};
use serde::{Deserialize, Serialize};

use super::joints::joint_of;
use super::robot::{Attachment, Memory};
use super::run::{Control, TaskRun};
use crate::execution::SavedExecution;

/// All [`TaskRun`]s, with the joints of attached models.
pub(super) struct TaskRuns;

/// The variable part of a [`TaskRun`].
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SavedRun {
    execution: SavedExecution,
    memory: Memory,
    control: Control,
    is_end_reported: bool,
    /// For each attachment, whether a joint holds it.
    held: Vec<bool>,
}

impl SavedRun {
    /// Attachments that are held by joints.
    fn held(&self) -> impl Iterator<Item = &Attachment> {
        self.memory.attached.iter().zip(&self.held).filter(|(_, is_held)| **is_held).map(|(attached, _)| attached)
    }
}

fn is_same(first: &Attachment, second: &Attachment) -> bool {
    (&first.model, first.tool, first.relative) == (&second.model, second.tool, second.relative)
}

impl StateStore for TaskRuns {
    /// Saved runs by the bits of the entity.
    type Saved = Vec<(u64, SavedRun)>;

    fn take(world: &mut World) -> Result<Self::Saved, SnapshotError> {
        let saved = |run: &TaskRun| SavedRun {
            execution: run.execution.save(),
            memory: run.robot.memory.clone(),
            control: run.control,
            is_end_reported: run.is_end_reported,
            held: run.robot.memory.attached.iter().map(|attached| attached.joint.is_some()).collect(),
        };
        let mut runs = world.query::<(Entity, &TaskRun)>();
        Ok(runs.iter(world).map(|(entity, run)| (entity.to_bits(), saved(run))).collect())
    }

    fn entities(saved: &Self::Saved) -> Vec<Entity> {
        saved.iter().filter_map(|(bits, _)| Entity::try_from_bits(*bits)).collect()
    }

    fn check(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) -> Result<(), SnapshotError> {
        let solver = world.get_resource::<PhysicsParameters>().map(|parameters| parameters.joints);
        for (bits, saved) in saved {
            let Some(entity) = Entity::try_from_bits(*bits) else { continue };
            let entity = entities.now(entity)?;
            let Some(run) = world.get::<TaskRun>(entity) else {
                return Err(SnapshotError::NoComponent { entity, component: "TaskRun".to_owned() });
            };
            let now: Vec<_> = run.robot.memory.attached.iter().filter(|attached| attached.joint.is_some()).collect();
            let then: Vec<_> = saved.held().collect();
            let is_same = now.len() == then.len() && now.iter().zip(&then).all(|(now, then)| is_same(now, then));
            // Impulse joints are recreated with rapier's world, but their entities are not.
            if !is_same && solver == Some(JointSolver::Impulse) {
                let message = "a task has attached or let go a model since the snapshot was taken, or before it";
                return Err(SnapshotError::Unfit(message.to_owned()));
            }
        }
        Ok(())
    }

    fn restore(saved: &Self::Saved, entities: &SnapshotEntities, world: &mut World) {
        for (bits, saved) in saved {
            let Some(entity) = Entity::try_from_bits(*bits).and_then(|entity| entities.now(entity).ok()) else {
                continue;
            };
            let Some(mut run) = world.get_mut::<TaskRun>(entity) else { continue };
            let mut old = std::mem::take(&mut run.robot.memory.attached);
            run.execution.restore(&saved.execution);
            (run.control, run.is_end_reported) = (saved.control, saved.is_end_reported);
            let mut memory = saved.memory.clone();
            let mut new = Vec::new();
            for (attached, _) in memory.attached.iter_mut().zip(&saved.held).filter(|(_, is_held)| **is_held) {
                attached.joint = None;
                match old.iter().position(|old| old.joint.is_some() && is_same(old, attached)) {
                    Some(kept) => attached.joint = old.swap_remove(kept).joint,
                    None => new.push(attached.clone()),
                }
            }
            run.robot.memory = memory;
            let (setup, bodies) = (Arc::clone(run.setup()), run.robot.bodies.clone());
            for joint in old.into_iter().filter_map(|old| old.joint) {
                world.despawn(joint);
            }
            for attached in new {
                let body = bodies.get(&attached.model).copied();
                let joint = body.and_then(|body| joint_of(&attached, &setup, entity, body));
                let joint = joint.map(|joint| world.spawn(joint).id());
                if let Some(mut run) = world.get_mut::<TaskRun>(entity)
                    && let Some(slot) = run.robot.memory.attached.iter_mut().find(|slot| is_same(slot, &attached))
                {
                    slot.joint = joint;
                }
            }
        }
    }
}
