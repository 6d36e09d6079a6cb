use bunraku_document::Diagnostic;
use bunraku_task::execution::Event;
use bunraku_task::model::{Branch, Parameter, ParameterValue, State, StateKind, Task};
use bunraku_task::robot::RobotSetup;
use serde_json::{Value, json};

/// The tasks of a file. Poses are `[x, y, z, roll, pitch, yaw]`, m and **degrees**, as in the file.
pub fn tasks(tasks: &[Task], diagnostics: &[Diagnostic]) -> Value {
    json!({
        "format": "Task",
        "tasks": tasks.iter().map(task).collect::<Vec<_>>(),
        "diagnostics": super::diagnostics(diagnostics),
    })
}

fn task(task: &Task) -> Value {
    let models = task.models.iter().map(|model| {
        json!({
            "name": model.name.as_str(),
            "master": model.master.as_str(),
            "file": task.master(&model.master).map(|master| &master.file),
            "type": model.role.as_str(),
            "pose": model.pose.0,
        })
    });
    let transitions = task.transitions.iter().map(|way| {
        let branch = way.branch == Branch::True;
        json!({ "source": way.source.0, "target": way.target.0, "branch": branch })
    });
    json!({
        "name": task.name,
        "comment": task.comment,
        "models": models.collect::<Vec<_>>(),
        "parameters": task.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "states": task.states.iter().map(state).collect::<Vec<_>>(),
        "transitions": transitions.collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let (kind, value) = match &parameter.value {
        ParameterValue::Integer(value) => ("integer", json!(value)),
        ParameterValue::Double(value) => ("double", json!(value)),
        ParameterValue::Vector(value) => ("vector", json!(value)),
        ParameterValue::Frame(frame) => ("frame", json!(frame.0)),
        ParameterValue::Bound { model, feature, .. } => {
            ("model", json!({ "model": model.as_str(), "feature": feature }))
        }
    };
    json!({ "name": parameter.name.as_str(), "label": parameter.label, "type": kind, "value": value, "unit": parameter.unit })
}

fn state(state: &State) -> Value {
    let mut description = json!({ "id": state.id.0, "type": state.kind.as_str() });
    match &state.kind {
        StateKind::Command(command) => {
            description["command"] = json!(command.command);
            description["label"] = json!(command.label);
            let arguments = command.arguments.iter();
            let arguments = arguments.map(|found| json!({ "name": found.name, "value": found.value.text }));
            description["arguments"] = Value::Array(arguments.collect());
            let actions = command.actions.iter().map(|action| {
                let target = action.target.as_ref().map(|target| &target.text);
                json!({ "action": action.kind.as_str(), "model": action.model.as_str(), "target": target })
            });
            description["model_actions"] = Value::Array(actions.collect());
        }
        StateKind::Decision { condition: Some(condition) } => description["condition"] = json!(condition.text),
        _ => {}
    }
    description
}

/// A mapping file: the links and joints of its model that numbers in tasks refer to. Widths are in m.
pub fn robot(setup: &RobotSetup, diagnostics: &[Diagnostic]) -> Value {
    let tools = setup.tools.iter().map(|(id, tool)| {
        let [base, link] = [tool.base, tool.link].map(|link| &setup.body.link(link).name);
        json!({ "id": id.0, "link": link, "base": base, "num_joints": tool.chain.joints().len() })
    });
    let grippers = setup.grippers.iter().map(|(id, gripper)| {
        let joints = gripper.joints.iter().map(|finger| setup.body.joint_name(finger.index));
        json!({ "id": id.0, "range": gripper.widths, "joints": joints.collect::<Vec<_>>() })
    });
    json!({
        "format": "BunrakuRobot",
        "model_name": setup.body.name,
        "tools": tools.collect::<Vec<_>>(),
        "grippers": grippers.collect::<Vec<_>>(),
        "initial": setup.initial,
        "diagnostics": super::diagnostics(diagnostics),
    })
}

/// An event of a task run: `what` and the `state`; times in s.
pub fn task_event(event: &Event) -> Value {
    match event {
        Event::Started { state, command, label, time } => {
            json!({ "what": "started", "state": state.0, "command": command, "label": label, "time": time })
        }
        Event::Ended { state, result, failure, time } => {
            json!({ "what": "ended", "state": state.0, "result": result, "failure": failure, "time": time })
        }
        Event::Warned { state, message } => json!({ "what": "warning", "state": state.0, "message": message }),
        Event::Acted { state, action, model, tool } => json!({
            "what": action.as_str(),
            "state": state.0,
            "model": model.as_str(),
            "tool": tool.map(|tool| tool.0),
        }),
        Event::Decided { state, result } => json!({ "what": "decided", "state": state.0, "result": result }),
        Event::Finished { state, time } => json!({ "what": "finished", "state": state.0, "time": time }),
    }
}
