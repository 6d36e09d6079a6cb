//! Forces that are read: contacts, joints, momentum. Every test prints how far off the engine was.

mod collision_rules;
mod coming_and_going;
mod contacts;
mod culling;
mod far_from_anything;
mod impacts;
mod inertia;
mod light_links;
mod link_motions;
mod loops;
mod materials;
mod mesh_ground;
mod reactions;
mod support;
mod tracks;
mod tunnelling;
mod users_bodies;
mod walk;
