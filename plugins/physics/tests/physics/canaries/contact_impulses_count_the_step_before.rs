//! The impulse of a contact is the sum over the pieces of a step, and the one it was warm-started with.

use super::raw::{G, Raw};

#[test]
fn a_resting_block_reads_one_piece_too_many() {
    for pieces in [1, 2, 4, 8] {
        let mut raw = Raw::new(pieces);
        let (_, collider) = raw.block_on_floor();
        raw.run(1000);
        let impulses = raw.narrow_phase.contact_pairs_with(collider).map(|pair| pair.total_impulse_magnitude());
        let weights = impulses.sum::<f32>() / raw.parameters.dt / G;
        let expected = (pieces as f32 + 1.0) / pieces as f32;
        println!("n = {pieces}: {weights:.4} of the weight");
        assert!(
            (weights - expected).abs() < 0.01,
            "rapier reads {weights} of the weight instead of {expected}: it is mended, so the seeds in contacts.rs and \
             contact_forces.rs must go"
        );
    }
}
