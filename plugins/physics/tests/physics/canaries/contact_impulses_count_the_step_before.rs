//! The impulse of a contact is the sum over the substeps, and the one it was warm-started with.

use super::raw::{G, Raw};

#[test]
fn a_resting_block_reads_one_piece_too_many() {
    for substeps in [1, 2, 4, 8] {
        let mut raw = Raw::new(substeps);
        let (_, collider) = raw.block_on_floor();
        raw.run(1000);
        let impulses = raw.narrow_phase.contact_pairs_with(collider).map(|pair| pair.total_impulse_magnitude());
        let weights = impulses.sum::<f32>() / raw.parameters.dt / G;
        let expected = (substeps as f32 + 1.0) / substeps as f32;
        println!("n = {substeps}: {weights:.4} of the weight");
        assert!(
            (weights - expected).abs() < 0.01,
            "rapier reads {weights} of the weight instead of {expected}: it is mended, so the seeds in contacts.rs and \
             contact_forces.rs must go"
        );
    }
}
