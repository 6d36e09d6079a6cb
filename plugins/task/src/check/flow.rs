//! Checks of the graph of states.

use std::collections::{BTreeMap, BTreeSet};

use bunraku_document::Reporter;

use crate::model::{Branch, State, StateId, StateKind, Task, Transition};

/// States and transitions by number, for tasks with hundreds of thousands of them.
struct Graph<'t> {
    /// Of two states with the same number, the first.
    states: BTreeMap<StateId, &'t State>,
    /// Transitions by source, in file order.
    ways: BTreeMap<StateId, Vec<&'t Transition>>,
}

impl<'t> Graph<'t> {
    fn of(task: &'t Task) -> Self {
        let mut graph = Self { states: BTreeMap::new(), ways: BTreeMap::new() };
        for state in &task.states {
            graph.states.entry(state.id).or_insert(state);
        }
        for transition in &task.transitions {
            graph.ways.entry(transition.source).or_default().push(transition);
        }
        graph
    }

    fn ways_from(&self, id: StateId) -> &[&'t Transition] {
        self.ways.get(&id).map_or(&[], Vec::as_slice)
    }

    fn has(&self, id: StateId, is: impl Fn(&StateKind) -> bool) -> bool {
        self.states.get(&id).is_some_and(|state| is(&state.kind))
    }
}

pub(super) fn check(task: &Task, reporter: &Reporter) {
    let graph = Graph::of(task);
    check_ids(task, &graph, reporter);
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
        check_ways_out(state, graph.ways_from(state.id), reporter);
    }
    if let [initial] = initial[..] {
        check_reached(task, initial, &graph, reporter);
    }
    check_empty_loops(task, &graph, reporter);
}

fn check_ids(task: &Task, graph: &Graph<'_>, reporter: &Reporter) {
    let mut seen = BTreeSet::new();
    for state in &task.states {
        if !seen.insert(state.id) {
            let diagnostic =
                state.origin.error("duplicate-state", format!("there is more than one state {}", state.id));
            reporter.report(diagnostic.help("give one of them another `id`"));
        }
    }
    for transition in &task.transitions {
        for (id, key) in [(transition.source, "source_id"), (transition.target, "target_id")] {
            if !seen.contains(&id) {
                let message = format!(
                    "the transition from {} to {} has a `{key}` that no state has",
                    transition.source, transition.target
                );
                let help = format!("there are states {}", listed(seen.iter()));
                reporter.report(transition.origin.error("unknown-state", message).help(help));
            }
        }
        if graph.has(transition.target, |kind| *kind == StateKind::Initial) {
            let message = format!("a transition leads into the initial state {}", transition.target);
            let help = "let it lead to the state behind";
            reporter.report(transition.origin.error("way-into-initial", message).help(help));
        }
    }
}

fn check_ways_out(state: &State, ways: &[&Transition], reporter: &Reporter) {
    let id = state.id;
    let of = |branch| ways.iter().filter(move |way| way.branch == branch).count();
    let report = |code, message: String, help: &str| reporter.report(state.origin.error(code, message).help(help));
    match (&state.kind, ways) {
        (StateKind::Fork, _) => {
            report("fork", format!("state {id} is a fork, which cannot be run"), "do one thing after the other");
        }
        (StateKind::Final, _) => {
            if ways.iter().any(|way| way.target != id) {
                report("way-out-of-final", format!("a transition leads out of the final state {id}"), "remove it");
            }
            // Files of 2016-06 have one at each final state, which the plugin of that time accepts.
            for way in ways.iter().filter(|way| way.target == id) {
                let message = format!("a transition leads from the final state {id} to itself");
                let diagnostic = way.origin.warning("loop-on-final", message);
                reporter.report(diagnostic.help("it has no effect, the task ends in this state: remove it"));
            }
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
        (kind, []) => {
            let message = format!("nothing follows state {id} ({})", kind.as_str());
            report("no-way-on", message, "add a transition from it, to a final state if the task ends here");
        }
        (kind, [way]) => {
            if way.branch == Branch::False {
                let message = format!("the transition from state {id} ({}) has a `source_index`", kind.as_str());
                let diagnostic = way.origin.warning("odd-source-index", message);
                reporter.report(diagnostic.help("it counts for decisions only: remove it"));
            }
        }
        (kind, _) => {
            let message = format!("more than one transition leads out of state {id} ({})", kind.as_str());
            report("several-ways-on", message, "only a decision has two ways on");
        }
    }
}

fn check_reached(task: &Task, initial: &State, graph: &Graph<'_>, reporter: &Reporter) {
    let mut reached = BTreeSet::new();
    let mut pending = vec![initial.id];
    while let Some(id) = pending.pop() {
        if reached.insert(id) {
            pending.extend(graph.ways_from(id).iter().map(|transition| transition.target));
        }
    }
    for state in task.states.iter().filter(|state| !reached.contains(&state.id)) {
        let message = format!("state {} ({}) is never reached", state.id, state.kind.as_str());
        let diagnostic = state.origin.warning("unreachable-state", message);
        reporter.report(diagnostic.help("let a transition lead to it, or remove it"));
    }
}

/// Reports loops without a command, which would run forever without advancing the time.
fn check_empty_loops(task: &Task, graph: &Graph<'_>, reporter: &Reporter) {
    let passes = |id| graph.has(id, |kind| matches!(kind, StateKind::Merge | StateKind::Decision { .. }));
    // Candidate states of a loop with their number of transitions to other candidates, and the sources of these
    // transitions.
    let mut onward: BTreeMap<StateId, usize> = BTreeMap::new();
    let mut sources: BTreeMap<StateId, Vec<StateId>> = BTreeMap::new();
    for transition in &task.transitions {
        if passes(transition.source) && passes(transition.target) {
            *onward.entry(transition.source).or_default() += 1;
            onward.entry(transition.target).or_default();
            sources.entry(transition.target).or_default().push(transition.source);
        }
    }
    // A state without transitions to other candidates is not in a loop. The states left after removing all of these
    // are.
    let mut ends: Vec<StateId> = onward.iter().filter(|(_, ways)| **ways == 0).map(|(&id, _)| id).collect();
    while let Some(end) = ends.pop() {
        onward.remove(&end);
        for source in sources.remove(&end).into_iter().flatten() {
            if let Some(ways) = onward.get_mut(&source) {
                *ways -= 1;
                if *ways == 0 {
                    ends.push(source);
                }
            }
        }
    }
    if let Some((&id, _)) = onward.iter().next()
        && let Some(state) = graph.states.get(&id)
    {
        let message = format!("states {} form a loop without a command", listed(onward.keys()));
        reporter.report(state.origin.error("empty-loop", message).help("put a command into the loop"));
    }
}

/// Numbers of states for a message; only the first of many.
fn listed<'s>(ids: impl ExactSizeIterator<Item = &'s StateId>) -> String {
    const MOST: usize = 30;
    let more = ids.len().saturating_sub(MOST);
    let first: Vec<String> = ids.take(MOST).map(StateId::to_string).collect();
    if more == 0 { first.join(", ") } else { format!("{} and {more} more", first.join(", ")) }
}
