//! Faults of rapier 0.35 that this crate makes up for, on rapier alone.
//!
//! When one of these tests fails, the engine has been mended: the correction named in the message must go, or forces will
//! be wrong the other way.

mod contact_impulses_count_the_step_before;
mod friction_of_a_step_is_not_told;
mod kinematic_quaternion_signs_are_turns;
mod massless_colliders_permute_moments;
mod raw;
