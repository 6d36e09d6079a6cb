//! Errors of the laws of a problem's terms.

use super::contact_term::Violation;
use super::problem::Problem;
use crate::model::index::{ClosureIndex, CoordinateIndex};
use crate::model::law_errors::{LawError, LawErrors, keep};

impl Problem {
    /// Deviations at the present velocities and impulses, of a step of `time_step` seconds.
    pub fn law_errors(&self, time_step: f64) -> LawErrors {
        let mut errors = LawErrors::default();
        for contact in self.contacts.iter().filter(|contact| contact.acts) {
            let of = contact.contact;
            let error = |velocity| Some(LawError { velocity, of });
            let Violation { approach, lift, beyond, slip } = contact.violation();
            let cone_force = beyond / contact.response[1] / time_step;
            errors.add(&LawErrors {
                penetration: error(approach),
                separation: error(lift),
                cone: error(beyond),
                cone_force,
                slip: error(slip),
                ..LawErrors::default()
            });
        }
        for row in self.coordinates.iter().filter(|row| row.term.acts) {
            let of = CoordinateIndex(row.coordinate);
            keep(&mut errors.joint, Some(LawError { velocity: row.term.violation(), of }));
        }
        for row in self.rows.iter().filter(|row| row.term.acts) {
            let of = ClosureIndex(row.closure);
            keep(&mut errors.closure, Some(LawError { velocity: row.term.violation(), of }));
        }
        errors
    }
}
