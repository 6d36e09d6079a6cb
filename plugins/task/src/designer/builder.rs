use crate::model::{
    ActionKind, Argument, Branch, CommandState, ExpressionText, Feature, Frame, MasterName, ModelAction, ModelMaster,
    ModelName, ModelPart, ModelRole, Origin, Parameter, ParameterName, ParameterValue, State, StateId, StateKind, Task,
    Transition,
};
use crate::writer::Comments;

/// Parameter with the pose of the tool in the frame of the gripped object.
const GRASP: &str = "graspF";
/// Parameter with the number of arm and gripper.
const HAND: &str = "handID";

/// Number of states drawn in a row.
const ROW: usize = 4;

/// Builds a task, state by state.
pub(super) struct Builder {
    pub(super) task: Task,
    pub(super) comments: Comments,
}

impl Builder {
    /// A task with its initial state.
    pub(super) fn new(name: &str, comment: &str) -> Self {
        let task = Task { name: name.to_owned(), comment: comment.to_owned(), ..Task::default() };
        let mut builder = Self { task, comments: Comments::default() };
        builder.state(StateKind::Initial, None);
        builder
    }

    pub(super) fn master(&mut self, name: &str, file: String, features: &[(&str, &str)]) {
        let feature =
            |(name, value): &(&str, &str)| Feature { name: (*name).to_owned(), value: ExpressionText::from(*value) };
        self.task.masters.push(ModelMaster {
            name: MasterName::from(name),
            file,
            image: None,
            features: features.iter().map(feature).collect(),
            origin: Origin::default(),
        });
    }

    pub(super) fn model(&mut self, name: &str, master: &str, pose: [f64; 6]) {
        self.task.models.push(ModelPart {
            name: ModelName::from(name),
            label: None,
            master: MasterName::from(master),
            role: ModelRole::Work,
            pose: Frame(pose),
            hidden: false,
            origin: Origin::default(),
        });
    }

    pub(super) fn parameter(&mut self, name: &str, value: ParameterValue, comment: &str) {
        let name = ParameterName::from(name);
        self.comments.parameters.insert(name.clone(), comment.to_owned());
        let label = name.to_string();
        let origin = Origin::default();
        self.task.parameters.push(Parameter { name, label, value, unit: None, hidden: false, origin });
    }

    /// Adds a parameter with the pose of a model, or of a feature on it.
    pub(super) fn bound(&mut self, name: &str, model: &str, feature: Option<usize>, comment: &str) {
        let remembered = self.task.model(&ModelName::from(model)).map(|model| model.pose);
        let value = ParameterValue::Bound { model: ModelName::from(model), feature, remembered };
        self.parameter(name, value, comment);
    }

    /// Adds a straight move of the tool to `base` ∘ `frame` ∘ grasp; `frame` is the name of a parameter or a 6-vector.
    pub(super) fn move_linear(&mut self, base: &str, frame: &str, time: f64, comment: &str) {
        let position =
            format!("xyz({base}) + rotFromRpy(rpy({base})) * (xyz({frame}) + rotFromRpy(rpy({frame})) * xyz({GRASP}))");
        let angles =
            format!("rpyFromRot(rotFromRpy(rpy({base})) * rotFromRpy(rpy({frame})) * rotFromRpy(rpy({GRASP})))");
        let time = format!("{time:?}");
        self.command(
            "moveArm",
            "Arm",
            &[("xyz", &position), ("rpy", &angles), ("tm", &time), ("armID", HAND)],
            None,
            comment,
        );
    }

    /// Adds a move of the fingers to a width, given by an expression, and an optional action on a model after it.
    pub(super) fn grip(&mut self, width: &str, action: Option<(ActionKind, &str)>, comment: &str) {
        let arguments = [("width", width), ("tm", "0.5"), ("gripperID", HAND)];
        self.command("moveGripper", "Gripper", &arguments, action, comment);
    }

    /// Adds a move of all joints to the initial pose.
    pub(super) fn go_initial(&mut self, comment: &str) {
        self.command("goInitial", "Initial pose", &[("tm", "1.0")], None, comment);
    }

    fn command(
        &mut self,
        command: &str,
        label: &str,
        arguments: &[(&str, &str)],
        action: Option<(ActionKind, &str)>,
        comment: &str,
    ) {
        let argument = |(name, value): &(&str, &str)| Argument {
            name: (*name).to_owned(),
            value: ExpressionText::from(*value),
            origin: Origin::default(),
        };
        let action = action.map(|(kind, model)| ModelAction {
            kind,
            model: ModelName::from(model),
            target: Some(ExpressionText::from(HAND)),
            origin: Origin::default(),
        });
        let command = CommandState {
            command: command.to_owned(),
            command_origin: Origin::default(),
            label: label.to_owned(),
            arguments: arguments.iter().map(argument).collect(),
            actions: action.into_iter().collect(),
        };
        self.state(StateKind::Command(command), Some(comment));
    }

    /// Adds a state after the last one.
    fn state(&mut self, kind: StateKind, comment: Option<&str>) {
        let index = self.task.states.len();
        let id = StateId(i32::try_from(index).unwrap_or(i32::MAX).saturating_add(1));
        if let Some(last) = self.task.states.last() {
            let (source, origin) = (last.id, Origin::default());
            let transition = Transition { source, target: id, branch: Branch::True, target_index: 0, origin };
            self.task.transitions.push(transition);
        }
        if let Some(comment) = comment {
            self.comments.states.insert(id, comment.to_owned());
        }
        let position = [(index % ROW) as f64 * 120.0, (index / ROW) as f64 * 140.0];
        self.task.states.push(State { id, kind, position, origin: Origin::default() });
    }

    /// The task with its final state.
    pub(super) fn finish(mut self) -> (Task, Comments) {
        self.state(StateKind::Final, None);
        (self.task, self.comments)
    }
}
