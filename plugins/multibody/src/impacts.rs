//! Bounces.

use super::constraints::Constraints;
use super::contact_block::target;
use super::normals::Stage;
use super::parameters::Parameters;
use super::patch::Passes;

/// The most impacts in a step that follow each other.
const MAX_IMPACTS: usize = 50;

impl Constraints {
    /// Lets what bounces bounce: everything that meets at once in one solve, then what that has made meet, and so on. What comes
    /// after it, resting and sliding, finds surfaces that part already.
    pub fn bounce(&mut self, motion: &mut [f64], parameters: &Parameters) {
        if self.contacts.iter().all(|block| block.restitution <= 0.0) {
            return;
        }
        for _ in 0..MAX_IMPACTS {
            let mut meets = false;
            self.follow(motion);
            for (block, twist) in self.contacts.iter_mut().zip(&self.twists) {
                block.acts = false;
                let meeting = block.meeting(twist);
                if block.restitution <= 0.0 || !meeting.is_impact(parameters) || !meeting.is_now(block.gap, parameters)
                {
                    continue;
                }
                block.acts = true;
                meets = true;
                block.target = meeting.parting(block.gap, block.restitution, parameters);
                // What it carried in the step before has nothing to do with it.
                block.impulse = [0.0; 3];
                block.correction = 0.0;
            }
            if !meets {
                break;
            }
            for sweep in 1..=parameters.max_sweeps.max(1) {
                if self.sweep_contacts(Stage::Share, Passes::whole(parameters.tolerance), motion, sweep % 2 == 0)
                    <= parameters.tolerance
                {
                    break;
                }
            }
            for block in self.contacts.iter_mut().filter(|block| block.acts) {
                block.impact.iter_mut().zip(block.impulse).for_each(|(sum, more)| *sum += more);
                block.impulse = [0.0; 3];
                block.target = target(block.gap, parameters);
            }
        }
        self.follow(motion);
        for (block, twist) in self.contacts.iter_mut().zip(&self.twists) {
            // It meets in a later step; until then nothing brakes it.
            let meeting = block.meeting(twist);
            block.acts =
                block.restitution <= 0.0 || !meeting.is_impact(parameters) || meeting.is_now(block.gap, parameters);
            if !block.acts {
                block.impulse = [0.0; 3];
                block.correction = 0.0;
            }
        }
    }
}
