//! The graph of states.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bunraku_document::Reporter;

use crate::model::{Branch, State, StateId, StateKind, Task, Transition};

/// States by their IDs and the transitions out of each: tasks that programs write have tens of thousands.
struct Graph<'t> {
    states: HashMap<StateId, &'t State>,
    ways: HashMap<StateId, Vec<&'t Transition>>,
}

impl<'t> Graph<'t> {
    fn of(task: &'t Task) -> Self {
        let (mut states, mut ways) = (HashMap::new(), HashMap::<_, Vec<_>>::new());
        for state in &task.states {
            states.entry(state.id).or_insert(state);
        }
        for transition in &task.transitions {
            ways.entry(transition.source).or_default().push(transition);
        }
        Self { states, ways }
    }

    fn ways_from(&self, id: StateId) -> &[&'t Transition] {
        self.ways.get(&id).map_or(&[], Vec::as_slice)
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
        check_ways_out(&graph, state, reporter);
    }
    if let [initial] = initial[..] {
        check_reached(task, &graph, initial, reporter);
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
    let initial = |id| graph.states.get(&id).is_some_and(|state| state.kind == StateKind::Initial);
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

fn check_ways_out(graph: &Graph<'_>, state: &State, reporter: &Reporter) {
    let id = state.id;
    let ways = graph.ways_from(id);
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

fn check_reached(task: &Task, graph: &Graph<'_>, initial: &State, reporter: &Reporter) {
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

/// Loops in which no command stands would turn for ever at one moment.
fn check_empty_loops(task: &Task, graph: &Graph<'_>, reporter: &Reporter) {
    let passes = |id: StateId| {
        graph.states.get(&id).is_some_and(|state| matches!(state.kind, StateKind::Merge | StateKind::Decision { .. }))
    };
    // How many transitions each state has within the graph, and from where those into it come.
    let (mut ways_on, mut sources) = (BTreeMap::<StateId, usize>::new(), HashMap::<StateId, Vec<StateId>>::new());
    for transition in &task.transitions {
        if passes(transition.source) && passes(transition.target) {
            *ways_on.entry(transition.source).or_default() += 1;
            ways_on.entry(transition.target).or_default();
            sources.entry(transition.target).or_default().push(transition.source);
        }
    }
    // States without a way on within the graph cannot be on a loop; what is left when they are gone can.
    let mut ends: Vec<StateId> = ways_on.iter().filter(|(_, ways)| **ways == 0).map(|(&id, _)| id).collect();
    while let Some(end) = ends.pop() {
        ways_on.remove(&end);
        for source in sources.remove(&end).unwrap_or_default() {
            if let Some(ways) = ways_on.get_mut(&source) {
                *ways -= 1;
                if *ways == 0 {
                    ends.push(source);
                }
            }
        }
    }
    if let Some(&id) = ways_on.keys().next()
        && let Some(state) = graph.states.get(&id)
    {
        let ids: Vec<String> = ways_on.keys().map(StateId::to_string).collect();
        let message = format!("states {} lead round without a command between", ids.join(", "));
        reporter.report(state.origin.error("empty-loop", message).help("put a command into the loop"));
    }
}
