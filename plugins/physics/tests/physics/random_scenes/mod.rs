//! Scenes drawn at random: bodies of all shapes, masses over six orders of magnitude, joints, extra joints, servos with limits, on a
//! floor or none, with steps of 0.2 to 10 ms.

mod draw;
mod run;

use draw::Scene;

#[test]
fn random_scenes_neither_diverge_nor_gain_energy() {
    let variable = |name: &str, usual: f64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let first = variable("BUNRAKU_SCENES_FIRST", 0.0) as u64;
    let count = variable("BUNRAKU_SCENES", 60.0) as u64;
    let seconds = variable("BUNRAKU_SCENES_SECONDS", 0.5);
    println!("seed   step/ms links bodies clos floor   fric rest  steps uns.    gain/J    at/s  kin/J    share  turn/rad  v/(m/s)   gap/m  fault");
    for seed in first..first + count {
        let scene = Scene::draw(seed);
        let run = run::run(&scene, seconds);
        println!(
            "{seed:<6} {:<7.3} {:<5} {:<6} {:<4} {:<7} {:<4.1} {:<4.2} {:<6} {:<5} {:<9.2e} {:<5.3} {:<9.2e} {:<9.1e} {:<9.1e} {:<9.2e} {:<8.1e} {}",
            1e3 * scene.time_step,
            scene.num_links(),
            scene.bodies.len(),
            scene.closures.len(),
            if scene.has_floor { "floor" } else if scene.gravity.norm() > 0.0 { "falls" } else { "floats" },
            scene.friction,
            scene.restitution,
            run.steps,
            run.unsolved,
            run.gain,
            run.gained_at,
            run.most_kinetic,
            run.gain / run.most_kinetic,
            run.largest_turn,
            run.fastest,
            run.widest_gap,
            run.fault.clone().unwrap_or_default()
        );
    }
}
