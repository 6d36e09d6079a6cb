//! Results of a step: contacts, efforts and reactions of joints, and checks of plausibility.

pub(crate) mod acting;
pub(crate) mod collision_events;
pub(crate) mod contact_changes;
pub(crate) mod contact_forces;
pub(crate) mod gaps;
pub(crate) mod health;
pub(crate) mod instability;
pub(crate) mod joint_readings;
pub(crate) mod link_motions;
pub(crate) mod ranges;
pub(crate) mod reactions;
pub(crate) mod start_report;
pub(crate) mod states;
pub(crate) mod support;
pub(crate) mod words;
