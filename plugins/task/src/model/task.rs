use super::{
    MasterName, ModelMaster, ModelName, ModelPart, Origin, Parameter, ParameterName, ParameterValue, State, StateId,
    Transition,
};

/// A task: a state machine of robot commands whose arguments are expressions over parameters and poses of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Name; not empty in a valid task.
    pub name: String,
    /// Purpose.
    pub comment: String,
    /// Models in file order.
    pub models: Vec<ModelPart>,
    /// States in file order.
    pub states: Vec<State>,
    /// Transitions in file order.
    pub transitions: Vec<Transition>,
    /// Parameters in file order.
    pub parameters: Vec<Parameter>,
    /// Files for users: videos, drawings; relative to the task file.
    pub files: Vec<Attached>,
    /// Images for users; relative to the task file.
    pub images: Vec<Attached>,
    /// Masters of the models.
    pub masters: Vec<ModelMaster>,
    /// Location in the file.
    pub origin: Origin,
}

/// A file that belongs to a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// Path, relative to the task file.
    pub path: String,
    /// Location in the file.
    pub origin: Origin,
}

impl Task {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.states.iter().find(|state| state.id == id)
    }

    /// The model with this name.
    pub fn model(&self, name: &ModelName) -> Option<&ModelPart> {
        self.models.iter().find(|model| model.name == *name)
    }

    /// The master with this name.
    pub fn master(&self, name: &MasterName) -> Option<&ModelMaster> {
        self.masters.iter().find(|master| master.name == *name)
    }

    /// The parameter with this name.
    pub fn parameter(&self, name: &ParameterName) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == *name)
    }

    /// Transitions from a state.
    pub fn transitions_from(&self, id: StateId) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |transition| transition.source == id)
    }

    /// Sets a parameter before the task runs. False if it has no parameter of this name.
    pub fn set_parameter(&mut self, name: &ParameterName, value: ParameterValue) -> bool {
        match self.parameters.iter_mut().find(|parameter| parameter.name == *name) {
            Some(parameter) => {
                parameter.value = value;
                true
            }
            None => false,
        }
    }
}
