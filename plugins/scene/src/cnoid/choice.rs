//! Choice of the simulator item of a project.

use bunraku_document::{Diagnostic, Reporter, closest};

use super::project::Project;
use super::simulator::Simulator;

/// The class of Choreonoid's own simulator, whose behaviour scenes follow.
pub(super) const AIST: &str = "AISTSimulatorItem";

/// The simulator with this name, or else the first AISTSimulator, or else the first of all; the others are reported in
/// a note. `None` after an error, `Some(None)` if the project has no simulator.
pub(super) fn choose(project: &Project, name: Option<&str>, reporter: &Reporter) -> Option<Option<Simulator>> {
    let simulators = &project.simulators;
    let chosen = match name {
        Some(name) => {
            let found = simulators.iter().position(|simulator| simulator.name == name);
            if found.is_none() {
                let names: Vec<&str> = simulators.iter().map(|simulator| simulator.name.as_str()).collect();
                let error = Diagnostic::error("unknown-simulator", format!("the project has no simulator `{name}`"));
                reporter.report(match closest(name, names.iter().copied()) {
                    Some(meant) => error.help(format!("did you mean `{meant}`?")),
                    None if names.is_empty() => error.help("it has none at all"),
                    None => error.help(format!("it has {}", names.join(", "))),
                });
                return None;
            }
            found
        }
        None => {
            simulators.iter().position(|simulator| simulator.class == AIST).or((!simulators.is_empty()).then_some(0))
        }
    };
    let Some(chosen) = chosen else {
        let message = "the project has no simulator: the run has Choreonoid's defaults";
        let mut note = Diagnostic::note("no-simulator", message);
        note.place.clone_from(&project.world);
        reporter.report(note);
        return Some(None);
    };
    for (_, simulator) in simulators.iter().enumerate().filter(|(index, _)| *index != chosen) {
        let own = simulator.class == AIST;
        let message = match own {
            true => format!("the simulator `{}` is not used", simulator.name),
            false => format!("the simulator `{}` ({}) is another engine", simulator.name, simulator.class),
        };
        let mut note = Diagnostic::note("other-simulator", message);
        note.place = Some(simulator.place.clone());
        let help = format!("`--simulator {}` takes its time step, its end and its options", simulator.name);
        reporter.report(note.help(help));
    }
    let simulator = simulators.get(chosen)?;
    simulator.findings.iter().cloned().for_each(|finding| reporter.report(finding));
    if simulator.class == "KinematicSimulatorItem" {
        let message = format!("`{}` moves joints without forces; here they move by forces", simulator.name);
        let mut warning = Diagnostic::warning("no-counterpart", message);
        warning.place = Some(simulator.place.clone());
        reporter.report(warning);
    }
    Some(Some(simulator.clone()))
}
