//! A step: islands on threads, their forces and constraints, rest, and readings.

pub mod advance;
pub mod by_island;
pub mod correct;
pub mod divide;
pub mod energy;
pub mod islands;
pub mod lanes;
pub mod law_residuals;
pub mod readings;
pub mod rest;
pub mod setting;
pub mod solve_island;
pub mod solver;
pub mod worker;
