//! The graph of states.

use std::collections::{BTreeMap, BTreeSet};

use bunraku_document::Reporter;

use crate::model::{Branch, State, StateId, StateKind, Task, Transition};

pub(super) fn check(task: &Task, reporter: &Reporter) {
    check_ids(task, reporter);
    let initial: Vec<&State> = task.states.iter().filter(|state| state.kind == StateKind::Initial).collect();
    match initial[..] {
        [] => {
            let diagnostic =
                task.origin.error("no-initial-state", format!("task `{}` has no initial state", task.name));
            reporter.report(diagnostic.help("add a state of type 1"));
        }
        [_] => {}
        [first, second, ..] => {
            let message = format!("states {} and {} are both initial", first.id, second.id);
            let diagnostic = second.origin.error("several-initial-states", message);
            reporter.report(diagnostic.help("a task begins in one state only"));
        }
    }
    for state in &task.states {
        check_ways_out(task, state, reporter);
    }
    if let [initial] = initial[..] {
        check_reached(task, initial, reporter);
    }
    check_empty_loops(task, reporter);
}

fn check_ids(task: &Task, reporter: &Reporter) {
    let mut seen = BTreeSet::new();
    for state in &task.states {
        if !seen.insert(state.id) {
            let diagnostic =
                state.origin.error("duplicate-state", format!("there is more than one state {}", state.id));
            reporter.report(diagnostic.help("give one of them another `id`"));
        }
    }
    let initial = |id| task.state(id).is_some_and(|state| state.kind == StateKind::Initial);
    for transition in &task.transitions {
        for (id, key) in [(transition.source, "source_id"), (transition.target, "target_id")] {
            if !seen.contains(&id) {
                let message = format!(
                    "the transition from {} to {} has a `{key}` that no state has",
                    transition.source, transition.target
                );
                let ids: Vec<String> = seen.iter().take(30).map(StateId::to_string).collect();
                let help = format!("there are states {}", ids.join(", "));
                reporter.report(transition.origin.error("unknown-state", message).help(help));
            }
        }
        if initial(transition.target) {
            let message = format!("a transition leads into the initial state {}", transition.target);
            let help = "let it lead to the state behind";
            reporter.report(transition.origin.error("way-into-initial", message).help(help));
        }
    }
}

fn check_ways_out(task: &Task, state: &State, reporter: &Reporter) {
    let id = state.id;
    let ways: Vec<&Transition> = task.transitions_from(id).collect();
    let of = |branch| ways.iter().filter(move |way| way.branch == branch).count();
    let report = |code, message: String, help: &str| reporter.report(state.origin.error(code, message).help(help));
    match (&state.kind, ways.len()) {
        (StateKind::Fork, _) => {
            report("fork", format!("state {id} is a fork, which cannot be run"), "do one thing after the other");
        }
        (StateKind::Final, 0) => {}
        (StateKind::Final, _) => {
            report("way-out-of-final", format!("a transition leads out of the final state {id}"), "remove it");
        }
        (StateKind::Decision { .. }, _) => {
            for (branch, name, index) in [(Branch::True, "true", "0"), (Branch::False, "false", "1")] {
                let help = match branch {
                    Branch::True => "add a transition from it, without a `source_index`",
                    Branch::False => "add a transition from it, with `source_index: 1`",
                };
                match of(branch) {
                    0 => report("missing-branch", format!("decision {id} has no {name} branch"), help),
                    1 => {}
                    _ => report(
                        "several-branches",
                        format!("decision {id} has more than one {name} branch"),
                        &format!("only one transition from it may have the `source_index` {index}"),
                    ),
                }
            }
        }
        (kind, 0) => {
            let message = format!("nothing follows state {id} ({})", kind.as_str());
            report("no-way-on", message, "add a transition from it, to a final state if the task ends here");
        }
        (kind, 1) => {
            if of(Branch::False) == 1 {
                let message = format!("the transition from state {id} ({}) has a `source_index`", kind.as_str());
                let diagnostic = ways[0].origin.warning("odd-source-index", message);
                reporter.report(diagnostic.help("it counts for decisions only: remove it"));
            }
        }
        (kind, _) => {
            let message = format!("more than one transition leads out of state {id} ({})", kind.as_str());
            report("several-ways-on", message, "only a decision has two ways on");
        }
    }
}

fn check_reached(task: &Task, initial: &State, reporter: &Reporter) {
    let mut reached = BTreeSet::new();
    let mut pending = vec![initial.id];
    while let Some(id) = pending.pop() {
        if reached.insert(id) {
            pending.extend(task.transitions_from(id).map(|transition| transition.target));
        }
    }
    for state in task.states.iter().filter(|state| !reached.contains(&state.id)) {
        let message = format!("state {} ({}) is never reached", state.id, state.kind.as_str());
        let diagnostic = state.origin.warning("unreachable-state", message);
        reporter.report(diagnostic.help("let a transition lead to it, or remove it"));
    }
}

/// Loops in which no command stands would turn for ever at one moment.
fn check_empty_loops(task: &Task, reporter: &Reporter) {
    let passes = |id: StateId| {
        task.state(id).is_some_and(|state| matches!(state.kind, StateKind::Merge | StateKind::Decision { .. }))
    };
    let mut targets: BTreeMap<StateId, Vec<StateId>> = BTreeMap::new();
    for transition in &task.transitions {
        if passes(transition.source) && passes(transition.target) {
            targets.entry(transition.source).or_default().push(transition.target);
        }
    }
    // States without a way on within the graph cannot be on a loop; what is left when they are gone can.
    loop {
        let ends: Vec<StateId> = targets
            .iter()
            .filter(|(_, ways)| !ways.iter().any(|way| targets.contains_key(way)))
            .map(|(&id, _)| id)
            .collect();
        if ends.is_empty() {
            break;
        }
        ends.iter().for_each(|id| {
            targets.remove(id);
        });
    }
    if let Some((&id, _)) = targets.iter().next()
        && let Some(state) = task.state(id)
    {
        let ids: Vec<String> = targets.keys().map(StateId::to_string).collect();
        let message = format!("states {} lead round without a command between", ids.join(", "));
        reporter.report(state.origin.error("empty-loop", message).help("put a command into the loop"));
    }
}
